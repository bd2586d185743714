import { z } from 'zod';
import { didYouMean } from '../../kernel/did-you-mean.ts';
import { FEATURE_NAMES } from './item.ts';
import type { Report } from './report.ts';

/** The schema of a gate file, which names the items that a pipeline requires. */
export function gateSchema(itemIds: readonly string[]) {
  const id = oneOf('item', itemIds);
  const features = unique(z.array(oneOf('feature', FEATURE_NAMES)), (name) => name);
  return z
    .strictObject({
      $schema: z.string().optional(),
      items_version: z
        .int('must be the version of the item list, such as 1')
        .min(1)
        .describe('Version of the item list when this file was written'),
      uses: features.default([]).describe('Features that must be used'),
      not_used: features.default([]).describe('Features that must not be used'),
      require: unique(z.array(id, 'must be a list of items'), (name) => name).describe(
        'Items that must be met',
      ),
      waive: unique(
        z.array(
          z.strictObject({
            id,
            reason: z
              .string('missing; say why the item is accepted')
              .trim()
              .min(1, 'is empty; say why the item is accepted'),
            until: z.iso
              .date('is not a date such as 2027-03-01')
              .optional()
              .describe('Last day (UTC); the waiver is ignored after it'),
            even_contradicted: z
              .boolean()
              .default(false)
              .describe('Accept the item even if it is contradicted'),
          }),
        ),
        (waiver) => waiver.id,
      )
        .default([])
        .describe('Items that are accepted although they are not met'),
    })
    .superRefine(({ uses, not_used }, context) => {
      for (const [index, name] of not_used.entries()) {
        if (!uses.includes(name)) continue;
        const message = `"${name}" is in uses as well`;
        context.addIssue({ code: 'custom', path: ['not_used', index], message });
      }
    });
}

function oneOf<const Name extends string>(kind: string, names: readonly Name[]) {
  return z.enum(names, {
    error: ({ input }) => `unknown ${kind} "${input}".${didYouMean(String(input), names)}`,
  });
}

function unique<Row extends z.ZodType>(
  list: z.ZodArray<Row>,
  idOf: (row: z.output<Row>) => string,
): z.ZodArray<Row> {
  return list
    .superRefine((rows, context) => {
      const ids = new Set<string>();
      for (const [index, row] of rows.entries()) {
        const id = idOf(row);
        if (ids.has(id)) {
          context.addIssue({ code: 'custom', path: [index], message: `"${id}" is repeated` });
        }
        ids.add(id);
      }
    })
    .meta({ uniqueItems: true });
}

export type Gate = z.output<ReturnType<typeof gateSchema>>;
export type Waiver = Gate['waive'][number];

export function gateFields({ shape }: ReturnType<typeof gateSchema>): string[] {
  return [...Object.keys(shape), 'id', 'reason', 'until', 'even_contradicted'];
}

/** Creates a gate that requires the same items as a report without a gate. */
export function makeGate({ gate, features, items_version }: Report): Gate {
  const used = FEATURE_NAMES.filter((name) => features[name] === 'used');
  return {
    $schema: './node_modules/sandlot/fixtures/golive.schema.json',
    items_version,
    uses: used,
    not_used: [],
    require: gate.required,
    waive: [],
  };
}
