import { canonicalQuery, MalformedQueryError } from './canonical.ts';
import { type Attempt, attempts, type DiagnosisInput } from './diagnosis/attempts.ts';
import { canonicalOf, type Lines } from './diagnosis/mistake.ts';
import { type MistakeSlug, mistakeText } from './diagnosis/mistakes.ts';
import { readSignature } from './diagnosis/signature-header.ts';
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

export interface DiagnosisResult {
  /** None if no known mistake matches, the signature is right, or the query is malformed. */
  diagnosis: Diagnosis | undefined;
  /** Mistakes that were not all tried, because the work is bounded by `WORK_BUDGET`; empty with a diagnosis. */
  untried: readonly string[];
}

/**
 * Names the mistake behind a signature that did not match. It is named only when making the same mistake
 * gives the very signature received; a guess is never reported.
 * @throws never
 */
export function diagnose(input: DiagnosisInput): DiagnosisResult {
  const untried: string[] = [];
  const claims = readSignature(input.signature);
  const right = claims.length > 0 ? rightLines(input) : undefined;
  if (right === undefined) return { diagnosis: undefined, untried };
  for (const attempt of attempts(input, right, untried)) {
    const digest = attempt.digest();
    const claim = claims.find((one) => one.digest.equals(digest));
    if (claim === undefined) continue;
    const slugs = [...attempt.slugs, ...claim.slugs];
    return { diagnosis: describe(slugs, attempt, canonicalOf(right)), untried: [] };
  }
  return { diagnosis: undefined, untried };
}

/** The diagnosis alone. */
export function diagnoseSignature(input: DiagnosisInput): Diagnosis | undefined {
  return diagnose(input).diagnosis;
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
