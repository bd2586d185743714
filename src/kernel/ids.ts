import { createHash, hash } from 'node:crypto';

/** Prefixes of the ids that partners and operators see (decisions, "Conventions"). */
export const ID_PREFIXES = [
  'ord',
  'evt',
  'ptr',
  'ref',
  'cs',
  'brk',
  'lnk',
  'txn',
  'com',
  'pay',
  'stm',
  'dlv',
  'req',
  'qt',
  'flt',
] as const;

export type IdPrefix = (typeof ID_PREFIXES)[number];

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const COUNTER_DIGITS = 7;
const TAIL_DIGITS = 9;

/**
 * The n-th id of a kind: a counter, so that ids sort by creation, and a tail drawn from the seed, so that
 * they look and behave like opaque strings. Same seed, same n, same id.
 */
export function formatId(prefix: IdPrefix, seed: string, n: number): string {
  // A character per byte: as text it costs half of what a buffer does.
  const digest = hash('sha256', `${seed}\n${prefix}\n${n}`, 'binary');
  let tail = '';
  for (let i = 0; i < TAIL_DIGITS; i += 1) tail += ALPHABET.charAt(digest.charCodeAt(i) & 31);
  let counter = '';
  for (let rest = n; counter.length < COUNTER_DIGITS; rest = Math.floor(rest / 32)) {
    counter = ALPHABET.charAt(rest % 32) + counter;
  }
  return `${prefix}_${counter}${tail}`;
}

/** The n of an id that `formatId` made of that prefix and seed; undefined for any other text. */
export function readIdNumber(prefix: IdPrefix, seed: string, id: string): number | undefined {
  const counter = id.slice(prefix.length + 1, -TAIL_DIGITS);
  let n = 0;
  for (const digit of counter) n = n * 32 + ALPHABET.indexOf(digit);
  return Number.isSafeInteger(n) && n > 0 && formatId(prefix, seed, n) === id ? n : undefined;
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 32 base62 characters for key ids and secrets, drawn from `material` (seed, world, purpose, counter). */
export function base62From(material: string, length = 32): string {
  let out = '';
  for (let block = 0; out.length < length; block += 1) {
    for (const byte of createHash('sha512').update(`${block}\n${material}`).digest()) {
      // 248 is the largest multiple of 62 below 256: what lies above would favour the first letters.
      if (byte < 248 && out.length < length) out += BASE62.charAt(byte % 62);
    }
  }
  return out;
}
