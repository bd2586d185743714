import { parseShallowJson } from '../kernel/json.ts';
import { escapeCharacter } from '../kernel/printable.ts';
import { canonicalQuery, encodeStrict, parseQuery } from './canonical.ts';

/** A text that clients make by mistake, and what is special about it. */
export type Spelling = readonly [text: string, detail?: string | undefined];

type Pair = readonly [key: string, value: string];

const MARKS = "!'()*";

/** Percent-encodes a text, but leaves some characters as they are. */
function encodeExcept(text: string, characters: string): string {
  const raw = new Map([...characters].map((char) => [encodeStrict(char), char]));
  return encodeStrict(text).replace(/%../g, (triplet) => raw.get(triplet) ?? triplet);
}

/** Returns all subsets of the texts except the empty one: 2ⁿ - 1 of them. */
export function choicesOf(texts: readonly string[]): string[][] {
  let choices: string[][] = [[]];
  for (const text of texts) choices = [...choices, ...choices.map((choice) => [...choice, text])];
  return choices.slice(1);
}

/** Orders of the pairs of a query: as the specification sorts them first, then as sent. */
function ordersOf(query: string): Pair[][] {
  return [parseQuery(canonicalQuery(query)), parseQuery(query)];
}

function write(pairs: readonly Pair[], encode: (text: string) => string): string {
  return pairs.map(([key, value]) => `${encode(key)}=${encode(value)}`).join('&');
}

/** The pairs of a query in the order sent. */
export const unsortedQueries = (query: string) => [write(parseQuery(query), encodeStrict)];

/** A query in which some of `! ' ( ) *`, or all characters, are left unencoded. */
export function* unencodedQueries(query: string): Generator<Spelling> {
  const canonical = canonicalQuery(query);
  const marks = [...MARKS].filter((mark) => canonical.includes(encodeStrict(mark)));
  for (const pairs of ordersOf(query)) {
    for (const choice of choicesOf(marks).map((chosen) => chosen.join(''))) {
      yield [write(pairs, (text) => encodeExcept(text, choice)), choice];
    }
    yield [write(pairs, (text) => text)];
  }
}

/** A query with `+` for a space, or with its `+` read as spaces. */
export function* queriesWithPlus(query: string): Generator<Spelling> {
  for (const pairs of ordersOf(query)) {
    // Marks that Python's `urlencode`, `URLSearchParams` and `encodeURIComponent` leave unencoded.
    for (const raw of ['', '*', MARKS]) {
      yield [write(pairs, (text) => encodeExcept(text, raw).replaceAll('%20', '+'))];
    }
  }
  yield [canonicalQuery(query.replaceAll('+', '%20'))];
}

/** JSON as common libraries write it. Empty for a text that is not JSON, or JSON of too many levels. */
export function* jsonSpellings(text: string): Generator<Spelling> {
  const value = parseShallowJson(text);
  if (value === undefined) return;
  yield [`${text}\n`, 'with a newline at its end'];
  yield* spellingsOf(value, (json) => json);
  const marked = markNumbers(text);
  if (marked !== text) yield* spellingsOf(parseShallowJson(marked), unmarkNumbers);
}

function* spellingsOf(value: unknown, finish: (json: string) => string): Generator<Spelling> {
  for (const sorted of [false, true]) {
    const json = (indent?: string | number) =>
      finish(JSON.stringify(value, sorted ? sortKeys : undefined, indent));
    const layouts: Spelling[] = [
      [json(), 'without spaces'],
      // All line breaks are between values: JSON escapes those of texts.
      [json(1).replace(/,\n */g, ', ').replace(/\n */g, ''), 'with a space after , and :'],
      [json(2), 'indented by 2'],
      [`${json(2)}\n`, 'indented by 2, with a newline at its end'],
      [json(4), 'indented by 4'],
      [`${json(4)}\n`, 'indented by 4, with a newline at its end'],
      [json('\t'), 'indented by a tab'],
    ];
    for (const [line, layout] of layouts) {
      for (const [escapeText, name] of ESCAPES) {
        const details = [layout, sorted ? 'keys sorted' : '', name];
        yield [escapeText(line), details.filter(Boolean).join(', ')];
      }
    }
  }
}

/** Makes numbers that JavaScript would write in another way, such as 1.0, texts. @param json valid JSON */
function markNumbers(json: string): string {
  // The last quote is optional, so that any text takes linear time.
  return json.replace(/"(?:[^"\\]|\\.)*"?|-?\d[\d.eE+-]*/g, (token) =>
    token.startsWith('"') || String(Number(token)) === token ? token : `"\\u0000${token}"`,
  );
}

function unmarkNumbers(json: string): string {
  return json.replace(/"\\u0000([^"]*)"/g, '$1');
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const escapeUnicode = (text: string) => text.replace(/[\u007f-\uffff]/g, escapeCharacter);
const escapeSlashes = (text: string) => text.replaceAll('/', '\\/');

/** What JavaScript, Python, PHP and Go escape in texts. */
const ESCAPES: readonly [escape: (text: string) => string, name: string][] = [
  [(text) => text, ''],
  [escapeUnicode, '\\uXXXX escapes'],
  [(text) => escapeSlashes(escapeUnicode(text)), '\\/ and \\uXXXX escapes'],
  [escapeSlashes, '\\/ escapes'],
  [(text) => text.replace(/[<>&\u2028\u2029]/g, escapeCharacter), '< > & escaped'],
];
