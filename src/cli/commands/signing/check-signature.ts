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
import { CheckFailedError, UsageError } from '../../errors.ts';
import type { Formatter } from '../../output.ts';
import { signingKey } from '../../partner-call.ts';
import { readBytes } from '../../read-data.ts';
import { checkWebhookSignature } from '../webhook-signature.ts';
import type { VerifyCall } from './options.ts';
import { type RequestToVerify, requestFromCurl, requestFromOptions } from './request-to-verify.ts';

/** A reason for which the sandbox would reject the request. */
export interface Problem {
  /** A name of the diagnosis, or a code of the partner API. */
  code: string;
  also: readonly string[];
  summary: string;
  fix: string;
}

export interface VerificationResult {
  valid: boolean;
  problems: Problem[];
  /** The canonical string of the specification; null if the query is malformed. */
  canonical_string: string | null;
  /** What the client signed instead, if the diagnosis found it. */
  signed_string: string | null;
  /** What is valid for a limited time only. */
  warnings: string[];
}

const SKEW_MS = MAX_SKEW_SECONDS * SECOND;

/** @param nowMs real time, Unix ms */
export function checkSignature(
  request: RequestToVerify,
  secret: string,
  nowMs: number,
): VerificationResult {
  const problems = [...missingHeaders(request), ...timestampProblems(request)];
  const { timestamp, nonce, signature } = request;
  const result: VerificationResult = {
    valid: false,
    problems,
    canonical_string: null,
    signed_string: null,
    warnings: skewWarnings(timestamp, nowMs),
  };
  if (timestamp === undefined || nonce === undefined || signature === undefined) return result;
  const parts = {
    ...request,
    timestamp,
    nonce,
    bodySha256: bodySha256(request.method, request.body),
  };
  try {
    result.canonical_string = canonicalString(parts);
  } catch (error) {
    if (!(error instanceof MalformedQueryError)) throw error;
    problems.push(problem('malformed_query', `${error.message}.`, 'Encode it as UTF-8.'));
    return result;
  }
  if (!signaturesEqual(signRequest(secret, parts), signature)) {
    const { diagnosis: found, untried } = diagnose({
      ...request,
      timestamp,
      nonce,
      signature,
      secret,
    });
    result.signed_string = found?.clientCanonical ?? null;
    problems.unshift(
      found
        ? { code: found.mistake, ...found }
        : isSignatureHeader(signature)
          ? unknownCause(untried)
          : MALFORMED,
    );
  }
  result.problems = problems.map(({ code, also, summary, fix }) => ({ code, also, summary, fix }));
  result.valid = problems.length === 0;
  return result;
}

const MALFORMED = problem(
  'invalid_signature',
  'The signature is not v1= followed by 64 lowercase hex digits.',
  'Send v1= and the digest in lowercase hex.',
);
function unknownCause(untried: readonly string[]): Problem {
  return problem(
    'invalid_signature',
    untried.length === 0
      ? 'The signature does not match, and no known mistake produces it.'
      : `The signature does not match, and no mistake that was tried produces it. Not tried: ${untried.join('; ')}.`,
    'Compare the canonical string with what the client signs, and check that the secret belongs to this key.',
  );
}

function missingHeaders({ missing }: RequestToVerify): Problem[] {
  return missing.map((name) =>
    problem(
      name.endsWith('Key-Id') ? 'missing_credentials' : 'missing_signature_headers',
      `The ${name} header is missing.`,
      'Send all four headers.',
    ),
  );
}

function timestampProblems({ timestamp }: RequestToVerify): Problem[] {
  if (timestamp === undefined) return [];
  const wrong = (summary: string) => [
    problem('invalid_timestamp', summary, 'Send Unix time in seconds, as an integer.'),
  ];
  if (!/^\d{1,17}$/.test(timestamp)) return wrong('The timestamp is not an integer.');
  // 13 digits are milliseconds until the year 2286, and 11 are seconds from the year 2286 on.
  return timestamp.length >= 13 ? wrong('The timestamp is in milliseconds.') : [];
}

function skewWarnings(timestamp: string | undefined, nowMs: number): string[] {
  const skew = Number(timestamp) * 1_000 - nowMs;
  if (!(Math.abs(skew) > SKEW_MS) || Math.abs(skew) > nowMs) return [];
  const side = skew > 0 ? 'ahead of' : 'behind';
  return [
    `the timestamp is ${formatDuration(Math.abs(skew))} ${side} this machine's clock; more than 5m is rejected`,
  ];
}

function problem(code: string, summary: string, fix: string): Problem {
  return { code, also: [], summary, fix };
}

const LINES = ['METHOD', 'PATH', 'QUERY', 'TIMESTAMP', 'NONCE', 'BODY_SHA256'];

export function formatVerification(result: VerificationResult, { colors }: Formatter): string[] {
  const { valid, problems, canonical_string: expected, signed_string: signed } = result;
  const head = valid
    ? [colors.success('✓ the signature is valid')]
    : problems.flatMap(({ summary, fix }) => [colors.error(`✗ ${summary}`), `  ${fix}`]);
  if (expected === null) return head;
  const lines = expected.split('\n');
  const others = signed?.split('\n');
  const comparable = others?.length === lines.length;
  return [
    ...head,
    '',
    colors.dim('canonical string:'),
    ...lines.flatMap((line, index) => {
      const shown = `  ${(LINES[index] ?? '').padEnd(12)} ${line}`.trimEnd();
      const other = comparable ? others[index] : undefined;
      if (other === undefined || other === line) return [shown];
      return [
        colors.success(shown),
        colors.error(`  ${'signed as'.padEnd(12)} ${JSON.stringify(other)}`),
      ];
    }),
    ...(signed === null || comparable
      ? []
      : [colors.dim('signed instead:'), `  ${colors.error(JSON.stringify(signed))}`]),
  ];
}

/** @throws CheckFailedError if the signature of the request is invalid */
export async function verifyRequest(call: VerifyCall): Promise<void> {
  const { io, out, options } = call;
  const request =
    options.curl === undefined
      ? await requestFromOptions(call)
      : await requestFromCurl(call, options.curl);
  const secret = options.secret ?? (await signingKey(call, request.keyId)).secret;
  const baseUrl = request.baseUrl ?? call.address().url;
  const result = checkSignature({ ...request, baseUrl }, secret, io.runtime.now());
  out.result(result, formatVerification);
  for (const warning of result.warnings) out.note(warning);
  const [problem] = result.problems;
  if (problem) throw new CheckFailedError(problem.summary);
}

/** @throws CheckFailedError if the signature of the webhook is invalid */
export async function verifyWebhook({ io, out, options }: VerifyCall): Promise<void> {
  const { secret, signature, data } = options;
  if (secret === undefined || signature === undefined || data === undefined) {
    throw new UsageError('--webhook: missing --secret, --signature or --data; pass all three');
  }
  const result = checkWebhookSignature(secret, await readBytes(io, '--data', data), signature);
  out.result(result, ({ valid }, { colors }) =>
    valid ? colors.success('✓ the signature is valid') : colors.error('✗ the signature is invalid'),
  );
  if (!result.valid) throw new CheckFailedError(`the signature is invalid: ${result.problem}`);
}
