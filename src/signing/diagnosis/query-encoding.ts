import { encodeStrict } from '../canonical.ts';
import type { QueryMistake } from './query-mistakes.ts';

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
/** What encodeURI, axios and others leave alone. */
const RESERVED = [':', ',', '@', '$', ';', '?', '[]', ':/', ':@', ':$,', ':$,[]', ';/?:@&=+$,#'];

/**
 * The ways in which clients encode one pair, other than the right one.
 * @param canonical canonical query, to see which characters matter
 */
export function* spellings(canonical: string): Generator<Spelling> {
  const marks = [...ALL_MARKS].filter((mark) => canonical.includes(encodeStrict(mark)));
  for (const left of subsets(marks)) {
    const slug = left.length === 1 ? MARK_SLUGS[left] : 'query_marks_unencoded';
    const rare = left.length > 1 && left.length < marks.length;
    if (slug) yield { slugs: [slug], pair: each(leaving(left)), detail: left, rare };
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

/** `*` left and not (browsers and Java, PHP), and .NET's with lower-case hex and ! ( ) * left. */
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

/** Every choice of at least one of the marks, the small ones first; at most 31. */
function subsets(marks: readonly string[]): string[] {
  let chosen = [''];
  for (const mark of marks) chosen = [...chosen, ...chosen.map((others) => others + mark)];
  return chosen.slice(1).sort((a, b) => a.length - b.length);
}
