import { z } from 'zod';
import { jsonResource } from '../../kernel/resource.ts';
import { observationSchema, time } from './observation.ts';

const sourceSchema = z.object({
  /** Random; equal in all exports of one run. */
  run: z.string(),
  /** Random; equal in all sources of one export, which has a run for each world. */
  export: z.string(),
  label: z.string().nullable(),
  worlds: z.array(z.string()),
  /** Times of the first and the last observation; null if there are none. */
  from: time().nullable(),
  to: time().nullable(),
  requests: z.int().min(0),
  attempts: z.int().min(0),
  made_at: time(),
  observations: z.array(observationSchema),
});
export type Source = z.output<typeof sourceSchema>;

export const runSchema = sourceSchema.pick({
  run: true,
  worlds: true,
  requests: true,
  attempts: true,
});
export type Run = z.output<typeof runSchema>;

/** The file that `golive export` writes, and `golive merge` and `golive --from` read. Unknown fields are ignored. */
export const exportSchema = z.object({
  format: z.literal('sandlot-golive', 'pass a file that "sandlot golive export" wrote'),
  version: z.literal(1, 'another version of sandlot wrote this file; use that version'),
  sandlot: z.string(),
  sources: z.array(sourceSchema).min(1),
});
export type GoliveExport = z.output<typeof exportSchema>;

export const goliveExport = jsonResource(
  'GoliveExport',
  'The observations of a sandbox, for `golive --from` and `golive merge`.',
  () => exportSchema.shape,
);

/**
 * Combines exports. Sources stay apart by run, and of one run the newest export counts, so neither the order nor the
 * repetition of files makes a difference.
 */
export function mergeExports(exports: readonly GoliveExport[], sandlot: string): GoliveExport {
  const newest = new Map<string, Source>();
  for (const source of exports.flatMap(({ sources }) => sources)) {
    const previous = newest.get(source.run);
    if (!previous || isNewer(source, previous)) newest.set(source.run, source);
  }
  const sources = [...newest.values()].sort((a, b) => (a.run < b.run ? -1 : 1));
  return { format: 'sandlot-golive', version: 1, sandlot, sources };
}

/** Returns the labels of the combined exports, or the ids of those without a label. */
export function exportsIn({ sources }: Pick<GoliveExport, 'sources'>): string[] {
  const labels = new Map(sources.map((source) => [source.export, source.label ?? source.export]));
  return [...labels.values()];
}

/** Whether `a` replaces `b`: it is newer, has more requests, or comes first in an arbitrary, fixed order. */
function isNewer(a: Source, b: Source): boolean {
  if (a.made_at !== b.made_at) return a.made_at > b.made_at;
  if (a.requests !== b.requests) return a.requests > b.requests;
  return JSON.stringify(a) > JSON.stringify(b);
}
