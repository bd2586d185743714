import { unescapeOnce } from './unescape.ts';

/** A secret in a text: from inclusive, to exclusive. */
export interface Finding {
  from: number;
  to: number;
  /** As issued, or as found if only its prefix is known. */
  secret: string;
}

interface Spelling {
  /** Folded. */
  codes: Uint16Array;
  /** Undefined for the prefix of minted secrets. */
  secret: string | undefined;
}

/** Minted secrets, also revoked ones and those of other sandboxes, have one of these prefixes. */
const MINTED = ['dms_sandbox_', 'dms_live_'];
const WORD = /\w+/y;
/** Shorter secrets occur in texts by accident; they are found only if they are a whole value. */
const WINDOW = 8;
/** This many characters determine the minimum distance to the next match. */
const BLOCK = 3;
const MAX_SHIFT = WINDOW - BLOCK + 1;
/** Levels of escapes that are undone: a body in a JSON document in a query, and one more. */
const MAX_LEVELS = 4;
/** Shorter beginnings of a secret, at the end of a truncated text, are not found. */
const MIN_BEGINNING = 6;

/**
 * Finds known secrets in text: as they are, in any case of letters, with percent or JSON escapes (nested too), in
 * base64 and hex, also inside longer base64 and in base64 of base64. The number of secrets hardly matters (algorithm of Wu and Manber, over the
 * last eight characters of each spelling).
 */
export class SecretSearch {
  readonly #known = new Set<string>();
  /** By a hash of their last eight characters. */
  readonly #spellings = new Map<number, Spelling[]>();
  /** By a hash of three characters: the minimum distance to the end of a spelling. */
  readonly #shifts = new Uint8Array(1 << 16).fill(MAX_SHIFT);
  /** Secrets shorter than a window, by their spellings. */
  readonly #short = new Map<string, string>();
  #shortPattern: RegExp | undefined;

  constructor() {
    for (const look of MINTED) {
      this.#addSpelling(look, undefined);
      for (const spelled of nestedBase64Of(look)) this.#addSpelling(spelled, undefined);
    }
  }

  /** Adds secrets for good: a revoked one may still be in use. */
  add(secrets: Iterable<string>): void {
    for (const secret of secrets) {
      if (secret === '' || this.#known.has(secret)) continue;
      this.#known.add(secret);
      if (secret.length < WINDOW) this.#addShort(secret);
      else for (const spelled of spellingsOf(secret)) this.#addSpelling(spelled, secret);
    }
  }

  get known(): Iterable<string> {
    return this.#known;
  }

  /** Whether any secret is in a text. */
  occursIn(text: string): boolean {
    return this.find(text).length > 0;
  }

  /**
   * Returns where secrets are in a text, in order and without overlaps.
   * @param isTruncated whether the text may end with the beginning of a secret
   */
  find(text: string, isTruncated = false): Finding[] {
    const found: Finding[] = [];
    let level = text;
    let origin = (index: number) => index;
    for (let depth = 0; ; depth += 1) {
      const here = origin;
      const report = (from: number, to: number, secret: string) =>
        found.push({ from: here(from), to: here(to), secret });
      this.#search(level, report);
      if (isTruncated) this.#searchEnd(level, report);
      const inner = depth < MAX_LEVELS ? unescapeOnce(level) : undefined;
      if (inner === undefined) break;
      level = inner.text;
      origin = (index) => here(inner.origin(index));
    }
    return found.length < 2 ? found : merged(found);
  }

  #search(text: string, report: (from: number, to: number, secret: string) => void): void {
    if (this.#shortPattern) {
      for (const { 0: spelled, index } of text.matchAll(this.#shortPattern)) {
        const secret = this.#short.get(spelled.toLowerCase()) ?? spelled;
        report(index, index + spelled.length, secret);
      }
    }
    let wordEnd = 0;
    for (let at = WINDOW - 1; at < text.length; ) {
      const shift = this.#shifts[blockHash(text, at)] ?? 0;
      if (shift === 0) wordEnd = this.#searchAt(text, at + 1, wordEnd, report);
      at += shift || 1;
    }
  }

  /**
   * Looks for spellings that end at `end`.
   * @param wordEnd the end of the last minted secret: a prefix inside it is not read again, which takes linear time
   * @returns the end of the minted secret that was found last
   */
  #searchAt(
    text: string,
    end: number,
    wordEnd: number,
    report: (from: number, to: number, secret: string) => void,
  ): number {
    let readTo = wordEnd;
    for (const { codes, secret } of this.#spellings.get(windowHash(text, end)) ?? []) {
      const from = end - codes.length;
      if (from < 0 || (secret === undefined && end <= readTo)) continue;
      if (!isAt(text, from, codes)) continue;
      if (secret !== undefined) report(from, end, secret);
      else {
        WORD.lastIndex = end;
        const [rest = ''] = WORD.exec(text) ?? [];
        readTo = end + rest.length;
        if (rest !== '') report(from, readTo, text.slice(from, readTo));
      }
    }
    return readTo;
  }

