import { z } from 'zod';
import { jsonResource, type Output } from '../../kernel/resource.ts';
import { schemaMetadata } from '../../kernel/schema-metadata.ts';
import { isoTime } from '../../kernel/time.ts';
import { VERSION } from '../../version.ts';
import type { Operation } from './activity.ts';
import { FEATURES, type Feature, isCommand, STATUSES } from './item.ts';
import { ITEMS } from './items.ts';
import { describeEvidence, MAX_EVIDENCE, type WorldEvidence } from './observations.ts';
import type { Observed } from './read-log.ts';

const time = () => z.string().register(schemaMetadata, { format: 'date-time' });
const texts = () => z.array(z.string());

const evidence = () =>
  z.object({
    kind: z.enum(['request', 'delivery']),
    id: z.string(),
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
    evidence: z.array(evidence()).max(MAX_EVIDENCE),
    contradictions: z.array(evidence()).max(MAX_EVIDENCE),
    // When the item is met and when it is contradicted, in a sentence each.
    rule: z.object({ met: z.string(), contradicted: z.string().nullable() }),
    // Sentences, and commands, which start with `sandlot`.
    next: texts(),
  });

export const goliveReport = jsonResource(
  'GoliveReport',
  'What an integration was seen to handle, and whether it passes the gate.',
  () => ({
    format: z.literal(4),
    sandlot: z.string(),
    made_at: time(),
    worlds: texts(),
    requests: z.int(),
    attempts: z.int(),
    // Requests that the log no longer has.
    dropped: z.int(),
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
  /** Returns the page of a piece of evidence, while the server runs. */
  hrefOf?: ((evidence: WorldEvidence) => string | null) | undefined;
  /** The only world of the report, for its commands. */
  world?: string | undefined;
}

/** Makes the report without a gate: every `must` item that applies is required. */
export function makeReport(observed: Observed, { now, hrefOf, world }: ReportOptions): Report {
  const { observations, ...counts } = observed;
  const isUsed = (need: Feature | Operation) => {
    const uses: readonly string[] = need in FEATURES ? FEATURES[need as Feature] : [need];
    return uses.some((name) => observations.used.has(name));
  };
  const evidenceView = (piece: WorldEvidence): ReportEvidence => ({
    ...piece,
    at: isoTime(piece.at),
    href: hrefOf?.(piece) ?? null,
  });
  const items = ITEMS.map((item): ReportItem => {
    const { id, level, title, steps, needs = [] } = item;
    const met = observations.find(id, 'met');
    const contradicted = observations.find(id, 'contradicted');
    const statusIfUnseen = needs.every(isUsed) ? 'unmet' : 'not_applicable';
    const status = contradicted ? 'contradicted' : met ? 'met' : statusIfUnseen;
    return {
      ...{ id, level, title, status },
      required: level === 'must' && status !== 'not_applicable',
      accepted: null,
      count: met?.count ?? 0,
      evidence: met ? describeEvidence(met).map(evidenceView) : [],
      contradictions: contradicted ? describeEvidence(contradicted).map(evidenceView) : [],
      rule: { met: item.met, contradicted: item.contradicted ?? null },
      next: steps.map((step) => (world && isCommand(step) ? `${step} --world ${world}` : step)),
    };
  });
  return {
    format: 4,
    sandlot: VERSION,
    made_at: isoTime(now),
    ...counts,
    gate: gateResult(null, items),
    items,
  };
}

export function gateResult(file: string | null, items: readonly ReportItem[]): Report['gate'] {
  const failed = items.filter(failsGate).map(({ id }) => id);
  return { file, passed: failed.length === 0, failed };
}

/** Whether an item fails the gate. A contradicted advice item does so only if it is required. */
export function failsGate({ required, level, status, accepted }: ReportItem): boolean {
  if (status === 'contradicted') return accepted === null && (required || level === 'must');
  return required && status !== 'met';
}

/** Whether nothing of an integration was seen. */
export function isEmpty({ requests, attempts }: Report): boolean {
  return requests + attempts === 0;
}

/** Returns the items that every output shows together, in its order. */
export function sectionsOf({ items }: Report) {
  const withStatus = (status: ReportItem['status']) =>
    items.filter((entry) => entry.status === status);
  const unmet = withStatus('unmet');
  return {
    contradictions: withStatus('contradicted'),
    open: unmet.filter(({ required }) => required),
    optional: unmet.filter(({ required }) => !required),
    met: withStatus('met'),
  };
}

export const REHEARSAL = 'A rehearsal only. The marketplace approves production access.';

export const NOTHING_SEEN = 'Nothing was seen yet.';

/** Returns `Go-live check failed: 47 of 50 required items met, 1 accepted`. */
export function describeGate(report: Report): string {
  if (isEmpty(report)) return NOTHING_SEEN;
  const required = report.items.filter((entry) => entry.required);
  const met = required.filter(({ status }) => status === 'met').length;
  const accepted = report.items.filter((entry) => entry.accepted !== null).length;
  const others = report.gate.failed.length - required.filter(failsGate).length;
  const part = (count: number, name: string) => (count > 0 ? `, ${count} ${name}` : '');
  return `Go-live check ${report.gate.passed ? 'passed' : 'failed'}: ${met} of ${required.length} required items met${part(accepted, 'accepted')}${part(others, 'other contradicted')}`;
}

/** Says how many requests are missing; undefined if none are. */
export function describeDropped({ dropped }: Report): string | undefined {
  if (dropped === 0) return undefined;
  return `The log keeps the newest requests: ${dropped} older ones are not in this report.`;
}
