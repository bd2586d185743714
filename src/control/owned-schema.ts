import { z } from 'zod';
import { idOf, record } from '../kernel/answer.ts';
import { ENVIRONMENTS } from '../store/schema/words.ts';

/** A record as the control door shows it: with its owner. @param id its name in the documents */
export function owned<Shape extends z.core.$ZodLooseShape>(
  id: string,
  says: string,
  base: () => z.ZodObject<Shape>,
) {
  return record(id, { says }, () => ({
    ...base().shape,
    partner_id: idOf('ptr'),
    environment: z.enum(ENVIRONMENTS),
  }));
}
