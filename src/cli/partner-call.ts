import { type Key, type SignedRequest, sendSigned } from '../client/partner-client.ts';
import { connectionErrorOf, UnreachableError } from '../client/unreachable.ts';
import { DEFAULT_CREDENTIAL } from '../market/defaults.ts';
import type { CommandContext } from './context.ts';
import { callRoute } from './endpoints.ts';
import { CommandFailedError, UsageError } from './errors.ts';

/**
 * Returns the key to sign with: `as`, SANDLOT_KEY_ID, or the default credential. If `secret` is left out, the secret is
 * SANDLOT_SECRET for SANDLOT_KEY_ID, a known one for the default credential, or else read from the control API.
 * @throws UsageError for the default credential if another world is selected, ControlApiError for an unknown key ID
 */
export async function signingKey(
  { variables, world, control, suggest }: CommandContext,
  as: string | undefined,
  secret?: string,
): Promise<Key> {
  const keyId = as ?? variables.keyId ?? DEFAULT_CREDENTIAL.keyId;
  if (secret !== undefined) return { key_id: keyId, secret };
  const isDefault = keyId === DEFAULT_CREDENTIAL.keyId;
  if (isDefault && world !== undefined && world !== 'default') {
    throw new UsageError(
      `--world ${world}: a request goes to the world of its key; create one with "${suggest('credentials create')}" and pass its key ID`,
    );
  }
  if (keyId === variables.keyId && variables.secret !== undefined) {
    return { key_id: keyId, secret: variables.secret };
  }
  if (isDefault) return { key_id: keyId, secret: DEFAULT_CREDENTIAL.secret };
  return callRoute(control(), 'GET /credentials/{key_id}', { key_id: keyId });
}

/**
 * Sends a signed request and reads the response.
 * @throws UnreachableError if no sandbox responds, UsageError if the request cannot be constructed, CommandFailedError if the
 *   connection closes before the end of the response
 */
export async function send({ io }: CommandContext, request: SignedRequest) {
  let response: Response | undefined;
  try {
    response = await sendSigned(io.fetch, request);
    return { response, text: await response.text() };
  } catch (error) {
    const { code = '', message } = connectionErrorOf(error);
    // A request that cannot be constructed, for example with an invalid header, has no cause.
    if (!response && !(error instanceof Error && error.cause)) {
      throw new UsageError(`the request was not sent: ${message}`);
    }
    if (!response && !LOST_CONNECTION.test(code))
      throw new UnreachableError(new URL(request.url).origin, { cause: error });
    throw new CommandFailedError(
      `the connection was closed before ${response ? 'the end of ' : ''}the response; the request may have been processed`,
    );
  }
}

/** Codes of connections that failed after the request was sent. */
const LOST_CONNECTION =
  /^(?:ECONNRESET|EPIPE|HPE_.*|UND_ERR_(?:SOCKET|HEADERS_TIMEOUT|BODY_TIMEOUT))$/;
