import { canonicalQuery, MalformedQueryError } from './canonical.ts';
import { type Attempt, attempts, type DiagnosisInput } from './diagnosis/attempts.ts';
import { type MistakeSlug, mistakeText } from './diagnosis/mistakes.ts';
import { readSignature } from './diagnosis/signature-header.ts';
import { canonicalOf, type Lines } from './diagnosis/slip.ts';
import { bodySha256 } from './signature.ts';

export type { DiagnosisInput } from './diagnosis/attempts.ts';
export { MISTAKES, type Mistake, type MistakeSlug } from './diagnosis/mistakes.ts';

export interface Diagnosis {
  /** Stable name of the mistake, e.g. `query_unsorted`. */
  mistake: MistakeSlug;
  /** Further mistakes, when only several together give the client's signature. */
  also: readonly MistakeSlug[];
  /** What the client did: a sentence per mistake. */
  summary: string;
  /** What to do: a sentence per mistake. */
  fix: string;
  /** The canonical string that the client signed, where it is not the right one. Never a secret. */
  clientCanonical?: string;
}

/**
 * Names the mistake behind a signature that did not match. It is named only when making the same mistake
 * gives the very signature received; a guess is never reported. At most `MAX_ATTEMPTS` digests.
 * @returns undefined when no known mistake fits, when the signature is right, or when the query is malformed
 * @throws never
 */
export function diagnoseSignature(input: DiagnosisInput): Diagnosis | undefined {
  const claims = readSignature(input.signature);
  const right = claims.length > 0 ? rightLines(input) : undefined;
  if (right === undefined) return undefined;
  for (const attempt of attempts(input, right)) {
    const digest = attempt.digest();
    const claim = claims.find((one) => one.digest.equals(digest));
    if (claim === undefined) continue;
    return describe([...attempt.slugs, ...claim.slugs], attempt, canonicalOf(right));
  }
  return undefined;
}

function describe(
  slugs: readonly MistakeSlug[],
  { detail, canonical }: Attempt,
  right: string,
): Diagnosis | undefined {
  const [mistake, ...also] = new Set(slugs);
  if (mistake === undefined) return undefined;
  const texts = [mistake, ...also].map(mistakeText);
  const variant = detail ? ` (${detail})` : '';
  return {
    mistake,
    also,
    summary: texts.map(({ summary }) => summary).join(' ') + variant,
    fix: [...new Set(texts.map(({ fix }) => fix))].join(' '),
    ...(canonical === undefined || canonical === right ? {} : { clientCanonical: canonical }),
  };
}

/** The six lines by the specification; none for a malformed query, which is refused for that reason. */
function rightLines(input: DiagnosisInput): Lines | undefined {
  try {
    return {
      method: input.method.toUpperCase(),
      path: input.path,
      query: canonicalQuery(input.query),
      timestamp: input.timestamp,
      nonce: input.nonce,
      bodySha256: bodySha256(input.method, input.body),
    };
  } catch (error) {
    if (error instanceof MalformedQueryError) return undefined;
    throw error;
  }
}
