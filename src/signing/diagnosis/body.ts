import { hash } from 'node:crypto';
import { type Node, parseTree } from 'jsonc-parser';
import { EMPTY_BODY_SHA256, sha256Hex } from '../signature.ts';
import {
  digestWork,
  type Lines,
  type MistakeText,
  type SigningMistake,
  spellingWork,
  type WorkMeter,
} from './mistake.ts';

const EMPTY_BODY_FIX =
  'Without a body, sign the SHA-256 of nothing, e3b0c442…b855; serialize only what is sent.';

export const BODY_MISTAKES = {
  body_hash_left_empty: {
    summary: 'The BODY_SHA256_HEX line was left empty.',
    fix: 'End with the hash of the body; without a body that is the SHA-256 of nothing.',
  },
  body_instead_of_hash: {
    summary: 'The body itself was signed on the last line, not its hash.',
    fix: 'Put the lower-case hex SHA-256 of the body there.',
  },
  body_ignored: {
    summary: 'The hash of an empty body was signed, although the request has a body.',
    fix: 'Hash the bytes that are sent as the body.',
  },
  body_of_get_hashed: {
    summary: 'The body of a GET or HEAD request was hashed.',
    fix: 'For GET and HEAD sign the SHA-256 of an empty body, even if the request has one.',
  },
  empty_body_as_braces: { summary: 'An empty body was hashed as {}.', fix: EMPTY_BODY_FIX },
  empty_body_as_quotes: { summary: 'An empty body was hashed as "".', fix: EMPTY_BODY_FIX },
  empty_body_as_brackets: { summary: 'An empty body was hashed as [].', fix: EMPTY_BODY_FIX },
  empty_body_as_null: { summary: 'An empty body was hashed as null.', fix: EMPTY_BODY_FIX },
  empty_body_as_undefined: {
    summary: 'An empty body was hashed as the text of a missing value.',
    fix: EMPTY_BODY_FIX,
  },
  body_trailing_newline: {
    summary: 'The body signed and the body sent differ in white space at the end.',
    fix: 'Sign and send the same bytes; reading a file or a line may add or trim a newline.',
  },
  body_re_serialized: {
    summary: 'The hashed body and the body sent are different spellings of the same JSON.',
    fix: 'Serialize once, hash those bytes and send those bytes.',
  },
  body_stringified_twice: {
    summary: 'The body was hashed as a JSON string of itself.',
    fix: 'Do not serialize text that is JSON already.',
  },
  body_in_other_charset: {
    summary: 'The body was hashed in a different character encoding than it was sent in.',
    fix: 'Encode the body as UTF-8 without byte order mark, and hash those bytes.',
  },
  body_hash_upper_case: {
    summary: 'The body hash was signed in upper-case hex.',
    fix: 'Write the hash in lower-case hex.',
  },
  body_hash_base64: {
    summary: 'The body hash was signed in base64.',
    fix: 'Write the hash in lower-case hex.',
  },
  body_hash_other_algorithm: {
    summary: 'The body hash was made with another hash function.',
    fix: 'Hash the body with SHA-256.',
  },
} as const satisfies Record<string, MistakeText>;

type BodyMistake = keyof typeof BODY_MISTAKES;
type BodySigningMistake = SigningMistake<BodyMistake>;

const EMPTY_BODY_TEXTS: readonly [slug: BodyMistake, text: string][] = [
  ['empty_body_as_braces', '{}'],
  ['empty_body_as_quotes', '""'],
  ['empty_body_as_brackets', '[]'],
  ['empty_body_as_null', 'null'],
  ['empty_body_as_undefined', 'undefined'],
  ['empty_body_as_undefined', 'None'],
  ['body_trailing_newline', '\n'],
];

