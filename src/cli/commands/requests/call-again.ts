import { printCurl } from '../../../client/curl.ts';
import type { RequestDetail } from '../../../requests/logged-request.ts';
import { reSign, reSignProblem } from '../../../requests/re-sign.ts';
import type { CommandContext } from '../../command.ts';
import { CheckFailedError } from '../../failures.ts';
import { signingKey } from '../../partner-call.ts';

/**
 * Prints a request as a curl command line, signed now by the key that sent it.
 * @throws CheckFailedError for a visit of a page, or one of which the log has not kept every byte
 */
export async function printAgain(context: CommandContext, request: RequestDetail): Promise<void> {
  const problem = reSignProblem(request);
  if (problem !== undefined) throw new CheckFailedError(`--curl: ${problem}`);
  const key = await signingKey(context, request.key_id ?? undefined);
  const { url } = context.address();
  const curl = printCurl(reSign(url, request, key, context.io.runtime.now()));
  if (curl === undefined) throw new CheckFailedError('--curl: the body is no text');
  context.out.result({ curl }, (document) => document.curl);
}
