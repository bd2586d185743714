import { z } from 'zod';
import { jsonResource, type Output } from '../../kernel/resource.ts';
import { schemaMetadata } from '../../kernel/schema-metadata.ts';
import { isoTime } from '../../kernel/time.ts';
import { VERSION } from '../../version.ts';
import { FEATURE_NAMES, FEATURES, type Feature, groupOf, type Item, STATUSES } from './item.ts';
import { ITEMS } from './items.ts';
import { describeEvidence, MAX_EVIDENCE, type WorldEvidence } from './observations.ts';
import type { Observed } from './read-log.ts';

const time = () => z.string().register(schemaMetadata, { format: 'date-time' });
const texts = () => z.array(z.string());

const evidence = () =>
  z.object({
    kind: z.enum(['request', 'delivery', 'page', 'action']),
    id: z.string().nullable(),
    world: z.string(),
    at: time(),
    text: z.string(),
    href: z.string().nullable(),
  });

const item = () =>
  z.object({
    id: z.string(),
    level: z.enum(['must', 'advice']),
    title: z.string(),
    status: z.enum(STATUSES),
    required: z.boolean(),
    // Why the gate accepts its contradiction.
    accepted: z.string().nullable(),
    count: z.int(),
    first_at: time().nullable(),
    last_at: time().nullable(),
    evidence: z.array(evidence()).max(MAX_EVIDENCE),
    contradictions: z.array(evidence()).max(MAX_EVIDENCE),
    // Sentences, and commands, which start with `sandlot`.
    next: texts(),
  });

export const goliveReport = jsonResource(
  'GoliveReport',
  'What an integration was seen to handle, and whether it passes the gate.',
  () => ({
    format: z.literal(3),
    sandlot: z.string(),
    made_at: time(),
    base_url: z.string().nullable(),
    worlds: texts(),
    requests: z.int(),
    attempts: z.int(),
    // Requests that the log no longer has.
    dropped: z.int(),
    // Features that the integration uses, and the others.
    used: texts(),
    not_used: texts(),
    gate: z.object({ file: z.string().nullable(), passed: z.boolean(), failed: texts() }),
    items: z.array(item()),
  }),
);

export type Report = Output<typeof goliveReport>;
export type ReportItem = Report['items'][number];
export type ReportEvidence = ReportItem['evidence'][number];

interface ReportOptions {
  /** Real time, Unix ms. */
  now: number;
  baseUrl?: string | undefined;
  /** Returns the page of a piece of evidence, while the server runs. */
  hrefOf?: ((evidence: WorldEvidence) => string | null) | undefined;
}

/** Makes the report without a gate: every `must` item that applies is required. */
export function makeReport(observed: Observed, { now, baseUrl, hrefOf }: ReportOptions): Report {
  const { observations, ...counts } = observed;
  const { uses } = observations;
  const isUsed = (name: Feature) => FEATURES[name].some((operation) => uses.has(operation));
  const applies = ({ needs, operation }: Item) =>
    (operation === undefined || uses.has(operation)) && needs.every((names) => names.some(isUsed));
  const items = ITEMS.map((item): ReportItem => {
    const { id, level, title, steps } = item;
    const met = observations.find(id, 'met');
    const contradicted = observations.find(id, 'contradicted');
    const seen = [met, contradicted].filter((observation) => observation !== undefined);
    const [evidence = [], contradictions = []] = [met, contradicted].map(
      (observation) =>
        observation &&
        describeEvidence(observation).map((piece) => ({
          ...piece,
          at: isoTime(piece.at),
          href: hrefOf?.(piece) ?? null,
        })),
    );
    const unseen = applies(item) ? 'unmet' : 'not_applicable';
    const status = contradicted ? 'contradicted' : met ? 'met' : unseen;
    return {
      ...{ id, level, title, status },
      required: level === 'must' && status !== 'not_applicable',
      accepted: null,
      count: met?.count ?? 0,
      first_at: timeOrNull(Math.min(...seen.map(({ firstAt }) => firstAt))),
      last_at: timeOrNull(Math.max(...seen.map(({ lastAt }) => lastAt))),
      ...{ evidence, contradictions, next: [...steps] },
    };
  });
  return {
    format: 3,
    sandlot: VERSION,
    made_at: isoTime(now),
    base_url: baseUrl ?? null,
    ...counts,
    used: FEATURE_NAMES.filter(isUsed),
    not_used: FEATURE_NAMES.filter((name) => !isUsed(name)),
    gate: gateResult(null, items),
    items,
  };
}

function timeOrNull(at: number): string | null {
  return Number.isFinite(at) ? isoTime(at) : null;
}

export function gateResult(file: string | null, items: readonly ReportItem[]): Report['gate'] {
  const failed = items.filter(failsGate).map(({ id }) => id);
  return { file, passed: failed.length === 0, failed };
}

/** Whether an item is contradicted and that is not accepted, or required and not met. */
export function isOpen({ required, status, accepted }: ReportItem): boolean {
  return status === 'contradicted' ? accepted === null : required && status !== 'met';
}

/** Whether an item is not required and was not seen yet. */
export function isOptional({ required, status }: ReportItem): boolean {
  return status === 'unmet' && !required;
}

/** Whether an item fails the gate. A contradicted advice item does so only if it is required. */
export function failsGate(item: ReportItem): boolean {
  return isOpen(item) && (item.required || item.level === 'must');
}

/** Whether nothing of an integration was seen. */
export function isEmpty({ requests, attempts }: Report): boolean {
  return requests + attempts === 0;
}

/** Counts the items of each group that apply, and the met ones among them. */
export function countByGroup({ items }: Report) {
  const applying = items.filter(({ status }) => status !== 'not_applicable');
  return [...Map.groupBy(applying, ({ id }) => groupOf(id))].map(([group, groupItems]) => ({
    group,
    met: groupItems.filter(({ status }) => status === 'met').length,
    applying: groupItems.length,
  }));
}

/** Tells where to run the commands of a report whose sandbox does not run any more. */
export const WHERE_TO_RUN =
  'Run these commands from your tests, or with a sandbox that keeps running: sandlot start';

export const NOTHING_SEEN = 'Nothing was seen yet.';

/** Returns `Go-live check failed: 47 of 50 required items met, 1 accepted, 2 open, 6 of 11 others met`. */
export function describeGate(report: Report): string {
  if (isEmpty(report)) return NOTHING_SEEN;
  const { gate, items } = report;
  const required = items.filter((entry) => entry.required);
  const met = required.filter(({ status }) => status === 'met').length;
  const accepted = required.filter((entry) => entry.accepted !== null).length;
  const open = required.length - met - accepted;
  const optional = items.filter((entry) => !entry.required && entry.status !== 'not_applicable');
  const metOthers = optional.filter(({ status }) => status === 'met').length;
  const parts = [
    `${met} of ${required.length} required items met`,
    ...(accepted > 0 ? [`${accepted} accepted`] : []),
    ...(open > 0 ? [`${open} open`] : []),
    ...(optional.length > 0 ? [`${metOthers} of ${optional.length} others met`] : []),
  ];
  return `Go-live check ${gate.passed ? 'passed' : 'failed'}: ${parts.join(', ')}`;
}

/** Says how many requests are missing; undefined if none are. */
export function describeDropped({ dropped }: Report): string | undefined {
  if (dropped === 0) return undefined;
  return `The log keeps the newest requests: ${dropped} older ones are not in this report.`;
}
