import { ERROR_CODES } from '../../../kernel/errors.ts';
import { APIS } from '../../../requests/log-entry.ts';
import { option, type ValuesOf } from '../../declare.ts';
import { oneOf } from '../../values.ts';

/** What a list of requests may be narrowed to. */
export const REQUEST_FILTERS = {
  status: option('--status <status>', 'a status such as 404, a class such as 4xx, or closed'),
  code: option('--code <code>', 'an error code of the partner API', oneOf(ERROR_CODES)),
  method: option('--method <method>', 'only this method'),
  path: option('--path <part>', 'part of the path or query; * stands for anything'),
  key: option('--key <key-id>', 'only requests of this credential'),
  api: option('--api <api>', 'partner, control or page', oneOf(APIS)),
  text: option('--text <text>', 'text in a header, a body or the trace'),
};

/** The same as the query of the control door. */
export function filterQuery({ key, ...rest }: ValuesOf<typeof REQUEST_FILTERS>) {
  return { ...rest, key_id: key };
}
