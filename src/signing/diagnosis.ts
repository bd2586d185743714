import { canonicalQuery, MalformedQueryError } from './canonical.ts';
import { type Attempt, attempts, type DiagnosisInput } from './diagnosis/attempts.ts';
import { readSignature } from './diagnosis/key.ts';
import { canonicalOf, type Lines } from './diagnosis/mistake.ts';
import { type MistakeSlug, mistakeText } from './diagnosis/mistakes.ts';
import { bodySha256 } from './signature.ts';

export type { DiagnosisInput } from './diagnosis/attempts.ts';
export { MISTAKES, type Mistake, type MistakeSlug } from './diagnosis/mistakes.ts';

interface Diagnosis {
  /** Stable name of the mistake, e.g. `query_unsorted`. */
  mistake: MistakeSlug;
  /** Further mistakes, if only several together reproduce the signature. */
  also: readonly MistakeSlug[];
  summary: string;
  fix: string;
  /** The canonical string that the client signed, if it is not the correct one. Never a secret. */
  clientCanonical?: string;
}

export interface DiagnosisResult {
  /** Undefined if no known mistake matches, the signature is correct, or the query is malformed. */
  diagnosis: Diagnosis | undefined;
  /** Groups of mistakes that were not fully tried within `WORK_BUDGET`; empty with a diagnosis. */
  untried: readonly string[];
}

/** Names the mistake in a signature, only if the same mistake reproduces the signature received. Does not throw. */
export function diagnose(input: DiagnosisInput): DiagnosisResult {
  const untried: string[] = [];
  const readings = readSignature(input.signature);
  const right = readings.length > 0 ? rightLines(input) : undefined;
  if (right === undefined) return { diagnosis: undefined, untried };
  for (const attempt of attempts(input, right, untried)) {
    const digest = attempt.digest();
    const reading = readings.find((reading) => reading.digest.equals(digest));
    if (reading === undefined) continue;
    const slugs = [...attempt.slugs, ...reading.slugs];
    return { diagnosis: describe(slugs, attempt, canonicalOf(right)), untried: [] };
  }
  return { diagnosis: undefined, untried };
}

function describe(
  slugs: readonly MistakeSlug[],
  { detail, canonical }: Attempt,
  right: string,
): Diagnosis | undefined {
  const [mistake, ...also] = new Set(slugs);
  if (mistake === undefined) return undefined;
  const texts = [mistake, ...also].map(mistakeText);
  const summary = texts.map((text) => text.summary).join(' ');
  return {
    mistake,
    also,
    summary: detail ? `${summary.replace(/\.$/, '')} (${detail}).` : summary,
    fix: [...new Set(texts.map(({ fix }) => fix))].join(' '),
    ...(canonical === undefined || canonical === right ? {} : { clientCanonical: canonical }),
  };
}

/** Returns the correct six lines; undefined for a malformed query, which is rejected anyway. */
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
