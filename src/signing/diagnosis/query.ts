import { canonicalQuery, encodeStrict, parseQuery } from '../canonical.ts';
import { type Lines, type SigningMistake, spellingWork, type WorkMeter } from './mistake.ts';
import {
  type Arrangement,
  arrangements,
  encodedPair,
  type Pair,
  type QueryMistake,
  rareArrangements,
  type Spelling,
  spellings,
} from './query-spellings.ts';

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
  const write = (pairs: readonly Pair[], pair: Spelling['pair']) => {
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
  const whole = encodeURIComponent(canonical);
  yield { slugs: ['query_double_encoded'], lines: { query: whole }, rare: true };
  const read = new URLSearchParams(query);
  yield { slugs: ['query_form_encoded'], lines: { query: read.toString() }, rare: true };
  read.sort();
  yield { slugs: ['query_form_encoded'], lines: { query: read.toString() }, rare: true };
}

function joined(pairs: readonly Pair[], pair: Spelling['pair']): string {
  return pairs.map(([key, value]) => pair(key, value)).join('&');
}

const strictly = encodedPair(encodeStrict);
