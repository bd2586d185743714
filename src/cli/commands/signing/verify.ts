import { canonicalString, MalformedQueryError, splitTarget } from '../../../signing/canonical.ts';
import { type DiagnosisInput, diagnose } from '../../../signing/diagnosis.ts';
import {
  bodySha256,
  isSignatureHeader,
  signaturesEqual,
  signRequest,
} from '../../../signing/signature.ts';
import { CommandFailedError } from '../../errors.ts';
import type { Formatter } from '../../output.ts';
import { signingKey } from '../../partner-call.ts';
import { readBytes } from '../../read-data.ts';
import { titledLines } from '../requests/format-request.ts';
import type { VerifyCall } from './options.ts';

/** A mistake in the signature, the timestamp or the query. */
interface Problem {
  /** The name of a mistake, or an error code of the partner API. */
  code: string;
  /** Names of further mistakes, if only several together give the signature. */
  also: readonly string[];
  summary: string;
  fix: string;
}

interface VerificationResult {
  valid: boolean;
  problems: Problem[];
  /** The canonical string of the specification; null if the query is malformed. */
  canonical_string: string | null;
  /** The string that the client signed instead, if the diagnosis found it. */
  signed_string: string | null;
}

function checkSignature(request: DiagnosisInput): VerificationResult {
  const { timestamp, signature, secret } = request;
  const problems = timestampProblems(timestamp);
  const parts = { ...request, bodySha256: bodySha256(request.method, request.body) };
  let expectedString: string;
  try {
    expectedString = canonicalString(parts);
  } catch (error) {
    if (!(error instanceof MalformedQueryError)) throw error;
    problems.push(problem('validation_error', `${error.message}.`, 'Encode it as UTF-8.'));
    return { valid: false, problems, canonical_string: null, signed_string: null };
  }
  let signedString: string | null = null;
  if (!signaturesEqual(signRequest(secret, parts), signature)) {
    const diagnosis = diagnose(request);
    signedString = diagnosis?.clientCanonical ?? null;
    if (diagnosis) {
      const { mistake, also, summary, fix } = diagnosis;
      problems.unshift({ code: mistake, also, summary, fix });
    } else problems.unshift(isSignatureHeader(signature) ? UNKNOWN_CAUSE : MALFORMED);
  }
  const valid = problems.length === 0;
  return { valid, problems, canonical_string: expectedString, signed_string: signedString };
}

const MALFORMED = problem(
  'invalid_signature',
  'The signature is not v1= followed by 64 lowercase hex digits.',
  'Send v1= and the digest in lowercase hex.',
);
const UNKNOWN_CAUSE = problem(
  'invalid_signature',
  'The signature does not match, and none of the mistakes that were tried produces it.',
  'Compare the canonical string with what the client signs, and check that the secret belongs to this key.',
);

function timestampProblems(timestamp: string): Problem[] {
  const invalidTimestamp = (summary: string) => [
    problem('invalid_timestamp', summary, 'Send Unix time in seconds, as an integer.'),
  ];
  if (!/^\d{1,17}$/.test(timestamp)) return invalidTimestamp('The timestamp is not an integer.');
  // Milliseconds have 13 digits, and seconds have 11 only from the year 2286 on.
  return timestamp.length >= 13 ? invalidTimestamp('The timestamp is in milliseconds.') : [];
}

function problem(code: string, summary: string, fix: string): Problem {
  return { code, also: [], summary, fix };
}

function formatVerification(
  { valid, problems, canonical_string: expected, signed_string: signed }: VerificationResult,
  { colors }: Formatter,
): string[] {
  return [
    ...(valid
      ? [colors.success('✓ the signature is valid')]
      : problems.flatMap(({ summary, fix }) => [colors.error(`✗ ${summary}`), `  ${fix}`])),
    ...titledLines(colors.dim('canonical string:'), expected),
    ...titledLines(colors.dim('signed instead:'), signed),
  ];
}

/** @throws CommandFailedError if the signature of the request is invalid */
export async function verifyRequest(call: VerifyCall): Promise<void> {
  const { io, out, options } = call;
  const { method, path, timestamp, nonce, signature, data } = options;
  const body = data === undefined ? Buffer.alloc(0) : await readBytes(io, data);
  const { secret } = await signingKey(call, options.keyId, options.secret);
  const request = { method, ...splitTarget(path), timestamp, nonce, signature, body, secret };
  const result = checkSignature(request);
  out.result(result, formatVerification);
  const [problem] = result.problems;
  if (problem) throw new CommandFailedError(problem.summary);
}
