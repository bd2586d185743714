import type { CommandContext } from '../../context.ts';
import { CheckFailedError } from '../../errors.ts';
import { signingKey } from '../../partner-call.ts';
import { checkSignature, formatVerification } from './check-signature.ts';
import { requestFromCurl, requestFromOptions, type VerifyOptions } from './request-to-verify.ts';

export async function verifyRequest(
  context: CommandContext,
  options: VerifyOptions,
): Promise<void> {
  const { io, out } = context;
  const request =
    options.curl === undefined
      ? await requestFromOptions(io, options)
      : await requestFromCurl(io, options.curl, options);
  const secret = options.secret ?? (await signingKey(context, request.keyId)).secret;
  const baseUrl = request.baseUrl ?? context.address().url;
  const result = checkSignature({ ...request, baseUrl }, secret, io.runtime.now());
  out.result(result, formatVerification);
  for (const warning of result.warnings) out.note(warning);
  const [problem] = result.problems;
  if (problem) throw new CheckFailedError(problem.summary);
}
