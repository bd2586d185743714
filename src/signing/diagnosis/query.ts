import { canonicalQuery, encodeStrict, parseQuery } from '../canonical.ts';
import {
  type Lines,
  type MistakeText,
  type SigningMistake,
  spellingWork,
  type WorkMeter,
} from './mistake.ts';
import {
  type Arrangement,
  arrangements,
  type Pair,
  rareArrangements,
  type Spelling,
  spellings,
} from './query-spellings.ts';

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

type QuerySigningMistake = SigningMistake<QueryMistake>;

/**
 * Wrong lines QUERY_STRING: a wrong order, a wrong encoding, then both.
 * @param query raw query as sent, without `?`; well formed
 */
export function* queryMistakes(
  right: Lines,
  query: string,
  meter: WorkMeter,
): Generator<QuerySigningMistake> {
  if (query === '') {
    yield { slugs: ['query_with_question_mark'], lines: { query: '?' }, rare: true };
    return;
  }
  const write = (pairs: readonly Pair[], pair: PairWriter) => {
    meter.spend(spellingWork(right.query.length));
    return joined(pairs, pair);
  };
  yield { slugs: ['query_left_out'], lines: { query: '' } };
  yield { slugs: ['query_with_question_mark'], lines: { query: `?${right.query}` } };
  yield { slugs: ['query_with_question_mark'], lines: { query: `?${query}` }, rare: true };
  yield* readDifferently(query, meter);

  const orders: Arrangement[] = [];
  function* ordered(arranged: Iterable<Arrangement>): Generator<QuerySigningMistake> {
    for (const order of arranged) {
      const { slug, pairs, ...about } = order;
      const line = write(pairs, strictly);
      if (line === right.query) continue;
      orders.push(order);
      yield { slugs: [slug], lines: { query: line }, ...about };
    }
  }
  yield* ordered(arrangements(query, meter));
  const sorted = parseQuery(right.query);
  const encodings: Spelling[] = [];
  for (const encoding of spellings(right.query)) {
    const { slugs, pair, ...about } = encoding;
    const line = write(sorted, pair);
    if (line === right.query) continue;
    encodings.push(encoding);
    yield { slugs, lines: { query: line }, ...about };
  }
  yield* ordered(rareArrangements(query, meter));
  yield* unprocessed(query, right.query, meter);
  for (const order of orders) {
    for (const encoding of encodings) {
      const line = write(order.pairs, encoding.pair);
      yield { slugs: [order.slug, ...encoding.slugs], lines: { query: line }, rare: true };
    }
  }
}

/** Reads `+` as a space, like HTML forms. */
function* readDifferently(query: string, meter: WorkMeter): Generator<QuerySigningMistake> {
  if (!query.includes('+')) return;
  meter.spend(4 * spellingWork(query.length));
  const read = query.replaceAll('+', '%20');
  const line = canonicalQuery(read);
  yield { slugs: ['query_space_as_plus'], lines: { query: line.replaceAll('%20', '+') } };
  yield { slugs: ['query_plus_as_space'], lines: { query: line } };
  const inOrderSent = joined(parseQuery(read), strictly);
  yield { slugs: ['query_unsorted', 'query_plus_as_space'], lines: { query: inOrderSent } };
}

/** Uses the text of the URL with little or no change. */
function* unprocessed(
  query: string,
  canonical: string,
  meter: WorkMeter,
): Generator<QuerySigningMistake> {
  yield { slugs: ['query_raw'], lines: { query } };
  meter.spend(6 * spellingWork(query.length));
  const segments = query.split('&');
  yield { slugs: ['query_not_re_encoded'], lines: { query: segments.toSorted().join('&') } };
  const twice = joined(parseQuery(canonical.replaceAll('%', '%25')), strictly);
  yield { slugs: ['query_double_encoded'], lines: { query: twice } };
  yield {
    slugs: ['query_double_encoded'],
    lines: { query: encodeURIComponent(canonical) },
    rare: true,
  };
  const read = new URLSearchParams(query);
  yield { slugs: ['query_form_encoded'], lines: { query: read.toString() }, rare: true };
  read.sort();
  yield { slugs: ['query_form_encoded'], lines: { query: read.toString() }, rare: true };
}

type PairWriter = (key: string, value: string) => string;

function joined(pairs: readonly Pair[], pair: PairWriter): string {
  return pairs.map(([key, value]) => pair(key, value)).join('&');
}

function strictly(key: string, value: string): string {
  return `${encodeStrict(key)}=${encodeStrict(value)}`;
}
