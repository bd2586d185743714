import { canonicalQuery, encodeStrict, parseQuery } from '../canonical.ts';
import type { QueryMistake } from './query-mistakes.ts';
import { spellingWork, type WorkMeter } from './work.ts';

export type Pair = readonly [key: string, value: string];

export interface Arrangement {
  slug: QueryMistake;
  pairs: readonly Pair[];
  detail?: string;
  rare?: boolean;
}

/**
 * The pairs of a query in the orders, and with the omissions, that clients come up with.
 * @param query raw query, without `?`; well formed
 */
export function* arrangements(query: string, meter: WorkMeter): Generator<Arrangement> {
  meter.spend(2 * spellingWork(query.length));
  const sent: Pair[] = parseQuery(query);
  const sorted: Pair[] = parseQuery(canonicalQuery(query));
  const filled = sorted.filter(([, value]) => value !== '');
  if (sent.length === 1) {
    yield { slug: 'query_blank_values_dropped', pairs: filled };
    return;
  }
  yield { slug: 'query_unsorted', pairs: sent };
  yield { slug: 'query_ties_unsorted', pairs: sortedByKeyOnly(sent, sorted) };
  yield {
    slug: 'query_duplicate_keys_dropped',
    pairs: oneOfEachKey(sorted, sent.toReversed()),
    detail: 'the last one sent',
  };
  yield {
    slug: 'query_duplicate_keys_dropped',
    pairs: oneOfEachKey(sorted, sent),
    detail: 'the first one sent',
  };
  yield { slug: 'query_blank_values_dropped', pairs: filled };
}

/** Orders by a rule that few clients have. @param query raw query, without `?`; well formed */
export function* rareArrangements(query: string, meter: WorkMeter): Generator<Arrangement> {
  meter.spend(2 * spellingWork(query.length));
  const sent: Pair[] = parseQuery(query);
  if (sent.length === 1) return;
  const sorted: Pair[] = parseQuery(canonicalQuery(query));
  for (const [detail, textOf] of OTHER_RULES) {
    meter.spend(spellingWork(query.length));
    const texts = new Map(sent.map((pair) => [pair, textOf(pair)]));
    const pairs = sent.toSorted((a, b) => compareUnits(texts.get(a) ?? '', texts.get(b) ?? ''));
    yield { slug: 'query_sorted_differently', pairs, detail, rare: true };
  }
  yield {
    slug: 'query_sorted_differently',
    pairs: sorted.toReversed(),
    detail: 'descending',
    rare: true,
  };
}

const OTHER_RULES: readonly [detail: string, textOf: (pair: Pair) => string][] = [
  ['as whole key=value texts', ([key, value]) => `${key}=${value}`],
  ['as encoded key=value texts', ([key, value]) => `${encodeStrict(key)}=${encodeStrict(value)}`],
  ['by the encoded key', ([key, value]) => `${encodeStrict(key)}\0${encodeStrict(value)}`],
  ['by UTF-16 units', ([key, value]) => `${key}\0${value}`],
  ['without regard to case', ([key, value]) => `${key}\0${value}`.toLowerCase()],
];

function sortedByKeyOnly(sent: readonly Pair[], sorted: readonly Pair[]): Pair[] {
  const keys = [...new Set(sorted.map(([key]) => key))];
  const rank = new Map(keys.map((key, index) => [key, index]));
  return sent.toSorted(([a], [b]) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0));
}

/** Of each key the value that comes first in `preferred`, in the order of `sorted`. */
function oneOfEachKey(sorted: readonly Pair[], preferred: readonly Pair[]): Pair[] {
  const kept = new Map<string, string>();
  for (const [key, value] of preferred) if (!kept.has(key)) kept.set(key, value);
  return [...new Set(sorted.map(([key]) => key))].map((key) => [key, kept.get(key) ?? '']);
}

function compareUnits(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
