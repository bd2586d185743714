import { formatDuration, SECOND } from '../../../kernel/time.ts';
import { canonicalString, MalformedQueryError } from '../../../signing/canonical.ts';
import { diagnose } from '../../../signing/diagnosis.ts';
import {
  bodySha256,
  isSignatureHeader,
  MAX_SKEW_SECONDS,
  signaturesEqual,
  signRequest,
} from '../../../signing/signature.ts';
import type { Claim } from './claim.ts';

/** Something for which the request would be refused. */
export interface Problem {
  /** Stable words: the diagnosis' names, or a code of the partner API. */
  code: string;
  also: readonly string[];
  summary: string;
  fix: string;
}

/** What `verify` found out about a request. */
export interface Verdict {
  valid: boolean;
  problems: Problem[];
  /** What the specification asks to be signed; null when the query is malformed. */
  canonical_string: string | null;
  /** What the client signed, where that could be found out and is something else. */
  signed_string: string | null;
  /** What is right now, but will not be for ever. */
  warnings: string[];
}

const SKEW_MS = MAX_SKEW_SECONDS * SECOND;

/** @param nowMs real time, Unix ms */
export function judgeRequest(claim: Claim, secret: string, nowMs: number): Verdict {
  const problems = [...missingHeaders(claim), ...timestampProblems(claim)];
  const { timestamp, nonce, signature } = claim;
  const verdict: Verdict = {
    valid: false,
    problems,
    canonical_string: null,
    signed_string: null,
    warnings: skewWarnings(timestamp, nowMs),
  };
  if (timestamp === undefined || nonce === undefined || signature === undefined) return verdict;
  const parts = { ...claim, timestamp, nonce, bodySha256: bodySha256(claim.method, claim.body) };
  try {
    verdict.canonical_string = canonicalString(parts);
  } catch (error) {
    if (!(error instanceof MalformedQueryError)) throw error;
    problems.push(problem('malformed_query', `${error.message}.`, 'Encode it as UTF-8.'));
    return verdict;
  }
  if (!signaturesEqual(signRequest(secret, parts), signature)) {
    const { diagnosis: found, untried } = diagnose({
      ...claim,
      timestamp,
      nonce,
      signature,
      secret,
    });
    verdict.signed_string = found?.clientCanonical ?? null;
    problems.unshift(
      found
        ? { code: found.mistake, ...found }
        : isSignatureHeader(signature)
          ? unknownMistake(untried)
          : MALFORMED,
    );
  }
  verdict.problems = problems.map(({ code, also, summary, fix }) => ({ code, also, summary, fix }));
  verdict.valid = problems.length === 0;
  return verdict;
}

const MALFORMED = problem(
  'invalid_signature',
  'The signature is not v1= followed by 64 lower-case hex digits.',
  'Send v1= and the digest in lower-case hex.',
);
function unknownMistake(untried: readonly string[]): Problem {
  return problem(
    'invalid_signature',
    untried.length === 0
      ? 'The signature does not match, and no known mistake gives it.'
      : `The signature does not match, and no mistake that was tried gives it; not all tried: ${untried.join('; ')}.`,
    'Compare the canonical string with what the client signs, and check that the secret is the one of this key.',
  );
}

function missingHeaders({ missing }: Claim): Problem[] {
  return missing.map((name) =>
    problem(
      name.endsWith('Key-Id') ? 'missing_credentials' : 'missing_signature_headers',
      `The ${name} header is missing.`,
      'Send all four headers.',
    ),
  );
}

function timestampProblems({ timestamp }: Claim): Problem[] {
  if (timestamp === undefined) return [];
  const wrong = (summary: string) => [
    problem('invalid_timestamp', summary, 'Send Unix time in seconds, as an integer.'),
  ];
  if (!/^\d{1,17}$/.test(timestamp)) return wrong('The timestamp is no integer.');
  // 13 digits are milliseconds until the year 2286, and 11 are seconds from the year 2286 on.
  return timestamp.length >= 13 ? wrong('The timestamp is in milliseconds.') : [];
}

function skewWarnings(timestamp: string | undefined, nowMs: number): string[] {
  const skew = Number(timestamp) * 1_000 - nowMs;
  if (!(Math.abs(skew) > SKEW_MS) || Math.abs(skew) > nowMs) return [];
  const side = skew > 0 ? 'ahead of' : 'behind';
  return [
    `the timestamp is ${formatDuration(Math.abs(skew))} ${side} this machine's clock; more than 5m are refused`,
  ];
}

function problem(code: string, summary: string, fix: string): Problem {
  return { code, also: [], summary, fix };
}
