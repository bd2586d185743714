import { createHash, hash, randomBytes } from 'node:crypto';

export const ID_PREFIXES = [
  'ord', // order
  'evt', // event
  'ptr', // partner
  'ref', // refund
  'cs', // checkout session
  'brk', // brokerage case
  'lnk', // referral link
  'txn', // transaction
  'com', // commission
  'pay', // payout
  'stm', // settlement statement
  'dlv', // delivery
  'req', // request
  'qt', // quote
  'flt', // fault
] as const;

export type IdPrefix = (typeof ID_PREFIXES)[number];

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const COUNTER_DIGITS = 7;
const TAIL_DIGITS = 9;
const CODE_DIGITS = 4;
/** Index of the first letter: counters begin with a digit for their first ten billion ids, later series with a letter. */
const FIRST_LETTER = 10;

/**
 * Returns a code of four characters for a world and its seed. Worlds of one state folder with the same code never use the
 * same series, so an id of a series above 0 belongs to one world only.
 */
export function seriesCode(seed: string, world: string): string {
  return base32Digest(`${seed}\n${world}\nid series`, CODE_DIGITS);
}

/**
 * The ids of one series of a world: a counter, so that ids sort by creation, and a tail derived from the seed, so that ids
 * are opaque; 16 characters in all. An id of a series above 0 begins with the series (a letter for its length, then its
 * digits), so that it sorts after earlier series, and has the code of the world after the counter.
 */
export class IdSeries {
  readonly #head: string;
  readonly #code: string;
  readonly #tailDigits: number;
  readonly #material: string;

  constructor({ seed, world, series }: { seed: string; world: string; series: number }) {
    const digits = base32(series);
    const isFirst = series === 0;
    this.#head = isFirst ? '' : ALPHABET.charAt(FIRST_LETTER + digits.length - 1) + digits;
    this.#code = isFirst ? '' : seriesCode(seed, world);
    this.#tailDigits = Math.max(0, TAIL_DIGITS - this.#code.length - this.#head.length);
    this.#material = isFirst ? seed : `${seed}\n${world}\n${series}`;
  }

  /** Returns the n-th id of a kind. */
  format(prefix: IdPrefix, n: number): string {
    const tail = base32Digest(`${this.#material}\n${prefix}\n${n}`, this.#tailDigits);
    return `${prefix}_${this.#head}${base32(n, COUNTER_DIGITS)}${this.#code}${tail}`;
  }

  /** Returns the n of an id of this series; undefined for any other text. */
  read(prefix: IdPrefix, id: string): number | undefined {
    const begin = prefix.length + 1 + this.#head.length;
    let n = 0;
    for (const digit of id.slice(begin, begin + COUNTER_DIGITS)) {
      n = n * 32 + ALPHABET.indexOf(digit);
    }
    return n > 0 && this.format(prefix, n) === id ? n : undefined;
  }
}

/** Returns the n-th id of a kind in series 0 of any world with this seed. */
export function formatId(prefix: IdPrefix, seed: string, n: number): string {
  return new IdSeries({ seed, world: '', series: 0 }).format(prefix, n);
}

/** Returns the last `digits` digits, by default all: none for 0. @throws RangeError for what is not a count */
function base32(n: number, digits?: number): string {
  if (!Number.isSafeInteger(n) || n < 0) throw new RangeError(`${n} is not a count`);
  let text = '';
  for (let remainder = n; digits === undefined ? remainder > 0 : text.length < digits; ) {
    text = ALPHABET.charAt(remainder % 32) + text;
    remainder = Math.floor(remainder / 32);
  }
  return text;
}

function base32Digest(material: string, length: number): string {
  // One character per byte, which takes half the time of a buffer.
  const digest = hash('sha256', material, 'binary');
  let text = '';
  for (let i = 0; i < length; i += 1) text += ALPHABET.charAt(digest.charCodeAt(i) & 31);
  return text;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Returns base62 characters derived from `material`: for key ids, secrets, token keys and the codes of links. */
export function base62From(material: string, length = 32): string {
  let out = '';
  for (let block = 0; out.length < length; block += 1) {
    for (const byte of createHash('sha512').update(`${block}\n${material}`).digest()) {
      // 248 is the largest multiple of 62 below 256: higher bytes would favor the first letters.
      if (byte < 248 && out.length < length) out += BASE62.charAt(byte % 62);
    }
  }
  return out;
}

/** Returns base62 characters from the random source of the system. */
export function randomSecret(): string {
  return base62From(randomBytes(48).toString('base64'));
}