  #searchEnd(text: string, report: (from: number, to: number, secret: string) => void): void {
    for (const { codes, secret } of [...this.#spellings.values()].flat()) {
      if (secret === undefined) continue;
      for (
        let length = Math.min(codes.length - 1, text.length);
        length >= MIN_BEGINNING;
        length -= 1
      ) {
        if (!isAt(text, text.length - length, codes.subarray(0, length))) continue;
        report(text.length - length, text.length, secret);
        break;
      }
    }
  }

  #addSpelling(spelled: string, secret: string | undefined): void {
    const spelling = { codes: foldedCodes(spelled), secret };
    const hash = windowHash(spelled, spelled.length);
    const others = this.#spellings.get(hash);
    if (others) others.push(spelling);
    else this.#spellings.set(hash, [spelling]);
    const last = spelled.slice(-WINDOW);
    for (let at = BLOCK - 1; at < WINDOW; at += 1) {
      const block = blockHash(last, at);
      this.#shifts[block] = Math.min(this.#shifts[block] ?? 0, WINDOW - 1 - at);
    }
  }

  #addShort(secret: string): void {
    const base64 = Buffer.from(secret).toString('base64');
    for (const spelled of [secret, base64, base64.replace(/=+$/, ''), hexOf(secret)]) {
      this.#short.set(spelled.toLowerCase(), secret);
    }
    const any = [...this.#short.keys()].map((each) =>
      each.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'),
    );
    // Longest first, since one may begin with another. A name of a JSON field is not a value.
    any.sort((one, other) => other.length - one.length);
    this.#shortPattern = new RegExp(`(?<![^=/"&?])(?:${any.join('|')})(?![^&/"?])(?!"\\s*:)`, 'gi');
  }
}

/** Yields a secret as it is, in hex, and in base64, also of base64. */
function* spellingsOf(secret: string): Generator<string> {
  yield secret;
  yield hexOf(secret);
  const bytes = Buffer.from(secret);
  // Percent escapes stand for bytes.
  const asBytes = bytes.toString('latin1');
  if (asBytes !== secret) yield asBytes;
  yield* nestedBase64Of(secret);
}

/** Yields base64, and base64 of base64. */
function* nestedBase64Of(text: string): Generator<string> {
  for (const once of base64Of(Buffer.from(text))) {
    yield once;
    yield* base64Of(Buffer.from(once));
  }
}

/** Yields what bytes become in base64 at each of the three possible offsets, if it is long enough. */
function* base64Of(bytes: Buffer): Generator<string> {
  for (const before of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    // Characters at the edges also depend on the neighbors.
    const core = encoded.slice(
      Math.ceil((before * 8) / 6),
      Math.floor(((before + bytes.length) * 8) / 6),
    );
    if (core.length >= WINDOW) yield core;
  }
}

function hexOf(secret: string): string {
  return Buffer.from(secret).toString('hex');
}

/** Folds to lower case, and maps both base64 alphabets, and both spellings of a space in a form, to one. */
const FOLDED = Uint16Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code).toLowerCase();
  if (char === '-' || char === ' ') return 0x2b;
  return char === '_' ? 0x2f : char.charCodeAt(0);
});

function folded(code: number): number {
  return code < 128 ? (FOLDED[code] ?? code) : code;
}

function foldedCodes(text: string): Uint16Array {
  return Uint16Array.from({ length: text.length }, (_, at) => folded(text.charCodeAt(at)));
}

function isAt(text: string, from: number, codes: Uint16Array): boolean {
  for (let at = 0; at < codes.length; at += 1) {
    if (folded(text.charCodeAt(from + at)) !== codes[at]) return false;
  }
  return true;
}

/** Hashes the three characters up to an index, inclusive. */
function blockHash(text: string, at: number): number {
  const first = folded(text.charCodeAt(at - 2));
  const second = folded(text.charCodeAt(at - 1));
  return ((first << 10) ^ (second << 5) ^ folded(text.charCodeAt(at))) & 0xffff;
}

/** Hashes the eight characters before an index. */
function windowHash(text: string, end: number): number {
  let hash = 0;
  for (let at = end - WINDOW; at < end; at += 1) {
    hash = (Math.imul(hash, 0x01000193) + folded(text.charCodeAt(at))) | 0;
  }
  return hash;
}

/** Sorts findings and merges overlaps. */
function merged(found: Finding[]): Finding[] {
  found.sort((one, other) => one.from - other.from || other.to - one.to);
  const apart: Finding[] = [];
  for (const each of found) {
    const last = apart.at(-1);
    if (last && each.from < last.to) last.to = Math.max(last.to, each.to);
    else apart.push({ ...each });
  }
  return apart;
}
