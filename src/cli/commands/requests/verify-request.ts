import type { CommandContext } from '../../command.ts';
import { CheckFailedError } from '../../failures.ts';
import { signingKey } from '../../partner-call.ts';
import { type Claim, claimFromCurl, claimFromOptions, type VerifyOptions } from './claim.ts';
import { judgeRequest } from './judge-request.ts';
import { showVerdict } from './show-verdict.ts';

/** Judges the signature of a request. @throws CheckFailedError when something is wrong with it */
export async function verifyRequest(
  context: CommandContext,
  options: VerifyOptions,
): Promise<void> {
  const { io, out } = context;
  const claim =
    options.curl === undefined
      ? await claimFromOptions(io, options)
      : await claimFromCurl(io, options.curl, options);
  const secret = options.secret ?? (await secretOf(context, claim));
  const baseUrl = claim.baseUrl ?? context.address().url;
  const verdict = judgeRequest({ ...claim, baseUrl }, secret, io.runtime.now());
  out.result(verdict, showVerdict);
  for (const warning of verdict.warnings) out.note(warning);
  const [problem] = verdict.problems;
  if (problem) throw new CheckFailedError(problem.summary);
}

async function secretOf(context: CommandContext, { keyId }: Claim): Promise<string> {
  return (await signingKey(context, keyId)).secret;
}
