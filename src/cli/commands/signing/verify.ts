import { formatDuration, SECOND } from '../../../kernel/time.ts';
import { canonicalString, MalformedQueryError, splitTarget } from '../../../signing/canonical.ts';
import { diagnose } from '../../../signing/diagnosis.ts';
import {
  bodySha256,
  isSignatureHeader,
  MAX_SKEW_SECONDS,
  SIGNING_HEADERS,
  signaturesEqual,
  signRequest,
} from '../../../signing/signature.ts';
import { CheckFailedError, UsageError, usageFrom } from '../../errors.ts';
import type { Formatter } from '../../output.ts';
import { type CurlRequest, CurlSyntaxError, parseCurl } from '../../parsers/curl.ts';
import { type HarRequest, HarSyntaxError, parseHar } from '../../parsers/har.ts';
import { signingKey } from '../../partner-call.ts';
import { readBytes, readFile } from '../../read-data.ts';
import { checkWebhookSignature } from '../webhook-signature.ts';
import type { VerifyCall } from './options.ts';

/** A request and its signature; a missing header is undefined. */
type RequestToVerify = ReturnType<typeof signedRequestOf>;
type VerifyOptions = VerifyCall['options'];

/** @throws UsageError if an option is missing */
async function requestFromOptions({ io, options }: VerifyCall): Promise<RequestToVerify> {
  const { method, path, timestamp, nonce, signature, data, keyId } = options;
  const parts = { method, path, timestamp, nonce, signature };
  const missingOptions = Object.entries(parts).flatMap(([name, value]) =>
    value === undefined ? [`--${name}`] : [],
  );
  if (method === undefined || path === undefined || missingOptions.length > 0) {
    throw new UsageError(`missing ${missingOptions.join(', ')}; or pass a request with --curl`);
  }
  if (!path.startsWith('/')) throw new UsageError('--path: expected a path that starts with /');
  return {
    method,
    ...splitTarget(path),
    keyId,
    timestamp,
    nonce,
    signature,
    body: data === undefined ? Buffer.alloc(0) : await readBytes(io, '--data', data),
    baseUrl: undefined,
    missing: [],
  };
}

/** @throws UsageError if the command is invalid, or an option repeats a part of it */
async function requestFromCurl(
  { io, options }: VerifyCall,
  curl: string,
): Promise<RequestToVerify> {
  assertNoParts(options, 'the --curl command has it');
  const isFile = curl === '-' || curl.startsWith('@');
  const line = isFile ? await readFile(io, '--curl', curl.replace(/^@/, '')) : curl;
  try {
    const request = await parseCurl(line.toString(), (file) => readFile(io, '--curl', file));
    return signedRequestOf(request, options.keyId);
  } catch (error) {
    throw usageFrom(error, CurlSyntaxError, '--curl: ');
  }
}

/** @throws UsageError if an option repeats a part of a recorded request */
function assertNoParts(options: VerifyOptions, reason: string): void {
  for (const name of ['method', 'path', 'timestamp', 'nonce', 'signature', 'data'] as const) {
    if (options[name] !== undefined) throw new UsageError(`--${name}: ${reason}`);
  }
}

/** Reads the signing headers of a recorded request. @param keyId overrides the key ID of the header */
function signedRequestOf(request: CurlRequest, keyId: string | undefined) {
  const { method, path, query, body, origin } = request;
  const header = (name: string) => request.headers.get(name.toLowerCase()) || undefined;
  return {
    method,
    path,
    query,
    keyId: keyId ?? header(SIGNING_HEADERS.keyId),
    timestamp: header(SIGNING_HEADERS.timestamp),
    nonce: header(SIGNING_HEADERS.nonce),
    signature: header(SIGNING_HEADERS.signature),
    body,
    // Address of the server as the client knows it.
    baseUrl: origin || undefined,
    missing: Object.values(SIGNING_HEADERS).filter((name) => header(name) === undefined),
  };
}

/** Why the sandbox would reject the request. */
interface Problem {
  /** The name of a mistake, or an error code of the partner API. */
  code: string;
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
  /** Warns of what is valid for a limited time only. */
  warnings: string[];
}

const SKEW_MS = MAX_SKEW_SECONDS * SECOND;

