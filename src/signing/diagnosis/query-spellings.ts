import { canonicalQuery, encodeStrict, parseQuery } from '../canonical.ts';
import { type MistakeText, spellingWork, type WorkMeter } from './mistake.ts';

const ENCODE_MARK = "Encode ! ' ( ) * as well: %21 %27 %28 %29 %2A.";
const SORT =
  'Sort the decoded pairs by key, then by value, by code point (the order of their UTF-8 bytes).';

export const QUERY_MISTAKES = {
  query_left_out: {
    summary: 'The QUERY_STRING line was left empty, although the request has a query.',
    fix: 'Put the canonical form of the query on the third line.',
  },
  query_with_question_mark: {
    summary: 'The QUERY_STRING line was signed with its question mark.',
    fix: 'Begin the line with the first key; the question mark is not part of the query.',
  },
  query_unsorted: {
    summary: 'The query was signed in the order sent, not sorted.',
    fix: SORT,
  },
  query_ties_unsorted: {
    summary: 'The query was sorted by key only; values of one key were left in the order sent.',
    fix: SORT,
  },
  query_sorted_differently: {
    summary: 'The query was sorted by another rule.',
    fix: SORT,
  },
  query_duplicate_keys_dropped: {
    summary: 'Only one value of a repeated key was signed.',
    fix: 'Keep the query as a list of pairs, not as a map, and sign every pair.',
  },
  query_blank_values_dropped: {
    summary: 'Keys without a value were left out of the signed query.',
    fix: 'Keep blank values: such a key is signed as key and equals sign.',
  },
  query_blank_without_equals: {
    summary: 'A key without a value was signed without its equals sign.',
    fix: 'Write every pair as key=value, with the equals sign also when the value is empty.',
  },
  query_exclamation_mark_unencoded: {
    summary: 'The character ! was left unencoded in the signed query.',
    fix: ENCODE_MARK,
  },
  query_apostrophe_unencoded: {
    summary: "The character ' was left unencoded in the signed query.",
    fix: ENCODE_MARK,
  },
  query_open_parenthesis_unencoded: {
    summary: 'The character ( was left unencoded in the signed query.',
    fix: ENCODE_MARK,
  },
  query_close_parenthesis_unencoded: {
    summary: 'The character ) was left unencoded in the signed query.',
    fix: ENCODE_MARK,
  },
  query_asterisk_unencoded: {
    summary: 'The character * was left unencoded in the signed query.',
    fix: ENCODE_MARK,
  },
  query_marks_unencoded: {
    summary: "Several of ! ' ( ) * were left unencoded in the signed query.",
    fix: ENCODE_MARK,
  },
  query_space_as_plus: {
    summary: 'A space was signed as a plus sign.',
    fix: 'Write a space as %20, in the URL and in the canonical query; a plus sign means a plus, %2B.',
  },
  query_plus_as_space: {
    summary: 'A plus sign in the query sent was read as a space.',
    fix: 'Send a space as %20; a plus sign in the URL stays a plus and is signed as %2B.',
  },
  query_form_encoded: {
    summary: 'The query was signed in the encoding of HTML forms.',
    fix: 'Encode as a URI component does: space %20, ~ unencoded, and * as %2A.',
  },
  query_slash_unencoded: {
    summary: 'The character / was left unencoded in the signed query.',
    fix: 'Encode the slash as %2F (in Python: quote with safe="").',
  },
  query_reserved_unencoded: {
    summary: 'Reserved characters were left unencoded in the signed query.',
    fix: 'Encode everything but letters, digits and - _ . ~ in keys and values.',
  },
  query_tilde_encoded: {
    summary: 'The character ~ was percent-encoded in the signed query.',
    fix: 'Leave ~ as it is.',
  },
  query_percent_lower_case: {
    summary: 'Percent escapes were signed with lower-case hex digits.',
    fix: 'Write percent escapes with upper-case hex digits, %3A rather than %3a.',
  },
  query_double_encoded: {
    summary: 'The query was percent-encoded twice.',
    fix: 'Decode keys and values of the URL first, or encode the plain values, once.',
  },
  query_decoded: {
    summary: 'The query was signed decoded.',
    fix: 'Percent-encode keys and values in the canonical query.',
  },
  query_raw: {
    summary: 'The query was signed as it was sent.',
    fix: 'Split it into pairs, decode, sort, and encode again by the canonical rules.',
  },
  query_not_re_encoded: {
    summary: 'The query was sorted, but its escapes were left as they were sent.',
    fix: 'Decode keys and values and encode them again by the canonical rules.',
  },
} as const satisfies Record<string, MistakeText>;

