import { CheckFailedError, UsageError, usageFrom } from '../../errors.ts';
import { type HarRequest, HarSyntaxError, parseHar } from '../../parsers/har.ts';
import { signingKey } from '../../partner-call.ts';
import { readFile } from '../../read-data.ts';
import { checkSignature, formatVerification, type VerificationResult } from './check-signature.ts';
import type { VerifyCall } from './options.ts';
import { assertNoParts, signedRequestOf } from './request-to-verify.ts';

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
  for (const request of requests) {
    const signed = signedRequestOf(request, options.keyId);
    const result = checkSignature(signed, await secretOf(signed.keyId), io.runtime.now());
    entries.push(entryOf(request, result));
  }
  out.result({ entries }, (document, formatter) =>
    document.entries.flatMap((each, index) => [
      ...(index > 0 ? [''] : []),
      formatter.colors.dim(`entry ${each.entry}: ${each.method} ${each.target}`),
      ...formatVerification(each, formatter),
    ]),
  );
  for (const { entry, warnings } of entries) {
    for (const warning of warnings) out.note(`entry ${entry}: ${warning}`);
  }
  const wrong = entries.filter(({ valid }) => !valid).map(({ entry }) => entry);
  if (wrong.length === 0) return;
  const summary = `${wrong.length} of ${entries.length} signed requests ${wrong.length === 1 ? 'is' : 'are'} invalid: ${wrong.join(', ')}`;
  if (entries.length > 1) out.note(summary);
  throw new CheckFailedError(summary);
}

function entryOf(request: HarRequest, result: VerificationResult): VerifiedEntry {
  const { entry, method, path, query } = request;
  const target = query === '' ? path : `${path}?${query}`;
  return { entry, method, target, ...withoutGuess(request, result) };
}

/** Withdraws the result if the body in the file may differ from what was sent, unless the signature matches. */
function withoutGuess(
  { doubt, method, body }: HarRequest,
  result: VerificationResult,
): VerificationResult {
  const bodyCounts = !['GET', 'HEAD'].includes(method.toUpperCase());
  if (doubt === undefined || !bodyCounts || (result.valid && body.length > 0)) return result;
  const unknown = {
    code: 'body_unknown',
    also: [],
    summary: doubt,
    fix: 'The signature cannot be verified without it. Export the bodies too, or use --curl or --data.',
  };
  const others = result.problems.filter(({ code }) => OTHER_PROBLEMS.has(code));
  return { ...result, valid: false, problems: [unknown, ...others], signed_string: null };
}

const OTHER_PROBLEMS = new Set([
  'missing_credentials',
  'missing_signature_headers',
  'invalid_timestamp',
  'malformed_query',
]);

/** Requests the secret of each key once. */
function secretCache(call: VerifyCall) {
  const known = new Map<string | undefined, string>();
  return async (keyId: string | undefined): Promise<string> => {
    const found = call.options.secret ?? known.get(keyId) ?? (await signingKey(call, keyId)).secret;
    known.set(keyId, found);
    return found;
  };
}