/** @param nowMs real time, Unix ms */
function checkSignature(
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
    const { diagnosis, untried } = diagnose({
      ...request,
      timestamp,
      nonce,
      signature,
      secret,
    });
    result.signed_string = diagnosis?.clientCanonical ?? null;
    problems.unshift(
      diagnosis
        ? { code: diagnosis.mistake, ...diagnosis }
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
  const invalidTimestamp = (summary: string) => [
    problem('invalid_timestamp', summary, 'Send Unix time in seconds, as an integer.'),
  ];
  if (!/^\d{1,17}$/.test(timestamp)) return invalidTimestamp('The timestamp is not an integer.');
  // Milliseconds have 13 digits, and seconds have 11 only from the year 2286 on.
  return timestamp.length >= 13 ? invalidTimestamp('The timestamp is in milliseconds.') : [];
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

function formatVerification(result: VerificationResult, { colors }: Formatter): string[] {
  const { valid, problems, canonical_string: expectedString, signed_string: signedString } = result;
  const summary = valid
    ? [colors.success('✓ the signature is valid')]
    : problems.flatMap(({ summary, fix }) => [colors.error(`✗ ${summary}`), `  ${fix}`]);
  if (expectedString === null) return summary;
  const lines = expectedString.split('\n');
  const signedLines = signedString?.split('\n');
  const isComparable = signedLines?.length === lines.length;
  return [
    ...summary,
    '',
    colors.dim('canonical string:'),
    ...lines.flatMap((line, index) => {
      const row = `  ${(LINES[index] ?? '').padEnd(12)} ${line}`.trimEnd();
      const signedLine = isComparable ? signedLines[index] : undefined;
      if (signedLine === undefined || signedLine === line) return [row];
      return [
        colors.success(row),
        colors.error(`  ${'signed as'.padEnd(12)} ${JSON.stringify(signedLine)}`),
      ];
    }),
    ...(signedString === null || isComparable
      ? []
      : [colors.dim('signed instead:'), `  ${colors.error(JSON.stringify(signedString))}`]),
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

interface VerifiedEntry extends VerificationResult {
  entry: number;
  method: string;
  /** Path and query, as sent. */
  target: string;
}

export async function verifyHar(call: VerifyCall, file: string): Promise<void> {
  const { io, out, options } = call;
  if (options.curl !== undefined)
    throw new UsageError('--curl and --har: pass one of them, not both');
  assertNoParts(options, 'the HAR file has it');
  const name = file.replace(/^@/, '');
  const text = (await readFile(io, '--har', name)).toString();
  let requests: HarRequest[];
  try {
    requests = parseHar(text, options.entry);
  } catch (error) {
    throw usageFrom(error, HarSyntaxError, '--har: ');
  }
  const secretOf = secretCache(call);
  const entries: VerifiedEntry[] = [];
  for (const entry of requests) {
    const request = signedRequestOf(entry, options.keyId);
    const result = checkSignature(request, await secretOf(request.keyId), io.runtime.now());
    entries.push(entryOf(entry, result));
  }
  out.result({ entries }, (document, formatter) =>
    document.entries.flatMap((entry, index) => [
      ...(index > 0 ? [''] : []),
      formatter.colors.dim(`entry ${entry.entry}: ${entry.method} ${entry.target}`),
      ...formatVerification(entry, formatter),
    ]),
  );
  for (const { entry, warnings } of entries) {
    for (const warning of warnings) out.note(`entry ${entry}: ${warning}`);
  }
  const invalidEntries = entries.filter(({ valid }) => !valid).map(({ entry }) => entry);
  if (invalidEntries.length === 0) return;
  const summary = `${invalidEntries.length} of ${entries.length} signed requests ${invalidEntries.length === 1 ? 'is' : 'are'} invalid: ${invalidEntries.join(', ')}`;
  if (entries.length > 1) out.note(summary);
  throw new CheckFailedError(summary);
}

function entryOf(request: HarRequest, result: VerificationResult): VerifiedEntry {
  const { entry, method, path, query } = request;
  const target = query === '' ? path : `${path}?${query}`;
  return { entry, method, target, ...withUnknownBody(request, result) };
}

/** Replaces the result if the body in the file may differ from what was sent, unless the signature is valid. */
function withUnknownBody(
  { doubt, method, body }: HarRequest,
  result: VerificationResult,
): VerificationResult {
  const isBodySigned = !['GET', 'HEAD'].includes(method.toUpperCase());
  if (doubt === undefined || !isBodySigned || (result.valid && body.length > 0)) return result;
  const problem = {
    code: 'body_unknown',
    also: [],
    summary: doubt,
    fix: 'The signature cannot be verified without it. Export the bodies too, or use --curl or --data.',
  };
  const otherProblems = result.problems.filter(({ code }) => OTHER_PROBLEMS.has(code));
  return { ...result, valid: false, problems: [problem, ...otherProblems], signed_string: null };
}

const OTHER_PROBLEMS = new Set([
  'missing_credentials',
  'missing_signature_headers',
  'invalid_timestamp',
  'malformed_query',
]);

/** Requests the secret of each key once. */
function secretCache(call: VerifyCall) {
  const secrets = new Map<string | undefined, string>();
  return async (keyId: string | undefined): Promise<string> => {
    const secret =
      call.options.secret ?? secrets.get(keyId) ?? (await signingKey(call, keyId)).secret;
    secrets.set(keyId, secret);
    return secret;
  };
}
