import { bodySlips } from './body.ts';
import { hmac, otherDigests } from './digest.ts';
import { layoutSlips, orderSlips } from './layout.ts';
import type { MistakeSlug } from './mistakes.ts';
import { pathSlips } from './path.ts';
import { querySlips } from './query.ts';
import { wrongKeys } from './secret.ts';
import { millisecondSlips, shortLineSlips } from './short-lines.ts';
import { canonicalOf, inOrder, type Lines, type Slip } from './slip.ts';

export interface DiagnosisInput {
  method: string;
  /** Raw path of the request line. */
  path: string;
  /** Raw query, without `?`; empty when there is none. */
  query: string;
  timestamp: string;
  nonce: string;
  /** Raw body as received. */
  body: Uint8Array;
  /** The X-Service-Signature header as received. */
  signature: string;
  /** Secret of the credential that the key id names. */
  secret: string;
  /** Secrets of other credentials; as a function, asked only when the likelier mistakes did not fit. */
  otherSecrets?: readonly string[] | (() => readonly string[]) | undefined;
  keyId?: string | undefined;
  /** Address the client knows the server by, e.g. `http://127.0.0.1:4010`. */
  baseUrl?: string | undefined;
}

/** One signature that a mistaken client would have made. */
export interface Attempt {
  slugs: readonly MistakeSlug[];
  detail?: string | undefined;
  /** What was signed, when that is a canonical string at all. */
  canonical?: string;
  digest: () => Buffer;
}

/** The most digests tried for one signature: 20 to 40 ms on a slow machine. */
export const MAX_ATTEMPTS = 5_000;
/** The most characters of canonical strings tried for one signature: long queries get fewer attempts. */
export const MAX_CHARACTERS = 4 * 1024 * 1024;

/** Wrong keys tried together with a second mistake: the client's own, and a few other secrets. */
const MOST_KEYS_COMBINED = 26;

type AnySlip = Slip<MistakeSlug>;

/** What may have been signed instead, the likely first, beginning with the right string; bounded. */
export function* attempts(input: DiagnosisInput, right: Lines): Generator<Attempt> {
  let count = 0;
  let characters = 0;
  for (const attempt of unbounded(input, right)) {
    count += 1;
    characters += attempt.canonical?.length ?? 0;
    if (count > MAX_ATTEMPTS || characters > MAX_CHARACTERS) return;
    yield attempt;
  }
}

function* unbounded(input: DiagnosisInput, right: Lines): Generator<Attempt> {
  const { secret, body } = input;
  const seen = new Set<string>();
  function* fresh(slips: Iterable<AnySlip>): Generator<{ slip: AnySlip; canonical: string }> {
    for (const slip of slips) {
      const canonical = layOut(right, slip);
      if (seen.has(canonical)) continue;
      seen.add(canonical);
      yield { slip, canonical };
    }
  }
  function* signedRight(slips: Iterable<AnySlip>): Generator<Attempt> {
    for (const { slip, canonical } of fresh(slips)) yield signed(secret, slip, canonical);
  }

  yield* signedRight([{ slugs: [] }]);
  const likely: AnySlip[] = [];
  for (const { slip, canonical } of fresh(singleSlips(input, right))) {
    if (!slip.rare) likely.push(slip);
    yield signed(secret, slip, canonical);
  }
  const canonical = canonicalOf(right);
  const keys = [...wrongKeys(secret, input.keyId, () => listed(input.otherSecrets))];
  for (const { slug, key } of keys) yield signed(key, { slugs: [slug] }, canonical);
  yield { slugs: ['only_body_signed'], digest: () => hmac(secret, body) };
  for (const { slug, detail, digest } of otherDigests(secret, canonical)) {
    yield { slugs: [slug], detail, canonical, digest };
  }
  yield* signedRight(millisecondSlips(right));
  yield* signedRight(orderSlips(right));
  yield* signedRight(pairs(likely));
  for (const slip of likely) {
    const mistaken = layOut(right, slip);
    for (const { slug, key } of keys.slice(0, MOST_KEYS_COMBINED)) {
      yield signed(key, { ...slip, slugs: [slug, ...slip.slugs] }, mistaken);
    }
  }
}

function* singleSlips(input: DiagnosisInput, right: Lines): Generator<AnySlip> {
  yield* layoutSlips();
  yield* shortLineSlips(right);
  yield* pathSlips(right, input.query, input.baseUrl);
  yield* querySlips(right, input.query);
  yield* bodySlips(right, input.body);
}

function signed(key: string | Uint8Array, slip: AnySlip, canonical: string): Attempt {
  return { slugs: slip.slugs, detail: slip.detail, canonical, digest: () => hmac(key, canonical) };
}

function layOut(right: Lines, slip: AnySlip): string {
  const lines = { ...right, ...slip.lines };
  return slip.layOut ? slip.layOut(inOrder(lines)) : canonicalOf(lines);
}

/** Every two slips that do not touch the same thing. */
function* pairs(slips: readonly AnySlip[]): Generator<AnySlip> {
  for (const [index, first] of slips.entries()) {
    for (const second of slips.slice(index + 1)) {
      const layOuts = [first.layOut, second.layOut].filter((one) => one !== undefined);
      const shared = Object.keys(first.lines ?? {}).some((line) => line in (second.lines ?? {}));
      if (shared || layOuts.length > 1) continue;
      yield {
        slugs: [...first.slugs, ...second.slugs],
        lines: { ...first.lines, ...second.lines },
        ...(layOuts[0] ? { layOut: layOuts[0] } : {}),
        detail: [first.detail, second.detail].filter(Boolean).join('; '),
      };
    }
  }
}

function listed(secrets: DiagnosisInput['otherSecrets']): readonly string[] {
  return typeof secrets === 'function' ? secrets() : (secrets ?? []);
}
