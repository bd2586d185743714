import { hmacSha256 } from '../signature.ts';
import { bodyMistakes } from './body.ts';
import {
  type OtherCredential,
  otherCredentialKeys,
  otherDigests,
  type WrongKey,
  wrongKeys,
} from './key.ts';
import { layoutMistakes, orderMistakes } from './layout.ts';
import {
  attemptWork,
  canonicalOf,
  digestWork,
  inOrder,
  type Lines,
  type SigningMistake,
  WORK_BUDGET,
  WorkExceededError,
  WorkMeter,
} from './mistake.ts';
import type { MistakeSlug } from './mistakes.ts';
import { pathMistakes } from './path.ts';
import { queryMistakes } from './query.ts';
import { millisecondMistakes, shortLineMistakes } from './short-lines.ts';

export interface DiagnosisInput {
  method: string;
  path: string;
  /** Raw query without `?`; may be empty. */
  query: string;
  timestamp: string;
  nonce: string;
  body: Uint8Array;
  signature: string;
  secret: string;
  /** Other credentials, likely ones first. A function is called only if likelier mistakes do not match. */
  otherCredentials?: Iterable<OtherCredential> | (() => Iterable<OtherCredential>) | undefined;
  keyId?: string | undefined;
  baseUrl?: string | undefined;
}

/** A signature that a client with these mistakes sends. */
export interface Attempt {
  slugs: readonly MistakeSlug[];
  detail?: string | undefined;
  /** The text that was signed, if it is a canonical string. */
  canonical?: string;
  digest: () => Buffer;
}

/** Number of other credentials that are also combined with a second mistake. */
const MAX_OTHERS_COMBINED = 6;

type AnyMistake = SigningMistake<MistakeSlug>;

interface Group {
  /** Reported if the group exceeds its limit. */
  name: string;
  limit: number;
  attempts: (meter: WorkMeter) => Generator<Attempt>;
}

/**
 * Generates the signatures of possible mistakes, likely ones first, beginning with the correct canonical string.
 * @param untried receives the names of the groups that exceeded their limit
 */
export function* attempts(
  input: DiagnosisInput,
  right: Lines,
  untried: string[] = [],
): Generator<Attempt> {
  let left = WORK_BUDGET;
  for (const group of groupsOf(input, right)) {
    const meter = new WorkMeter(Math.min(left, group.limit));
    try {
      yield* group.attempts(meter);
    } catch (error) {
      if (!(error instanceof WorkExceededError)) throw error;
      untried.push(group.name);
    }
    left -= meter.spent;
  }
}

function groupsOf(input: DiagnosisInput, right: Lines): Group[] {
  const { secret, body } = input;
  const canonical = canonicalOf(right);
  const seen = new Set<string>();
  const likely: AnyMistake[] = [];
  const keys: WrongKey[] = [];

  /** @param remember keeps those that are not rare, to combine them with a second mistake */
  function* signedRight(
    mistakes: Iterable<AnyMistake>,
    meter: WorkMeter,
    remember = false,
  ): Generator<Attempt> {
    for (const mistake of mistakes) {
      const mistaken = layOut(right, mistake);
      meter.spend(attemptWork(mistaken.length));
      if (seen.has(mistaken)) continue;
      seen.add(mistaken);
      if (remember && !mistake.rare) likely.push(mistake);
      yield signed(secret, mistake, mistaken);
    }
  }
  function* signedBy(wrong: Iterable<WrongKey>, meter: WorkMeter): Generator<Attempt> {
    for (const { slug, key, detail } of wrong) {
      meter.spend(digestWork(canonical.length));
      yield signed(key, { slugs: [slug], ...(detail && { detail }) }, canonical);
    }
  }

  return [
    {
      name: 'how the lines are joined, METHOD, PATH, TIMESTAMP and NONCE',
      limit: 8_000_000,
      *attempts(meter) {
        yield* signedRight([{ slugs: [] }], meter);
        yield* signedRight(layoutMistakes(), meter, true);
        yield* signedRight(shortLineMistakes(right), meter, true);
        yield* signedRight(pathMistakes(right, input, meter), meter, true);
      },
    },
    {
      name: 'spellings of the query',
      limit: 7_000_000,
      attempts: (meter) => signedRight(queryMistakes(right, input.query, meter), meter, true),
    },
    {
      name: 'spellings of the body',
      limit: 5_000_000,
      attempts: (meter) => signedRight(bodyMistakes(right, body, meter), meter, true),
    },
    {
      name: 'other forms of the secret and the digest',
      limit: 5_000_000,
      *attempts(meter) {
        keys.push(...wrongKeys(secret, input.keyId));
        yield* signedBy(keys, meter);
        for (const { slug, detail, digest } of otherDigests(secret, canonical)) {
          meter.spend(digestWork(2 * canonical.length));
          yield { slugs: [slug], detail, canonical, digest };
        }
        meter.spend(digestWork(body.length));
        yield { slugs: ['only_body_signed'], digest: () => hmacSha256(secret, body) };
      },
    },
    {
      name: 'secrets of other credentials',
      limit: WORK_BUDGET,
      *attempts(meter) {
        const { otherCredentials: source = [] } = input;
        let combined = 0;
        for (const key of otherCredentialKeys(typeof source === 'function' ? source() : source)) {
          combined += 1;
          if (combined <= MAX_OTHERS_COMBINED) keys.push(key);
          yield* signedBy([key], meter);
        }
      },
    },
    {
      name: 'milliseconds in TIMESTAMP',
      limit: WORK_BUDGET,
      attempts: (meter) => signedRight(millisecondMistakes(right), meter),
    },
    {
      name: 'other orders and choices of the lines',
      limit: WORK_BUDGET,
      attempts: (meter) => signedRight(orderMistakes(right), meter),
    },
    {
      name: 'two mistakes at once',
      limit: WORK_BUDGET,
      *attempts(meter) {
        for (const mistake of likely) {
          const mistaken = layOut(right, mistake);
          for (const { slug, key } of keys) {
            meter.spend(digestWork(mistaken.length));
            yield signed(key, { ...mistake, slugs: [slug, ...mistake.slugs] }, mistaken);
          }
        }
        yield* signedRight(pairs(likely), meter);
      },
    },
  ];
}

function signed(key: string | Uint8Array, mistake: AnyMistake, canonical: string): Attempt {
  return {
    slugs: mistake.slugs,
    detail: mistake.detail,
    canonical,
    digest: () => hmacSha256(key, canonical),
  };
}

function layOut(right: Lines, mistake: AnyMistake): string {
  const lines = { ...right, ...mistake.lines };
  return mistake.layOut ? mistake.layOut(inOrder(lines)) : canonicalOf(lines);
}

/** Combines every two mistakes that do not change the same line. */
function* pairs(mistakes: readonly AnyMistake[]): Generator<AnyMistake> {
  for (const [index, first] of mistakes.entries()) {
    for (const second of mistakes.slice(index + 1)) {
      const layOuts = [first.layOut, second.layOut].filter((layOut) => layOut !== undefined);
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
