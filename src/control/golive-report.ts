import { z } from 'zod';
import { type CoverageExport, exportSchema } from '../coverage/export-file.ts';
import { FEATURE_NAMES } from '../coverage/item.ts';
import { type Report, type ReportItem, STATUSES } from '../coverage/report.ts';
import { type Fields, resource } from '../kernel/resource.ts';
import { schemaMetadata } from '../kernel/schema-metadata.ts';

const time = () => z.string().register(schemaMetadata, { format: 'date-time' });
const ids = () => z.array(z.string());

/** An object with a value for each name. */
function each<const Name extends string, Value extends z.ZodType>(
  names: readonly Name[],
  value: Value,
) {
  const shape = Object.fromEntries(names.map((name) => [name, value]));
  return z.object(shape as Record<Name, Value>);
}

const evidence = () =>
  z.object({
    kind: z.enum(['request', 'event', 'delivery', 'page', 'action']),
    id: z.string().nullable(),
    world: z.string(),
    at: time(),
    text: z.string().max(200),
    href: z.string().nullable(),
  });

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
    next: z.object({ text: z.string(), commands: ids(), domains: ids() }),
  }) as unknown as z.ZodType<ReportItem>;

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
    failed: ids(),
    waived: z.array(z.object({ id: z.string(), reason: z.string(), until: z.string().nullable() })),
    expired: z.array(z.object({ id: z.string(), until: z.string() })),
    new_items: ids(),
  });

export const goliveReport = resource(
  'GoliveReport',
  'What an integration was seen to handle, and whether it passes the gate.',
  ({ value }: Fields<Report>) => ({
    format: value(() => z.literal(1)),
    sandlot: value(() => z.string()),
    items_version: value(() => z.int()).from((report) => report.items_version),
    made_at: value(time).from((report) => report.made_at),
    base_url: value(() => z.string().nullable()).from((report) => report.base_url),
    sources: value(() => z.array(source())),
    features: value(() => each(FEATURE_NAMES, z.enum(['used', 'declared', 'not_used']))),
    gate: value(gate),
    totals: value(() => each(STATUSES, z.int())),
    items: value(() => z.array(item())),
    ignored: value(ids),
  }),
);

export const coverageExport = resource(
  'CoverageExport',
  'The observations of a sandbox, for `golive --from` and `coverage merge`.',
  ({ value }: Fields<CoverageExport>) => ({
    format: value(() => exportSchema.shape.format),
    version: value(() => exportSchema.shape.version),
    sandlot: value(() => exportSchema.shape.sandlot),
    sources: value(() => exportSchema.shape.sources),
  }),
);
