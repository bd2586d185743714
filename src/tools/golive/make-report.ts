import { isoTime } from '../../kernel/time.ts';
import type { Source } from './export-file.ts';
import type { Gate, Waiver } from './gate.ts';
import { FEATURE_NAMES, FEATURES, type Feature, groupOf, type Item, STATUSES } from './item.ts';
import { ITEMS } from './items.ts';
import { makeNextSteps } from './next.ts';
import { type Evidence, MAX_EVIDENCE, type Observation, Observations } from './observation.ts';
import { failsGate, type Report, type ReportItem } from './report.ts';

/** The version of the item list. An item that was added after the version of a gate is new to that gate. */
export const ITEMS_VERSION = 1;

const REVS = new Map(ITEMS.map(({ id, rev }) => [id, rev]));

export interface ReportInput {
  sources: readonly Source[];
  gate?: { file: string; content: Gate } | undefined;
  sandlot: string;
  /** Real time, Unix ms. */
  now: number;
  baseUrl?: string | undefined;
  /** Returns the page of a piece of evidence, while the server runs. */
  hrefOf?: (evidence: Evidence) => string | null;
}

export function makeReport(input: ReportInput): Report {
  const { sources, gate, now } = input;
  const rawObservations = sources.flatMap((source) => source.observations);
  const observations = new Observations(rawObservations.filter(isCurrent), (a, b) => [...a, ...b]);
  const ignored = rawObservations.filter((entry) => !isCurrent(entry)).map(({ item }) => item);
  const featuresInUse = usedFeatures(observations);
  const declared = new Set<Feature>(gate?.content.uses);
  const waivers = new Map(gate?.content.waive.map((waiver) => [waiver.id, waiver]));
  const isValid = ({ until }: Waiver) => until === undefined || now < endOfDay(until);
  const gateIds = gate && new Set(gate.content.require);
  const pathOf = mostUsedPath(observations);
  const isNew = (item: Item) => (gate?.content.items_version ?? ITEMS_VERSION) < item.since;

  const items = ITEMS.map((item): ReportItem => {
    const { id, level, rev, title, steps } = item;
    const applies =
      gateIds?.has(id) ||
      appliesTo(item, (name) => featuresInUse.has(name) || declared.has(name), observations);
    const met = observations.find(id, 'met');
    const contradicted = observations.find(id, 'contradicted');
    const results = [met, contradicted].flatMap((entry) => entry ?? []);
    const unseen = applies ? 'unmet' : 'not_applicable';
    const status = contradicted ? 'contradicted' : met ? 'met' : unseen;
    const waiver = waivers.get(id);
    const isWaived =
      waiver && isValid(waiver) && (status !== 'contradicted' || waiver.even_contradicted);
    const newestEvidence = ({ evidence }: Pick<Observation, 'evidence'> = { evidence: [] }) =>
      evidence
        .toSorted((a, b) => a.at - b.at)
        .slice(-MAX_EVIDENCE)
        .map((piece) => ({ ...piece, at: isoTime(piece.at), href: input.hrefOf?.(piece) ?? null }));
    return {
      id,
      group: groupOf(id),
      level,
      rev,
      title,
      status,
      required: gateIds ? gateIds.has(id) : level === 'must' && status !== 'not_applicable',
      waived: isWaived === true && status !== 'met' && status !== 'not_applicable',
      count: met?.count ?? 0,
      first_at:
        results.length === 0 ? null : isoTime(Math.min(...results.map((entry) => entry.first_at))),
      last_at:
        results.length === 0 ? null : isoTime(Math.max(...results.map((entry) => entry.last_at))),
      evidence: newestEvidence(met),
      contradictions: newestEvidence(contradicted),
      next: makeNextSteps(steps, pathOf),
    };
  });

  const failures = [
    ...items.filter(failsGate).map(({ id }) => id),
    ...[...declared].filter((name) => !featuresInUse.has(name)).map((name) => `feature:${name}`),
    ...(gate?.content.not_used ?? [])
      .filter((name) => featuresInUse.has(name))
      .map((name) => `feature:${name}`),
  ];
  const totals = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Report['totals'];
  for (const { status } of items) totals[status] += 1;
  return {
    format: 1,
    sandlot: input.sandlot,
    items_version: ITEMS_VERSION,
    made_at: isoTime(now),
    base_url: input.baseUrl ?? null,
    sources: sources.map(({ run, label, worlds, from, to, requests, attempts }) => ({
      run,
      label,
      worlds,
      from: from === null ? null : isoTime(from),
      to: to === null ? null : isoTime(to),
      requests,
      attempts,
    })),
    features: Object.fromEntries(
      FEATURE_NAMES.map((name) => [
        name,
        featuresInUse.has(name) ? 'used' : declared.has(name) ? 'declared' : 'not_used',
      ]),
    ) as Report['features'],
    gate: {
      file: gate?.file ?? null,
      passed: failures.length === 0,
      required: items.filter(({ required }) => required).map(({ id }) => id),
      failed: failures,
      waived: items.flatMap(({ id, waived }) => {
        const waiver = waivers.get(id);
        return waived && waiver ? [{ id, reason: waiver.reason, until: waiver.until ?? null }] : [];
      }),
      expired: [...waivers.values()].flatMap((waiver) =>
        waiver.until !== undefined && !isValid(waiver)
          ? [{ id: waiver.id, until: waiver.until }]
          : [],
      ),
      new_items: ITEMS.filter((item) => isNew(item) && !gateIds?.has(item.id)).map(({ id }) => id),
    },
    totals,
    items,
    ignored: [...new Set(ignored)].sort(),
  };
}

/** Whether this version has the item in the same revision, so that the evidence has the same meaning. */
function isCurrent({ item, rev }: Observation): boolean {
  return REVS.get(item) === rev;
}

function usedFeatures(observations: Observations): Set<Feature> {
  const names = FEATURE_NAMES.filter((name) =>
    FEATURES[name].some((item) => observations.find(item, 'used')),
  );
  return new Set(names);
}

function appliesTo(
  { needs, operation }: Item,
  isUsed: (feature: Feature) => boolean,
  observations: Observations,
): boolean {
  if (operation && !observations.find(`call.${operation.name}`, 'used')) return false;
  return needs.every((features) => features.some(isUsed));
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

function endOfDay(day: string): number {
  return Date.parse(day) + 86_400_000;
}
