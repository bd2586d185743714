import { canonicalQuery, encodeStrict, parseQuery } from '../canonical.ts';
import { spellingWork, type WorkMeter } from './mistake.ts';
import type { QueryMistake } from './query.ts';

export type Pair = readonly [key: string, value: string];

export interface Arrangement {
  slug: QueryMistake;
  pairs: readonly Pair[];
  detail?: string;
  rare?: boolean;
}

/**
 * Orders and omissions of the pairs of a query that clients make.
 * @param query raw query without `?`; well formed
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

/** Orders that few clients make. @param query raw query without `?`; well formed */
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

/** Keeps one pair of each key: the first in `preferred`, in the order of `sorted`. */
function oneOfEachKey(sorted: readonly Pair[], preferred: readonly Pair[]): Pair[] {
  const kept = new Map<string, string>();
  for (const [key, value] of preferred) if (!kept.has(key)) kept.set(key, value);
  return [...new Set(sorted.map(([key]) => key))].map((key) => [key, kept.get(key) ?? '']);
}

function compareUnits(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

export interface Spelling {
  slugs: readonly QueryMistake[];
  pair: (key: string, value: string) => string;
  detail?: string;
  rare?: boolean;
}

const MARK_SLUGS: Record<string, QueryMistake> = {
  '!': 'query_exclamation_mark_unencoded',
  "'": 'query_apostrophe_unencoded',
  '(': 'query_open_parenthesis_unencoded',
  ')': 'query_close_parenthesis_unencoded',
  '*': 'query_asterisk_unencoded',
};
const ALL_MARKS = "!'()*";
/** Characters that encodeURI, axios and others do not encode. */
const RESERVED = [':', ',', '@', '$', ';', '?', '[]', ':/', ':@', ':$,', ':$,[]', ';/?:@&=+$,#'];

/**
 * Wrong encodings of a pair that clients make.
 * @param canonical canonical query, which decides which characters matter
 */
export function* spellings(canonical: string): Generator<Spelling> {
  const marks = [...ALL_MARKS].filter((mark) => canonical.includes(encodeStrict(mark)));
  const all = marks.join('');
  for (const left of subsets(marks)) {
    const pair = each(leaving(left));
    const own = MARK_SLUGS[left];
    if (own) yield { slugs: [own], pair };
    else yield { slugs: ['query_marks_unencoded'], pair, detail: left, rare: left !== all };
  }
  const plus = (text: string) => encodeStrict(text).replaceAll('%20', '+');
  yield { slugs: ['query_space_as_plus'], pair: each(plus) };
  yield {
    slugs: ['query_space_as_plus', 'query_marks_unencoded'],
    pair: each((text) => leaving(ALL_MARKS)(text).replaceAll('%20', '+')),
  };
  yield { slugs: ['query_slash_unencoded'], pair: each(leaving('/')) };
  for (const left of RESERVED) {
    yield {
      slugs: ['query_reserved_unencoded'],
      pair: each(leaving(left)),
      detail: left,
      rare: true,
    };
    const more = left + ALL_MARKS;
    yield {
      slugs: ['query_reserved_unencoded'],
      pair: each(leaving(more)),
      detail: more,
      rare: true,
    };
  }
  yield {
    slugs: ['query_tilde_encoded'],
    pair: each((text) => encodeStrict(text).replaceAll('~', '%7E')),
  };
  yield { slugs: ['query_percent_lower_case'], pair: each(lowerCaseHex) };
  for (const form of FORM_ENCODINGS) yield { slugs: ['query_form_encoded'], pair: each(form) };
  yield { slugs: ['query_decoded'], pair: each((text) => text) };
  yield {
    slugs: ['query_blank_without_equals'],
    pair: (key, value) => (value === '' ? encodeStrict(key) : each(encodeStrict)(key, value)),
  };
}

/** Browsers and Java leave `*`, PHP does not; .NET leaves ! ( ) * and uses lower-case hex. */
const FORM_ENCODINGS: readonly ((text: string) => string)[] = [
  (text) => formEncoded(leaving('*')(text)),
  (text) => formEncoded(encodeStrict(text)),
  (text) => lowerCaseEscapes(formEncoded(leaving('!()*')(text))),
];

function formEncoded(encoded: string): string {
  return encoded.replaceAll('%20', '+').replaceAll('~', '%7E');
}

function lowerCaseHex(text: string): string {
  return lowerCaseEscapes(encodeStrict(text));
}

function lowerCaseEscapes(encoded: string): string {
  return encoded.replace(/%../g, (triplet) => triplet.toLowerCase());
}

function leaving(characters: string): (text: string) => string {
  const left = new Map([...characters].map((char) => [encodeStrict(char), char]));
  return (text) => encodeStrict(text).replace(/%../g, (triplet) => left.get(triplet) ?? triplet);
}

function each(encode: (text: string) => string): (key: string, value: string) => string {
  return (key, value) => `${encode(key)}=${encode(value)}`;
}

/** Every choice of at least one of the marks, small choices first; at most 31. */
function subsets(marks: readonly string[]): string[] {
  let chosen = [''];
  for (const mark of marks) chosen = [...chosen, ...chosen.map((others) => others + mark)];
  return chosen.slice(1).sort((a, b) => a.length - b.length);
}
