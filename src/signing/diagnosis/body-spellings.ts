import { type Json, readJson, type Style, writeJson } from './json-text.ts';
import { spellingWork, type WorkMeter } from './work.ts';

export interface JsonSpelling {
  text: string;
  about: { detail: string; rare: boolean };
}

/**
 * The same JSON in the spellings of common libraries; most likely first, each text once.
 * @param text what was sent; nothing comes of a text that is not JSON
 */
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
