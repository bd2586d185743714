export const PERSONAL_KINDS = [
  'buyer_email',
  'buyer_name',
  'webhook_url',
  'receiver_response',
  'live_key_id',
] as const;
export type PersonalKind = (typeof PERSONAL_KINDS)[number];

const LETTER = /\p{L}/u;
const DIGIT = /\p{N}/u;
const RADIX = 26;
/** "x", which most letters of a replacement are. */
const FILL = 23;

/** First of 26 letters in a row, by the bytes of a letter in UTF-8, so that a replacement has the same length. */
const ALPHABETS: Readonly<Record<number, number>> = {
  1: 'a'.charCodeAt(0),
  2: 0x0430,
  3: 0xff41,
  4: 0x1d41a,
};
const ZEROS: Readonly<Record<number, string>> = {
  1: '0',
  2: '\u0660',
  3: '\uff10',
  4: '\u{1d7ce}',
};

/**
 * Replacements of equal length and shape for personal data. They depend only on the order in which values come in, so
 * they say nothing about a value, and replacing replacements changes nothing.
 */
export class Replacements {
  /** By kind and value in lower case. */
  readonly #known = new Map<string, string>();
  /** How many values of a shape there are. */
  readonly #shapes = new Map<string, number>();
  readonly #counts = new Map<PersonalKind, Set<string>>();
  readonly #originals = new Set<string>();
  #isFrozen = false;

  /** Returns the replacement of a value, the same for each spelling of it in upper and lower case and with spaces. */
  of(kind: PersonalKind, value: string): string {
    const folded = lowerCased(value.trim().replaceAll(/\s+/g, ' '));
    const key = `${kind} ${folded}`;
    let made = this.#known.get(key);
    if (made === undefined) {
      if (this.#isFrozen) return value;
      made = this.#make(kind, folded);
      this.#known.set(key, made);
      this.#originals.add(folded);
      this.count(kind, folded);
    }
    return kind === 'webhook_url' ? made : spelledLike(value, made);
  }

  /** From now on, values that were not replaced before stay. */
  freeze(): void {
    this.#isFrozen = true;
  }

  /** Counts a value that was replaced in another way. */
  count(kind: PersonalKind, value: string): void {
    const values = this.#counts.get(kind) ?? new Set();
    this.#counts.set(kind, values.add(value));
  }

  /** How many different values were replaced, by kind. */
  get counts(): Partial<Record<PersonalKind, number>> {
    return Object.fromEntries([...this.#counts].map(([kind, values]) => [kind, values.size]));
  }

  /** The values in lower case that must not be in the file. */
  originals(): string[] {
    const replacements = new Set([...this.#known.values()].map((each) => each.toLowerCase()));
    return [...this.#originals].filter((each) => !replacements.has(each));
  }

  #make(kind: PersonalKind, value: string): string {
    switch (kind) {
      case 'webhook_url':
        return this.#url(value);
      case 'live_key_id':
        return this.#text(kind, value, /^dm[a-z]_live_/.exec(value)?.[0].length ?? 0);
      case 'buyer_email':
        // The last label stays: it says little, and an address needs one.
        return this.#text(kind, value, 0, /\.[^.@]+$/.exec(value)?.index);
      default:
        return this.#text(kind, value, 0);
    }
  }

  /** Replaces letters and digits between two indexes; the last letters count values of the same shape. */
  #text(kind: string, value: string, from: number, to = value.length): string {
    const inner = [...value.slice(from, to)];
    const shape = value.slice(0, from) + inner.map(shapeOf).join('') + value.slice(to);
    let n = this.#next(`${kind} ${shape}`);
    const replaced = inner.toReversed().map((char) => {
      const bytes = Buffer.byteLength(char);
      if (DIGIT.test(char)) return ZEROS[bytes] ?? '0';
      if (!LETTER.test(char)) return char;
      const index = (FILL + n) % RADIX;
      n = Math.floor(n / RADIX);
      return String.fromCodePoint((ALPHABETS[bytes] ?? 0) + index);
    });
    return value.slice(0, from) + replaced.toReversed().join('') + value.slice(to);
  }

  #url(value: string): string {
    const scheme = /^https?:\/\//.exec(value)?.[0] ?? 'http://';
    const n = this.#next('webhook_url') + 1;
    for (const host of [`receiver-${n}.invalid`, `r${n}.invalid`, `r${n}.x`]) {
      const start = `${scheme}${host}/`;
      if (start.length <= value.length) return start.padEnd(value.length, 'x');
    }
    const rest = value.slice(scheme.length);
    return scheme + this.#text('short url', rest.replace(/[^a-z]/g, 'a'), 0);
  }

  #next(shape: string): number {
    const n = this.#shapes.get(shape) ?? 0;
    this.#shapes.set(shape, n + 1);
    return n;
  }
}

/** Hides a text that is not compared with others: letters and digits. */
export function blurred(text: string): string {
  return text.replace(/\p{L}|\p{N}/gu, (char) => {
    const bytes = Buffer.byteLength(char);
    if (DIGIT.test(char)) return ZEROS[bytes] ?? '0';
    return String.fromCodePoint((ALPHABETS[bytes] ?? 0) + FILL);
  });
}

function shapeOf(char: string): string {
  if (LETTER.test(char)) return `L${Buffer.byteLength(char)}`;
  return DIGIT.test(char) ? `D${Buffer.byteLength(char)}` : char;
}

/** Puts spaces, and letters in upper case, where `original` has them. */
function spelledLike(original: string, replacement: string): string {
  const chars = [...replacement].filter((char) => !/\s/.test(char));
  let at = 0;
  let spelled = '';
  for (const char of original) {
    if (/\s/.test(char)) spelled += char;
    else {
      const replaced = chars[at++] ?? '';
      spelled += char === lowerCased(char) ? replaced : replaced.toUpperCase();
    }
  }
  return spelled;
}

/** A few letters have another length in lower case. */
export function lowerCased(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}
