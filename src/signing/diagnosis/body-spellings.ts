import { spellingWork, type WorkMeter } from './mistake.ts';

interface JsonSpelling {
  text: string;
  about: { detail: string; rare: boolean };
}

/** Writes JSON as common libraries do, likely ones first, each text once. Yields nothing for a text that is not JSON. */
export function* jsonSpellings(text: string, meter: WorkMeter): Generator<JsonSpelling> {
  const seen = new Set([text]);
  for (const spelling of allSpellings(text, meter)) {
    if (seen.has(spelling.text)) continue;
    seen.add(spelling.text);
    yield spelling;
  }
}

function* allSpellings(text: string, meter: WorkMeter): Generator<JsonSpelling> {
  meter.spend(3 * spellingWork(text.length));
  const json = readJson(text);
  if (json === undefined) return;
  const value: unknown = JSON.parse(text);
  const written = (): void => meter.spend(2 * spellingWork(text.length));
  const plain: JsonSpelling[] = [];
  for (const spelling of chained(
    byJavaScript(value, written),
    styled(json, [['', asIs]], written),
  )) {
    plain.push(spelling);
    yield spelling;
  }
  for (const { text: line, about } of plain) {
    const detail = `${about.detail}, newline at the end`;
    yield { text: `${line}\n`, about: { detail, rare: true } };
  }
  for (const { text: line, about } of styled(json, ESCAPES, written)) {
    yield { text: line, about: { ...about, rare: true } };
  }
  // 149900.0 read and written by JavaScript is 149900.
  const normalized = readJson(JSON.stringify(value));
  if (normalized === undefined) return;
  for (const { text: line, about } of styled(normalized, [['', asIs], ...ESCAPES], written)) {
    yield { text: line, about: { detail: `${about.detail}, numbers normalized`, rare: true } };
  }
}

function* chained<T>(...parts: Iterable<T>[]): Generator<T> {
  for (const part of parts) yield* part;
}

/** @param written called before each text is written */
function* byJavaScript(value: unknown, written: () => void): Generator<JsonSpelling> {
  for (const indent of [0, 2, 4]) {
    written();
    yield {
      text: JSON.stringify(value, null, indent),
      about: { detail: `JSON.stringify, indent ${indent}`, rare: false },
    };
  }
}

type Escape = readonly [detail: string, escape: (literal: string) => string];

function* styled(
  json: Json,
  escapes: readonly Escape[],
  written: () => void,
): Generator<JsonSpelling> {
  for (const [layout, style] of LAYOUTS) {
    for (const sorted of [false, true]) {
      for (const [name, escaping] of escapes) {
        written();
        const detail = [layout, sorted ? 'keys sorted' : '', name].filter(Boolean).join(', ');
        const text = writeJson(json, { ...style, sorted, escape: escaping });
        yield { text, about: { detail, rare: false } };
      }
    }
  }
}

const LAYOUTS: readonly [detail: string, style: Pick<Style, 'comma' | 'colon' | 'indent'>][] = [
  ['compact', { comma: ',', colon: ':', indent: '' }],
  ["separators ', ' and ': '", { comma: ', ', colon: ': ', indent: '' }],
  ['indented by 2', { comma: ',', colon: ': ', indent: '  ' }],
  ['indented by 4', { comma: ',', colon: ': ', indent: '    ' }],
  ['indented by tab', { comma: ',', colon: ': ', indent: '\t' }],
];

/** Python, PHP (with and without Unicode), Go and .NET, in this order. */
const ESCAPES: readonly Escape[] = [
  ['\\uXXXX escapes', unicodeEscaped],
  ['\\/ and \\uXXXX escapes', (literal) => unicodeEscaped(literal).replaceAll('/', '\\/')],
  ['\\/ escapes', (literal) => literal.replaceAll('/', '\\/')],
  ['< > & escaped', (literal) => literal.replace(/[<>&\u2028\u2029]/g, escapeOf)],
  ['upper-case \\uXXXX escapes', dotNetEscaped],
];

function asIs(literal: string): string {
  return literal;
}

