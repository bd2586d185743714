import { z } from 'zod';
import { jsonResource, type Output } from '../../kernel/resource.ts';
import { schemaMetadata } from '../../kernel/schema-metadata.ts';
import { isoTime } from '../../kernel/time.ts';
import { VERSION } from '../../version.ts';
import { FEATURE_NAMES, FEATURES, groupOf, type Item, STATUSES } from './item.ts';
import { ITEMS } from './items.ts';
import { nextSteps } from './next.ts';
import {
  describeEvidence,
  type Evidence,
  MAX_EVIDENCE,
  type Observation,
  type Observations,
} from './observations.ts';
import type { Observed } from './read-log.ts';

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
    group: z.string(),
    level: z.enum(['must', 'advice']),
    title: z.string(),
    status: z.enum(STATUSES),
    required: z.boolean(),
    // Whether the gate accepts its contradiction.
    accepted: z.boolean(),
    count: z.int(),
    first_at: time().nullable(),
    last_at: time().nullable(),
    evidence: z.array(evidence()).max(MAX_EVIDENCE),
    contradictions: z.array(evidence()).max(MAX_EVIDENCE),
    // Sentences, and commands, which start with `sandlot`.
    next: z.array(z.string()),
  });

const gate = () =>
  z.object({
    file: z.string().nullable(),
    passed: z.boolean(),
    required: ids(),
    failed: ids(),
    accepted: z.array(z.object({ id: z.string(), reason: z.string() })),
  });

export const goliveReport = jsonResource(
  'GoliveReport',
  'What an integration was seen to handle, and whether it passes the gate.',
  () => ({
    format: z.literal(3),
    sandlot: z.string(),
    made_at: time(),
    base_url: z.string().nullable(),
    worlds: ids(),
    requests: z.int(),
    attempts: z.int(),
    // Requests that the log no longer has.
    dropped: z.int(),
    features: objectOf(FEATURE_NAMES, z.enum(['used', 'not_used'])),
    gate: gate(),
    totals: objectOf(STATUSES, z.int()),
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
  hrefOf?: ((evidence: Evidence) => string | null) | undefined;
}

/** Makes the report without a gate: every `must` item that applies is required. */
export function makeReport(observed: Observed, { now, baseUrl, hrefOf }: ReportOptions): Report {
  const { observations, worlds, requests, attempts, dropped } = observed;
  const features = Object.fromEntries(
    FEATURE_NAMES.map((name) => {
      const isUsed = FEATURES[name].some((id) => observations.find(id, 'used'));
      return [name, isUsed ? 'used' : 'not_used'];
    }),
  ) as Report['features'];
  const pathOf = mostUsedPath(observations);
  const shown = (observation: Observation | undefined) =>
    (observation ? describeEvidence(observation) : []).map((piece) => ({
      ...piece,
      at: isoTime(piece.at),
      href: hrefOf?.(piece) ?? null,
    }));
  const items = ITEMS.map((item): ReportItem => {
    const { id, level, title, steps } = item;
    const met = observations.find(id, 'met');
    const contradicted = observations.find(id, 'contradicted');
    const results = [met, contradicted].flatMap((result) => result ?? []);
    const unseen = applies(item, features, observations) ? 'unmet' : 'not_applicable';
    const status = contradicted ? 'contradicted' : met ? 'met' : unseen;
    const at = (times: number[], pick: (...times: number[]) => number) =>
      times.length === 0 ? null : isoTime(pick(...times));
    return {
      ...{ id, group: groupOf(id), level, title, status },
      required: level === 'must' && status !== 'not_applicable',
      accepted: false,
      count: met?.count ?? 0,
      first_at: at(
        results.map(({ firstAt }) => firstAt),
        Math.min,
      ),
      last_at: at(
        results.map(({ lastAt }) => lastAt),
        Math.max,
      ),
      evidence: shown(met),
      contradictions: shown(contradicted),
      next: nextSteps(steps, pathOf),
    };
  });
  const failed = items.filter(failsGate).map(({ id }) => id);
  const required = items.filter((entry) => entry.required).map(({ id }) => id);
  return {
    format: 3,
    sandlot: VERSION,
    made_at: isoTime(now),
    base_url: baseUrl ?? null,
    ...{ worlds, requests, attempts, dropped, features },
    gate: { file: null, passed: failed.length === 0, required, failed, accepted: [] },
    totals: countByStatus(items),
    items,
  };
}

function applies(
  { needs, operation }: Item,
  features: Report['features'],
  observations: Observations,
): boolean {
  if (operation && !observations.find(`call.${operation.name}`, 'used')) return false;
  return needs.every((names) => names.some((name) => features[name] === 'used'));
}

/** Returns a function that returns the path with the most requests, of all methods or of one. */
function mostUsedPath(observations: Observations) {
  const operations = ITEMS.flatMap(({ id, operation }) => {
    const count = observations.find(id, 'used')?.count;
    return operation && count !== undefined ? [{ ...operation, count }] : [];
  });
  operations.sort((a, b) => b.count - a.count);
  return (method?: string) =>
    operations.find((use) => method === undefined || use.method === method)?.path ?? '/orders';
}

/** Whether an item is contradicted and that is not accepted, or required and not met. */
export function isOpen({ required, status, accepted }: ReportItem): boolean {
  return status === 'contradicted' ? !accepted : required && status !== 'met';
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

export function countByStatus(items: readonly ReportItem[]): Report['totals'] {
  const totals = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Report['totals'];
  for (const { status } of items) totals[status] += 1;
  return totals;
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
  const accepted = required.filter((entry) => entry.accepted).length;
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
