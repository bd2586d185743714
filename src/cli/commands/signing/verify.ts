import { CheckFailedError, UsageError } from '../../errors.ts';
import { signingKey } from '../../partner-call.ts';
import { readBytes } from '../../read-data.ts';
import { checkWebhookSignature } from '../webhook-signature.ts';
import { checkSignature, formatVerification } from './check-signature.ts';
import type { VerifyCall } from './options.ts';
import { requestFromCurl, requestFromOptions } from './request-to-verify.ts';

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
