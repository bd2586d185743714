import { type Node, parseTree } from 'jsonc-parser';
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

/** JSON as text with its tree: JSON.parse keeps neither numbers as they were written nor the order of all properties. */
interface Json {
  text: string;
  tree: Node;
}

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
const STRING = /"(?:[^"\\]+|\\.)*"?/g;

/** @returns undefined for a text that is not JSON, or is nested deeper than 50 levels */
function readJson(text: string): Json | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  const tree = depthOf(text) > MAX_DEPTH ? undefined : parseTree(text);
  return tree && { text, tree };
}

function depthOf(text: string): number {
  let depth = 0;
  let most = 0;
  for (const [bracket] of text.replaceAll(STRING, '').matchAll(/[{}[\]]/g)) {
    depth += bracket === '{' || bracket === '[' ? 1 : -1;
    most = Math.max(most, depth);
  }
  return most;
}

/** Writes JSON in a style; keys are sorted by UTF-16 unit, as most libraries do. */
function writeJson({ text, tree }: Json, style: Style, margin = ''): string {
  const { type, offset, length, children = [] } = tree;
  const inner = margin + style.indent;
  const write = (node: Node) => writeJson({ text, tree: node }, style, inner);
  switch (type) {
    case 'object': {
      const sorted = style.sorted ? children.toSorted(byKey) : children;
      return enclosed('{', sorted.map(write), '}', style, margin);
    }
    case 'array':
      return enclosed('[', children.map(write), ']', style, margin);
    case 'property':
      return children
        .map((node) => writeJson({ text, tree: node }, style, margin))
        .join(style.colon);
    case 'string':
      return style.escape(JSON.stringify(tree.value));
    default:
      return text.slice(offset, offset + length);
  }
}

function enclosed(open: string, parts: string[], close: string, style: Style, margin: string) {
  if (parts.length === 0) return open + close;
  if (style.indent === '') return open + parts.join(style.comma) + close;
  const newline = `\n${margin}${style.indent}`;
  return `${open}${newline}${parts.join(style.comma + newline)}\n${margin}${close}`;
}

function byKey(one: Node, other: Node): number {
  const [a, b] = [keyOf(one), keyOf(other)];
  return a < b ? -1 : Number(a > b);
}

function keyOf({ children: [key] = [] }: Node): string {
  return String(key?.value);
}
