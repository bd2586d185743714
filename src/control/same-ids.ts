import { z } from 'zod';
import { missingOr } from '../http/fields.ts';
import { schemaMetadata } from '../kernel/schema-metadata.ts';

/** `same_ids` of the routes that begin a new id series. */
export function sameIds() {
  return z
    .boolean({ error: missingOr('must be true or false') })
    .default(false)
    .register(schemaMetadata, {
      description:
        'Repeats the ids that were issued before, for byte-identical runs. Otherwise no id is ever issued twice.',
    });
}
