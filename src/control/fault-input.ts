import { z } from 'zod';
import {
  type FaultMatch,
  type FieldTable,
  type FieldType,
  MATCHERS,
  MAX_COUNT,
  REQUEST_EFFECTS,
  type RequestEffect,
  TIMES,
  WEBHOOK_EFFECTS,
  type WebhookEffect,
} from '../faults/fault-fields.ts';
import { domainName, requiredText, wholeNumber } from '../http/fields.ts';

/** Fields of a new fault, also in the configuration file. `validateFault` checks which of them go together. */
export const faultFields = () => ({
  match: fieldsOf<FaultMatch>(MATCHERS).default({}),
  effect: fieldsOf<RequestEffect>(REQUEST_EFFECTS).optional(),
  webhook: fieldsOf<WebhookEffect>(WEBHOOK_EFFECTS).optional(),
  times: (schemaOf(TIMES.field) as z.ZodType<number>).optional().describe(`${TIMES.help}.`),
});

/** The fields of a table, each optional. */
function fieldsOf<Values>(table: FieldTable): z.ZodType<Values> {
  const fields = Object.entries(table).map(([name, { field, help }]) => [
    name,
    schemaOf(field).optional().describe(`${help}.`),
  ]);
  // The type and the schema follow from the same table.
  return z.strictObject(Object.fromEntries(fields)) as unknown as z.ZodType<Values>;
}

function schemaOf(field: FieldType): z.ZodType {
  switch (field.type) {
    case 'integer':
      return wholeNumber(field.min ?? 1, field.max ?? MAX_COUNT);
    case 'fraction':
      return z.number().gt(0, 'must be above 0').max(1, 'must be at most 1');
    case 'choice':
      return z.enum(field.values);
    case 'text':
      return requiredText(field.max);
    case 'domain':
      return domainName();
    case 'flag':
      return z.boolean();
  }
}
