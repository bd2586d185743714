import { z } from 'zod';

/** A sale as the app has it. What is left out is not compared. */
const stateRow = z.object({
  order: z.string().nullable(),
  ref: z.string().nullish(),
  domain: z.string(),
  status: z.string().nullish(),
  price_cents: z.number().nullish(),
  fulfilled: z.number().optional(),
  refunded: z.union([z.number(), z.boolean()]).optional(),
  pending: z.boolean().optional(),
});
export type StateRow = z.output<typeof stateRow>;

/** Reads what `--state` printed. @returns why it cannot be used instead */
export function readState(stdout: string | undefined): StateRow[] | string {
  if (stdout === undefined) return 'it printed more than 1 MB';
  try {
    const { data, error } = z.array(stateRow).safeParse(JSON.parse(stdout));
    if (data) return data;
    const [issue] = error.issues;
    const at = issue?.path.join('.') || 'the document';
    return `it must print an array of sales: ${at}: ${issue?.message}`;
  } catch {
    return 'it printed no JSON';
  }
}