export type QueryMistake = keyof typeof QUERY_MISTAKES;

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
  for (const [detail, preferred] of [
    ['the last one sent', sent.toReversed()],
    ['the first one sent', sent],
  ] as const) {
    yield { slug: 'query_duplicate_keys_dropped', pairs: oneOfEachKey(sorted, preferred), detail };
  }
  yield { slug: 'query_blank_values_dropped', pairs: filled };
}

/** Orders that few clients make. @param query raw query without `?`; well formed */
export function* rareArrangements(query: string, meter: WorkMeter): Generator<Arrangement> {
  meter.spend(2 * spellingWork(query.length));
  const sent: Pair[] = parseQuery(query);
  if (sent.length === 1) return;
  const sorted: Pair[] = parseQuery(canonicalQuery(query));
  const slug = 'query_sorted_differently';
  for (const [detail, textOf] of OTHER_RULES) {
    meter.spend(spellingWork(query.length));
    const texts = new Map(sent.map((pair) => [pair, textOf(pair)]));
    const pairs = sent.toSorted((a, b) => compareUnits(texts.get(a) ?? '', texts.get(b) ?? ''));
    yield { slug, pairs, detail, rare: true };
  }
  yield { slug, pairs: sorted.toReversed(), detail: 'descending', rare: true };
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
  const values = new Map<string, string>();
  for (const [key, value] of preferred) if (!values.has(key)) values.set(key, value);
  return [...new Set(sorted.map(([key]) => key))].map((key) => [key, values.get(key) ?? '']);
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
  for (const raw of subsets(marks)) {
    const slug = MARK_SLUGS[raw];
    if (slug) yield spelling(slug, leaving(raw));
    else {
      yield spelling('query_marks_unencoded', leaving(raw), { detail: raw, rare: raw !== all });
    }
  }
  const withPlus = (encode: Encode) => (text: string) => encode(text).replaceAll('%20', '+');
  yield spelling('query_space_as_plus', withPlus(encodeStrict));
  const slugs = ['query_space_as_plus', 'query_marks_unencoded'] as const;
  yield spelling(slugs, withPlus(leaving(ALL_MARKS)));
  yield spelling('query_slash_unencoded', leaving('/'));
  for (const raw of RESERVED.flatMap((mark) => [mark, mark + ALL_MARKS])) {
    yield spelling('query_reserved_unencoded', leaving(raw), { detail: raw, rare: true });
  }
  yield spelling('query_tilde_encoded', (text) => encodeStrict(text).replaceAll('~', '%7E'));
  yield spelling('query_percent_lower_case', (text) => lowerCaseEscapes(encodeStrict(text)));
  for (const form of FORM_ENCODINGS) yield spelling('query_form_encoded', form);
  yield spelling('query_decoded', (text) => text);
  const strictly = encodedPair(encodeStrict);
  yield {
    slugs: ['query_blank_without_equals'],
    pair: (key, value) => (value === '' ? encodeStrict(key) : strictly(key, value)),
  };
}

type Encode = (text: string) => string;

function spelling(
  slugs: QueryMistake | readonly QueryMistake[],
  encode: Encode,
  about: Pick<Spelling, 'detail' | 'rare'> = {},
): Spelling {
  return { slugs: [slugs].flat(), pair: encodedPair(encode), ...about };
}

/** Browsers and Java leave `*`, PHP does not; .NET leaves ! ( ) * and uses lower-case hex. */
const FORM_ENCODINGS: readonly Encode[] = [
  (text) => formEncoded(leaving('*')(text)),
  (text) => formEncoded(encodeStrict(text)),
  (text) => lowerCaseEscapes(formEncoded(leaving('!()*')(text))),
];

function formEncoded(encoded: string): string {
  return encoded.replaceAll('%20', '+').replaceAll('~', '%7E');
}

function lowerCaseEscapes(encoded: string): string {
  return encoded.replace(/%../g, (triplet) => triplet.toLowerCase());
}

function leaving(characters: string): Encode {
  const raw = new Map([...characters].map((char) => [encodeStrict(char), char]));
  return (text) => encodeStrict(text).replace(/%../g, (triplet) => raw.get(triplet) ?? triplet);
}

export function encodedPair(encode: Encode): Spelling['pair'] {
  return (key, value) => `${encode(key)}=${encode(value)}`;
}

/** Every choice of at least one of the marks, small choices first; at most 31. */
function subsets(marks: readonly string[]): string[] {
  let choices = [''];
  for (const mark of marks) choices = [...choices, ...choices.map((subset) => subset + mark)];
  return choices.slice(1).sort((a, b) => a.length - b.length);
}