function unicodeEscaped(literal: string): string {
  return literal.replace(/[\u007f-\uffff]/g, escapeOf);
}

function dotNetEscaped(literal: string): string {
  return literal
    .replace(/\\./g, (pair) => (pair === '\\"' ? '\\u0022' : pair))
    .replace(/[<>&'+`\u007f-\uffff]/g, (unit) => `\\u${hex(unit).toUpperCase()}`);
}

function escapeOf(unit: string): string {
  return `\\u${hex(unit)}`;
}

function hex(unit: string): string {
  return unit.charCodeAt(0).toString(16).padStart(4, '0');
}

/** JSON with numbers as they were written and properties in the order sent, which JSON.parse does not keep. */
export type Json =
  | { literal: string }
  | { text: string }
  | { items: readonly Json[] }
  | { properties: readonly (readonly [key: string, value: Json])[] };

interface Style {
  comma: string;
  colon: string;
  /** Indentation per level; empty for a single line. */
  indent: string;
  sorted: boolean;
  /** Applied to every string literal, quotes included. */
  escape: (literal: string) => string;
}

/** No request of the API is deeper; this bounds the recursion. */
const MAX_DEPTH = 50;
const TOKEN = /"(?:[^"\\]+|\\.)*"?|[{}[\],:]|[^\s{}[\],:"]+/g;

/** @returns undefined for a text that is not JSON, or is nested deeper than 50 levels */
export function readJson(text: string): Json | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const tokens = text.match(TOKEN) ?? [];
  if (depthOf(tokens) > MAX_DEPTH) return undefined;
  return readValue(tokens[Symbol.iterator]());
}

function depthOf(tokens: readonly string[]): number {
  let depth = 0;
  let most = 0;
  for (const token of tokens) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    most = Math.max(most, depth);
  }
  return most;
}

/** Expects the tokens of valid JSON. */
function readValue(tokens: Iterator<string>, first = next(tokens)): Json {
  if (first === '[') return { items: readItems(tokens) };
  if (first === '{') return { properties: readProperties(tokens) };
  return first.startsWith('"') ? { text: JSON.parse(first) } : { literal: first };
}

function readItems(tokens: Iterator<string>): Json[] {
  const items: Json[] = [];
  for (let token = next(tokens); token !== ']' && token !== ''; token = next(tokens)) {
    if (token !== ',') items.push(readValue(tokens, token));
  }
  return items;
}

function readProperties(tokens: Iterator<string>): [string, Json][] {
  const properties: [string, Json][] = [];
  for (let token = next(tokens); token !== '}' && token !== ''; token = next(tokens)) {
    if (token === ',') continue;
    next(tokens); // the colon
    properties.push([JSON.parse(token), readValue(tokens)]);
  }
  return properties;
}

function next(tokens: Iterator<string>): string {
  const { value, done } = tokens.next();
  return done ? '' : value;
}

/** Writes JSON in a style; keys are sorted by UTF-16 unit, as most libraries do. */
export function writeJson(json: Json, style: Style, margin = ''): string {
  if ('literal' in json) return json.literal;
  if ('text' in json) return style.escape(JSON.stringify(json.text));
  const inner = margin + style.indent;
  if ('items' in json) {
    const items = json.items.map((item) => writeJson(item, style, inner));
    return enclosed('[', items, ']', style, margin);
  }
  const properties = style.sorted ? json.properties.toSorted(byKey) : json.properties;
  const texts = properties.map(
    ([key, value]) =>
      style.escape(JSON.stringify(key)) + style.colon + writeJson(value, style, inner),
  );
  return enclosed('{', texts, '}', style, margin);
}

function enclosed(open: string, parts: string[], close: string, style: Style, margin: string) {
  if (parts.length === 0) return open + close;
  if (style.indent === '') return open + parts.join(style.comma) + close;
  const newline = `\n${margin}${style.indent}`;
  return `${open}${newline}${parts.join(style.comma + newline)}\n${margin}${close}`;
}

function byKey([a]: readonly [string, Json], [b]: readonly [string, Json]): number {
  return a < b ? -1 : Number(a > b);
}
