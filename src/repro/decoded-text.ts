/** A change of a text: from inclusive, to exclusive. */
export interface Edit {
  from: number;
  to: number;
  text: string;
}

/** Levels of escapes that are undone: a body in a JSON document in a query, and one more. */
const MAX_LEVELS = 4;

const ESCAPE = /(?:%[0-9a-f]{2})+|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\["\\/bfnrt]/gi;
const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** A text without one level of escapes. */
interface Decoded {
  text: string;
  /** Where each character, and the end, is in the escaped text. */
  origins: Uint32Array;
}

/**
 * Changes what `find` returns for a text, also inside percent and JSON escapes, which keep their spelling. What is found
 * inside more escapes comes first.
 * @param find returns edits in order, without overlaps
 */
export function editDecoded(text: string, find: (decoded: string) => Edit[]): string {
  return withEdits(text, editsOf(text, find, MAX_LEVELS));
}

/** Calls `visit` with a text, and with the text without each level of escapes. */
export function visitDecoded(text: string, visit: (decoded: string) => void): void {
  let level: string | undefined = text;
  for (let depth = 0; level !== undefined && depth <= MAX_LEVELS; depth += 1) {
    visit(level);
    level = decode(level)?.text;
  }
}

function editsOf(text: string, find: (decoded: string) => Edit[], levels: number): Edit[] {
  const decoded = levels > 0 ? decode(text) : undefined;
  const inner = decoded ? editsOf(decoded.text, find, levels - 1) : [];
  const outer = decoded ? inner.map((edit) => escapedEdit(text, decoded, edit)) : [];
  return mergeEdits(outer, find(text));
}

/** Adds the edits that overlap no preferred one. Both lists are in order. */
export function mergeEdits(preferred: readonly Edit[], others: readonly Edit[]): Edit[] {
  const merged: Edit[] = [];
  let at = 0;
  for (const edit of preferred) {
    for (; (others[at]?.from ?? Number.POSITIVE_INFINITY) < edit.to; at += 1) {
      const other = others[at];
      if (other && other.to <= edit.from) merged.push(other);
    }
    merged.push(edit);
  }
  return [...merged, ...others.slice(at)];
}

/** As `editDecoded`, for a form: a plus is a space. */
export function editForm(text: string, find: (decoded: string) => Edit[]): string {
  const edits = editsOf(text.replaceAll('+', ' '), find, MAX_LEVELS);
  return withEdits(
    text,
    edits.map((edit) => ({ ...edit, text: edit.text.replaceAll(' ', '+') })),
  );
}

function withEdits(text: string, edits: readonly Edit[]): string {
  let changed = '';
  let end = 0;
  for (const edit of edits) {
    changed += text.slice(end, edit.from) + edit.text;
    end = edit.to;
  }
  return end === 0 ? text : changed + text.slice(end);
}

/** Spells an edit of the decoded text in the escapes of the original. */
function escapedEdit(text: string, { text: inner, origins }: Decoded, edit: Edit): Edit {
  const rawAt = (index: number) => origins[index] ?? text.length;
  const from = rawAt(edit.from);
  const to = rawAt(edit.to);
  const old = inner.slice(edit.from, edit.to);
  if (to - from === old.length) return { from, to, text: edit.text };
  let spelled = '';
  for (let at = 0; at < edit.text.length; ) {
    const char = String.fromCodePoint(edit.text.codePointAt(at) ?? 0);
    const raw = text.slice(rawAt(edit.from + at), rawAt(edit.from + at + char.length));
    const isSame = old.startsWith(char, at);
    spelled += isSame && at + char.length <= old.length ? raw : escapedLike(raw, char);
    at += char.length;
  }
  return { from, to, text: spelled };
}

/** Escapes a character as `raw` is escaped. */
function escapedLike(raw: string, char: string): string {
  if (raw.startsWith('%')) {
    const hex = Buffer.from(char).toString('hex').replace(/../g, '%$&');
    return /[A-F]/.test(raw) ? hex.toUpperCase() : hex;
  }
  if (/^\\u/i.test(raw)) {
    return [...Array(char.length).keys()]
      .map((at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join('');
  }
  if (/^\\x/i.test(raw)) return `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
  return char;
}

/** @returns undefined if there are no escapes */
function decode(text: string): Decoded | undefined {
  if (!/[%\\]/.test(text)) return undefined;
  const pieces: string[] = [];
  const origins: number[] = [];
  let end = 0;
  const copyTo = (index: number) => {
    pieces.push(text.slice(end, index));
    for (let at = end; at < index; at += 1) origins.push(at);
  };
  for (const { 0: raw, index } of text.matchAll(ESCAPE)) {
    copyTo(index);
    if (raw.startsWith('%')) decodePercent(raw, index, pieces, origins);
    else {
      pieces.push(charOf(raw));
      origins.push(index);
    }
    end = index + raw.length;
  }
  if (end === 0) return undefined;
  copyTo(text.length);
  origins.push(text.length);
  return { text: pieces.join(''), origins: Uint32Array.from(origins) };
}

function charOf(raw: string): string {
  const kind = raw.charAt(1);
  if (/[ux]/i.test(kind)) return String.fromCharCode(Number.parseInt(raw.slice(2), 16));
  return CONTROLS[kind] ?? kind;
}

/** Decodes a run of percent escapes as UTF-8, or bytewise if it is not. */
function decodePercent(raw: string, index: number, pieces: string[], origins: number[]): void {
  const bytes = Buffer.from(raw.replaceAll('%', ''), 'hex');
  const text = bytes.toString();
  const isUtf8 = Buffer.from(text).equals(bytes);
  let byte = 0;
  for (const char of isUtf8 ? text : bytes.toString('latin1')) {
    pieces.push(char);
    for (let unit = 0; unit < char.length; unit += 1) origins.push(index + byte * 3);
    byte += isUtf8 ? Buffer.byteLength(char) : 1;
  }
}