export function* bodyMistakes(
  right: Lines,
  body: Uint8Array,
  meter: WorkMeter,
): Generator<BodySigningMistake> {
  const hashing = (
    slug: BodyMistake,
    text: string | Uint8Array,
    about: Pick<BodySigningMistake, 'detail' | 'rare'> = {},
  ): BodySigningMistake => {
    meter.spend(digestWork(text.length));
    return { slugs: [slug], lines: { bodySha256: sha256Hex(text) }, ...about };
  };
  yield { slugs: ['body_hash_left_empty'], lines: { bodySha256: '' } };
  if (right.bodySha256 === EMPTY_BODY_SHA256) {
    for (const [slug, text] of EMPTY_BODY_TEXTS) yield hashing(slug, text);
    if (body.length > 0) yield hashing('body_of_get_hashed', body);
    yield* hashSpellings(right, new Uint8Array(), meter);
    return;
  }
  yield hashing('body_ignored', '');
  yield* hashSpellings(right, body, meter);
  meter.spend(digestWork(body.length));
  const text = utf8(body);
  if (text === undefined) return;
  yield { slugs: ['body_instead_of_hash'], lines: { bodySha256: text }, rare: true };
  for (const variant of [text.trimEnd(), `${text}\n`, `${text}\r\n`]) {
    yield hashing('body_trailing_newline', variant);
  }
  for (const { text: spelled, ...about } of jsonSpellings(text, meter)) {
    yield hashing('body_re_serialized', spelled, about);
  }
  yield hashing('body_stringified_twice', JSON.stringify(text), { rare: true });
  for (const charset of ['latin1', 'utf16le'] as const) {
    yield hashing('body_in_other_charset', Buffer.from(text, charset), { rare: true });
  }
  yield hashing('body_in_other_charset', `\ufeff${text}`, { rare: true });
}

function* hashSpellings(
  right: Lines,
  body: Uint8Array,
  meter: WorkMeter,
): Generator<BodySigningMistake> {
  const digest = Buffer.from(right.bodySha256, 'hex');
  yield {
    slugs: ['body_hash_upper_case'],
    lines: { bodySha256: right.bodySha256.toUpperCase() },
  };
  yield { slugs: ['body_hash_base64'], lines: { bodySha256: digest.toString('base64') } };
  yield { slugs: ['body_hash_base64'], lines: { bodySha256: digest.toString('base64url') } };
  for (const name of ['sha1', 'sha384', 'sha512']) {
    meter.spend(2 * digestWork(body.length));
    yield {
      slugs: ['body_hash_other_algorithm'],
      lines: { bodySha256: hash(name, body, 'hex') },
      detail: name,
      rare: true,
    };
  }
}

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

interface JsonSpelling {
  text: string;
  detail: string;
  rare?: true;
}

/** Writes JSON as common libraries do, likely ones first, each text once. Yields nothing for a text that is not JSON. */
function* jsonSpellings(text: string, meter: WorkMeter): Generator<JsonSpelling> {
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
  const spendWork = (): void => meter.spend(2 * spellingWork(text.length));
  const plain: JsonSpelling[] = [];
  for (const indent of [0, 2, 4]) {
    spendWork();
    const spelling = JSON.stringify(value, null, indent);
    plain.push({ text: spelling, detail: `JSON.stringify, indent ${indent}` });
    yield* plain.slice(-1);
  }
  for (const spelling of styled(json, [['', asIs]], spendWork)) {
    plain.push(spelling);
    yield spelling;
  }
  for (const { text: line, detail } of plain) {
    yield { text: `${line}\n`, detail: `${detail}, newline at the end`, rare: true };
  }
  for (const spelling of styled(json, ESCAPES, spendWork)) yield { ...spelling, rare: true };
  // 149900.0 read and written by JavaScript is 149900.
  const normalized = readJson(JSON.stringify(value));
  if (normalized === undefined) return;
  for (const { text: line, detail } of styled(normalized, [['', asIs], ...ESCAPES], spendWork)) {
    yield { text: line, detail: `${detail}, numbers normalized`, rare: true };
  }
}

type Escape = readonly [detail: string, escape: (literal: string) => string];

/** @param spendWork called before each text is written */
function* styled(
  json: Json,
  escapes: readonly Escape[],
  spendWork: () => void,
): Generator<JsonSpelling> {
  for (const [layout, style] of LAYOUTS) {
    for (const sorted of [false, true]) {
      for (const [name, escaping] of escapes) {
        spendWork();
        const detail = [layout, sorted ? 'keys sorted' : '', name].filter(Boolean).join(', ');
        const text = writeJson(json, { ...style, sorted, escape: escaping });
        yield { text, detail };
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

function byKey(left: Node, right: Node): number {
  const [a, b] = [keyOf(left), keyOf(right)];
  return a < b ? -1 : Number(a > b);
}

function keyOf({ children: [key] = [] }: Node): string {
  return String(key?.value);
}
