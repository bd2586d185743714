import { z } from 'zod';
import { didYouMean } from '../kernel/did-you-mean.ts';
import { FEATURE_NAMES } from './features.ts';

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The gate file: the items that a pipeline requires, by name. */
export function gateSchema(itemIds: readonly string[]) {
  const known = new Set(itemIds);
  const id = z.string().superRefine((given, context) => {
    if (known.has(given)) return;
    const message = `unknown item "${given}".${didYouMean(given, itemIds)}`;
    context.addIssue({ code: 'custom', message });
  });
  const unique =
    <Row>(idOf: (row: Row) => string) =>
    (rows: readonly Row[], context: z.RefinementCtx) => {
      const seen = new Set<string>();
      for (const [index, row] of rows.entries()) {
        const given = idOf(row);
        if (seen.has(given)) {
          context.addIssue({ code: 'custom', path: [index], message: `"${given}" is repeated` });
        }
        seen.add(given);
      }
    };
  const features = z.array(z.enum(FEATURE_NAMES)).superRefine(unique((name: string) => name));
  return z
    .strictObject({
      $schema: z.string().optional(),
      items_version: z.int().min(1),
      uses: features.default([]),
      not_used: features.default([]),
      require: z.array(id).superRefine(unique((name: string) => name)),
      waive: z
        .array(
          z.strictObject({
            id,
            reason: z.string().trim().min(1, 'is empty; say why the item is accepted'),
            until: z
              .string()
              .refine((day) => DAY.test(day) && !Number.isNaN(Date.parse(day)), {
                message: 'is not a date such as 2027-03-01',
              })
              .optional(),
            even_contradicted: z.boolean().default(false),
          }),
        )
        .superRefine(unique(({ id: name }: { id: string }) => name))
        .default([]),
    })
    .superRefine(({ uses, not_used }, context) => {
      for (const [index, name] of not_used.entries()) {
        if (!uses.includes(name)) continue;
        const message = `"${name}" is in uses as well`;
        context.addIssue({ code: 'custom', path: ['not_used', index], message });
      }
    });
}

export type Gate = z.output<ReturnType<typeof gateSchema>>;
export type Waiver = Gate['waive'][number];
