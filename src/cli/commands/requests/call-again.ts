import type { CommandContext } from '../../command.ts';
import { printCurl } from '../../curl/print-curl.ts';
import { CheckFailedError } from '../../failures.ts';
import { signingKey, signNow } from '../../partner-call.ts';
import type { RequestDetailShape } from '../../shapes.ts';

/** Headers that say what the call means; the rest belongs to the client or the connection. */
const REPEATED = ['content-type', 'idempotency-key'];

/**
 * Prints a request as a curl command line, signed now by the key that sent it.
 * @throws CheckFailedError for a visit of a page, or one of which the log has not kept every byte
 */
export async function printAgain(
  context: CommandContext,
  { door, method, target, key_id, request }: RequestDetailShape,
): Promise<void> {
  if (door === 'page') throw new CheckFailedError('--curl: this was a browser on a hosted page');
  if (key_id === null) throw new CheckFailedError('--curl: the request named no key to sign with');
  if (request.altered !== null) {
    const why = request.altered === 'cut' ? 'only the beginning of' : 'not the secrets in';
    throw new CheckFailedError(`--curl: the log keeps ${why} its body`);
  }
  const key = await signingKey(context, key_id);
  const repeated = request.headers.filter(([name]) => REPEATED.includes(name.toLowerCase()));
  const headers = Object.fromEntries(repeated);
  const body = request.body === null ? undefined : Buffer.from(request.body, request.encoding);
  const signed = signNow(context, key, { method, target, body, headers });
  const curl = printCurl(signed);
  if (curl === undefined) throw new CheckFailedError('--curl: the body is no text');
  context.out.result({ curl }, (document) => document.curl);
}
