/** A text with some levels of escapes undone, possibly none. */
export interface Level {
  text: string;
  /** Returns the index of each character, and of the end, in the original text; undefined for the original text. */
  origins(): Uint32Array | undefined;
}

/** Levels of escapes that are undone: a body in a JSON document in a query, and one more. */
const MAX_LEVELS = 4;
/** Percent escapes, those of JSON and JavaScript, and the zero bytes of UTF-16. */
const ESCAPE = /%[0-9a-f]{2}|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\["\\/bfnrt]|\0+/gi;
const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

/** Yields a text, then the text without one level of escapes after the other. */
export function* levelsOf(text: string): Generator<Level> {
  let level: Level | undefined = { text, origins: () => undefined };
  for (let depth = 0; level !== undefined; depth += 1) {
    yield level;
    level = depth < MAX_LEVELS ? unescaped(level) : undefined;
  }
}

/**
 * Undoes escapes. Each byte of a percent escape becomes a character; unknown escapes stay.
 * @returns undefined if there are none
 */
function unescaped(level: Level): Level | undefined {
  if (!/[%\\\0]/.test(level.text)) return undefined;
  const text = level.text.replace(ESCAPE, charOf);
  if (text.length === level.text.length) return undefined;
  let origins: Uint32Array | undefined;
  return {
    text,
    origins: () => {
      origins ??= originsOf(level, text.length);
      return origins;
    },
  };
}

function charOf(raw: string): string {
  if (raw.startsWith('\0')) return '';
  const kind = raw.charAt(1);
  if (raw.length === 2) return CONTROLS[kind.toLowerCase()] ?? kind;
  return String.fromCharCode(Number.parseInt(raw.slice(raw.startsWith('%') ? 1 : 2), 16));
}

/** Parses the escapes a second time: only texts with findings need origins, and few have any. */
function originsOf({ text, origins }: Level, length: number): Uint32Array {
  const before = origins();
  const positions = new Uint32Array(length + 1);
  let [index, at] = [0, 0];
  const add = (end: number) => {
    for (; at < end; at += 1, index += 1) positions[index] = before?.[at] ?? at;
  };
  for (const { 0: raw, index: start } of text.matchAll(ESCAPE)) {
    add(start + charOf(raw).length);
    at = start + raw.length;
  }
  add(text.length + 1);
  return positions;
}

/** A known value in a text: from inclusive, to exclusive. */
export interface Finding {
  from: number;
  to: number;
  /** The value as it was added, or the minted secret. */
  value: string;
  /** The matched text, without escapes. */
  text: string;
}

interface Spelling {
  /** In lower case. */
  codes: Uint16Array;
  /** Undefined for the prefix of minted secrets. */
  value: string | undefined;
}

/** Where the last finding of each spelling at a level ends. */
type Ends = Map<Spelling, number>;

/** Minted secrets, also revoked ones and those of other sandboxes, have one of these prefixes. */
const MINTED = ['dms_sandbox_', 'dms_live_'];
const WORD = /\w+/y;
/** This many characters determine the distance to the next possible end of a spelling. */
const BLOCK = 3;

/**
 * Finds known values in text: as they are, in either case of letters, in base64, and with percent or JSON escapes, nested
 * too. The number of values hardly matters, and the time is in proportion to the text (algorithm of Wu and Manber, over the
 * last characters of each spelling).
 */
export class TextSearch {
  readonly #values = new Set<string>();
  readonly #window: number;
  /** By a hash of their last characters. */
  readonly #spellings = new Map<number, Spelling[]>();
  /** By a hash of three characters: the minimum distance to the end of a spelling. */
  readonly #shifts: Uint8Array;
  /** Values shorter than the window, by their lower case. They match only a whole value. */
  readonly #short = new Map<string, string>();
  #shortPattern: RegExp | undefined;

  /**
   * @param minted whether secrets are found by their prefix
   * @param window shorter values occur in texts by accident
   */
  constructor({ minted = true, window = 8 }: { minted?: boolean; window?: number } = {}) {
    this.#window = window;
    this.#shifts = new Uint8Array(1 << 16).fill(window - BLOCK + 1);
    for (const prefix of minted ? MINTED : []) {
      for (const spelled of [prefix, ...base64Of(prefix)]) this.#addSpelling(spelled, undefined);
    }
  }

  /** Adds values permanently: a revoked secret may still be in use. */
  add(values: Iterable<string>): void {
    for (const value of values) {
      if (value === '' || this.#values.has(value)) continue;
      this.#values.add(value);
      if (value.length < this.#window) this.#addShort(value);
      else for (const spelled of spellingsOf(value)) this.#addSpelling(spelled, value);
    }
  }

  get known(): Iterable<string> {
    return this.#values;
  }

  /** Returns where values are in a text, in order and without overlaps. */
  find(text: string, levels: Iterable<Level> = levelsOf(text)): Finding[] {
    const findings: Finding[] = [];
    for (const level of levels) this.#search(level, findings);
    return findings.length < 2 ? findings : merged(findings);
  }

  /** Replaces the values in a text. Slashes in a replacement are escaped like those in the text that it replaces. */
  replace(
    text: string,
    replacementOf: (finding: Finding) => string,
    levels: Iterable<Level> = levelsOf(text),
  ): string {
    let replaced = '';
    let end = 0;
    for (const finding of this.find(text, levels)) {
      const slashes = text.slice(finding.from, finding.to).match(/\/|%(?:25)*2f/gi) ?? [];
      const replacement = replacementOf(finding);
      let n = 0;
      replaced += text.slice(end, finding.from);
      replaced += replacement.replaceAll('/', (slash) => slashes[n++] ?? slash);
      end = finding.to;
    }
    return end === 0 ? text : replaced + text.slice(end);
  }

  #search(level: Level, findings: Finding[]): void {
    const { text } = level;
    if (this.#shortPattern) {
      for (const { 0: spelled, index } of text.matchAll(this.#shortPattern)) {
        const value = this.#short.get(spelled.toLowerCase()) ?? spelled;
        note(findings, level, index, index + spelled.length, value);
      }
    }
    const ends: Ends = new Map();
    for (let at = this.#window - 1; at < text.length; ) {
      const shift = this.#shifts[blockHash(text, at)] ?? 0;
      if (shift === 0) this.#searchAt(level, at + 1, findings, ends);
      at += shift || 1;
    }
  }

  /** Looks for spellings that end at `end`. What overlaps the last finding of the same spelling is not read again. */
  #searchAt(level: Level, end: number, findings: Finding[], ends: Ends): void {
    const { text } = level;
    for (const spelling of this.#spellings.get(hashOf(text, end, this.#window)) ?? []) {
      const { codes, value } = spelling;
      const from = end - codes.length;
      const isRead = from < (ends.get(spelling) ?? 0);
      if (from < 0 || isRead || !isAt(text, from, codes)) continue;
      let to = end;
      if (value === undefined) {
        WORD.lastIndex = end;
        to += WORD.exec(text)?.[0].length ?? 0;
        if (to === end) continue;
      }
      note(findings, level, from, to, value ?? text.slice(from, to));
      ends.set(spelling, to);
    }
  }

  #addSpelling(spelled: string, value: string | undefined): void {
    if (spelled.length < this.#window) return;
    const codes = Uint16Array.from(spelled, (_, at) => lower(spelled.charCodeAt(at)));
    const hash = hashOf(spelled, spelled.length, this.#window);
    const bucket = this.#spellings.get(hash);
    if (bucket) bucket.push({ codes, value });
    else this.#spellings.set(hash, [{ codes, value }]);
    const last = spelled.slice(-this.#window);
    for (let at = BLOCK - 1; at < last.length; at += 1) {
      const block = blockHash(last, at);
      this.#shifts[block] = Math.min(this.#shifts[block] ?? 0, last.length - 1 - at);
    }
  }

  #addShort(value: string): void {
    this.#short.set(value.toLowerCase(), value);
    const keys = [...this.#short.keys()].map((key) => key.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
    // Longest first, since one may begin with another. A name of a JSON field is not a value.
    keys.sort((a, b) => b.length - a.length);
    this.#shortPattern = new RegExp(
      `(?<![^=/"&?])(?:${keys.join('|')})(?![^&/"?])(?!"\\s*:)`,
      'gi',
    );
  }
}

/** Adds a finding, unless it contains no escape: then the previous level has found it already. */
function note(findings: Finding[], level: Level, start: number, end: number, value: string): void {
  const { text } = level;
  const origins = level.origins();
  const from = origins?.[start] ?? start;
  const to = origins?.[end] ?? end;
  if (origins && to - from === end - start) return;
  findings.push({ from, to, value, text: text.slice(start, end) });
}

/** Returns how a value is spelled in a text without one level of escapes after the other. */
function spellingsOf(value: string): Set<string> {
  const spelled = new Set([value.replaceAll(' ', '+'), ...base64Of(value)]);
  // Undoing the escapes of a text also undoes those that are part of a value.
  for (const { text } of levelsOf(value)) spelled.add(text);
  // Percent escapes stand for bytes.
  return spelled.add(Buffer.from(value).toString('latin1'));
}

/** Returns what a text becomes in base64 at each of the three possible offsets, in both alphabets. */
function base64Of(text: string): string[] {
  const bytes = Buffer.from(text);
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    // Characters at the edges also depend on the neighbors.
    const end = Math.floor(((before + bytes.length) * 8) / 6);
    const core = encoded.slice(Math.ceil((before * 8) / 6), end);
    return [core, core.replaceAll('+', '-').replaceAll('/', '_')];
  });
}

/** Folds the case of ASCII letters. */
function lower(code: number): number {
  return code >= 0x41 && code <= 0x5a ? code + 0x20 : code;
}

function isAt(text: string, from: number, codes: Uint16Array): boolean {
  for (let at = 0; at < codes.length; at += 1) {
    if (lower(text.charCodeAt(from + at)) !== codes[at]) return false;
  }
  return true;
}

/** Hashes the three characters up to an index, inclusive. */
function blockHash(text: string, at: number): number {
  const first = lower(text.charCodeAt(at - 2));
  const second = lower(text.charCodeAt(at - 1));
  return ((first << 10) ^ (second << 5) ^ lower(text.charCodeAt(at))) & 0xffff;
}

/** Hashes the characters before an index. */
function hashOf(text: string, end: number, length: number): number {
  let hash = 0;
  for (let at = end - length; at < end; at += 1) {
    hash = (Math.imul(hash, 0x01000193) + lower(text.charCodeAt(at))) | 0;
  }
  return hash;
}

/** Sorts findings and merges overlaps. */
function merged(findings: Finding[]): Finding[] {
  findings.sort((a, b) => a.from - b.from || b.to - a.to);
  const apart: Finding[] = [];
  for (const finding of findings) {
    const last = apart.at(-1);
    if (last && finding.from < last.to) last.to = Math.max(last.to, finding.to);
    else apart.push({ ...finding });
  }
  return apart;
}

/** Returns a search for personal data; an address may have as few as six characters. */
export function personalSearch(): TextSearch {
  return new TextSearch({ minted: false, window: 6 });
}

/** Whether a field of this name holds a secret. */
export function isSecretName(name: string): boolean {
  return /secret/i.test(name);
}
