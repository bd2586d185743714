import { z } from 'zod';
import { jsonResource, type Output } from '../../kernel/resource.ts';
import { schemaMetadata } from '../../kernel/schema-metadata.ts';
import { FEATURE_NAMES, STATUSES } from './item.ts';
import { evidenceSchema } from './observation.ts';

const time = () => z.string().register(schemaMetadata, { format: 'date-time' });
const ids = () => z.array(z.string());

/** An object with a value for each name. */
function objectOf<const Name extends string, Value extends z.ZodType>(
  names: readonly Name[],
  value: Value,
) {
  const shape = Object.fromEntries(names.map((name) => [name, value]));
  return z.object(shape as Record<Name, Value>);
}

const evidence = () => evidenceSchema.extend({ at: time(), href: z.string().nullable() });

const item = () =>
  z.object({
    id: z.string(),
    group: z.string(),
    level: z.enum(['must', 'advice']),
    rev: z.int(),
    title: z.string(),
    status: z.enum(STATUSES),
    required: z.boolean(),
    waived: z.boolean(),
    count: z.int(),
    first_at: time().nullable(),
    last_at: time().nullable(),
    evidence: z.array(evidence()).max(5),
    contradictions: z.array(evidence()).max(5),
    // `text`: the steps from the first sentence on. `commands`: all commands, without `sandlot`.
    next: z.object({ text: z.string(), commands: ids(), domains: ids() }),
  });

const source = () =>
  z.object({
    run: z.string(),
    label: z.string().nullable(),
    worlds: ids(),
    from: time().nullable(),
    to: time().nullable(),
    requests: z.int(),
    attempts: z.int(),
  });

const gate = () =>
  z.object({
    file: z.string().nullable(),
    passed: z.boolean(),
    required: ids(),
    // Items, and `feature:NAME` for a feature that is used or not used against the gate.
    failed: ids(),
    waived: z.array(z.object({ id: z.string(), reason: z.string(), until: z.string().nullable() })),
    // Waivers that are past their date.
    expired: z.array(z.object({ id: z.string(), until: z.string() })),
    new_items: ids(),
  });

/** The go-live report (golive, "Output"). */
export const goliveReport = jsonResource(
  'GoliveReport',
  'What an integration was seen to handle, and whether it passes the gate.',
  () => ({
    format: z.literal(1),
    sandlot: z.string(),
    items_version: z.int(),
    made_at: time(),
    base_url: z.string().nullable(),
    sources: z.array(source()),
    features: objectOf(FEATURE_NAMES, z.enum(['used', 'declared', 'not_used'])),
    gate: gate(),
    totals: objectOf(STATUSES, z.int()),
    items: z.array(item()),
    // Observations of items that this version does not know, or whose evidence has another meaning.
    ignored: ids(),
  }),
);

export type Report = Output<typeof goliveReport>;
export type ReportItem = Report['items'][number];
export type ReportEvidence = ReportItem['evidence'][number];
export type ReportSource = Report['sources'][number];

/** Whether an item is contradicted, or required and not met, and not waived. */
export function isOpen({ required, status, waived }: ReportItem): boolean {
  return !waived && (status === 'contradicted' || (required && status !== 'met'));
}

/** Whether an item is not required and was not seen yet. */
export function isOptional({ required, status, waived }: ReportItem): boolean {
  return status === 'unmet' && !required && !waived;
}

/** Whether an item fails the gate. A contradicted advice item does so only if it is required. */
export function failsGate(item: ReportItem): boolean {
  return isOpen(item) && (item.required || item.level === 'must');
}

/** Counts the items of each group that apply, and the met ones among them. */
export function countByGroup({ items }: Report) {
  const applying = items.filter(({ status }) => status !== 'not_applicable');
  return [...Map.groupBy(applying, ({ group }) => group)].map(([group, groupItems]) => ({
    group,
    met: groupItems.filter(({ status }) => status === 'met').length,
    applying: groupItems.length,
  }));
}
