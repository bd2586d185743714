import { canonicalQuery, encodeStrict, parseQuery } from '../canonical.ts';
import { spellings } from './query-encoding.ts';
import type { QueryMistake } from './query-mistakes.ts';
import { arrangements, type Pair } from './query-order.ts';
import type { Lines, Slip } from './slip.ts';

type QuerySlip = Slip<QueryMistake>;

/** For a longer query a wrong order and a wrong encoding are not tried together; it bounds the work. */
const LONGEST_QUERY_CROSSED = 2048;

/**
 * Other spellings of the line QUERY_STRING: a wrong order, a wrong encoding, then both at once.
 * @param query raw query as sent, without `?`; well formed
 */
export function* querySlips(right: Lines, query: string): Generator<QuerySlip> {
  if (query === '') {
    yield { slugs: ['query_with_question_mark'], lines: { query: '?' }, rare: true };
    return;
  }
  yield { slugs: ['query_left_out'], lines: { query: '' } };
  yield { slugs: ['query_with_question_mark'], lines: { query: `?${right.query}` } };
  yield { slugs: ['query_with_question_mark'], lines: { query: `?${query}` }, rare: true };
  yield* readDifferently(query);

  const sorted = parseQuery(right.query);
  const orders = [...arrangements(query)].filter(
    ({ pairs }) => joined(pairs, strictly) !== right.query,
  );
  const encodings = [...spellings(right.query)].filter(
    ({ pair }) => joined(sorted, pair) !== right.query,
  );
  for (const { slug, pairs, ...about } of orders) {
    yield { slugs: [slug], lines: { query: joined(pairs, strictly) }, ...about };
  }
  for (const { slugs, pair, ...about } of encodings) {
    yield { slugs, lines: { query: joined(sorted, pair) }, ...about };
  }
  yield* unprocessed(query, right.query);
  if (query.length > LONGEST_QUERY_CROSSED) return;
  for (const order of orders) {
    for (const encoding of encodings) {
      const line = joined(order.pairs, encoding.pair);
      yield { slugs: [order.slug, ...encoding.slugs], lines: { query: line }, rare: true };
    }
  }
}

/** `+` read as a space, as HTML forms have it. */
function* readDifferently(query: string): Generator<QuerySlip> {
  if (!query.includes('+')) return;
  const read = query.replaceAll('+', '%20');
  const line = canonicalQuery(read);
  yield { slugs: ['query_space_as_plus'], lines: { query: line.replaceAll('%20', '+') } };
  yield { slugs: ['query_plus_as_space'], lines: { query: line } };
  const inOrderSent = joined(parseQuery(read), strictly);
  yield { slugs: ['query_unsorted', 'query_plus_as_space'], lines: { query: inOrderSent } };
}

/** The text of the URL used with little or no change. */
function* unprocessed(query: string, canonical: string): Generator<QuerySlip> {
  yield { slugs: ['query_raw'], lines: { query } };
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

function joined(pairs: readonly Pair[], pair: (key: string, value: string) => string): string {
  return pairs.map(([key, value]) => pair(key, value)).join('&');
}

function strictly(key: string, value: string): string {
  return `${encodeStrict(key)}=${encodeStrict(value)}`;
}
