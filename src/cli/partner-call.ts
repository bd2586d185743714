import { ControlApiError, UnreachableError } from '../client/control-client.ts';
import {
  type Key,
  type PartnerRequest,
  type SignedRequest,
  sendSigned,
  signPartnerRequest,
} from '../client/partner-client.ts';
import { DEFAULT_CREDENTIAL } from '../market/defaults.ts';
import { VERSION } from '../version.ts';
import type { CommandContext } from './command.ts';
import { CheckFailedError, UsageError } from './failures.ts';

/**
 * The key that signs: the one named, else SANDLOT_KEY_ID and SANDLOT_SECRET, else the default credential. A
 * secret that is not at hand is asked of the control door.
 * @throws UsageError when only a world is named; ControlApiError for an unknown key id
 */
export async function signingKey(
  { environment, world, control }: CommandContext,
  as: string | undefined,
): Promise<Key> {
  const keyId = as ?? environment.keyId;
  if (keyId === undefined && world !== undefined && world !== 'default') {
    throw new UsageError(
      `--world ${world}: a request enters the world of its key; mint one with "sandlot credentials create --world ${world}" and name it with --as`,
    );
  }
  if (keyId !== undefined && keyId === environment.keyId && environment.secret !== undefined) {
    return { key_id: keyId, secret: environment.secret };
  }
  if (keyId === undefined || keyId === DEFAULT_CREDENTIAL.keyId) {
    return { key_id: DEFAULT_CREDENTIAL.keyId, secret: DEFAULT_CREDENTIAL.secret };
  }
  const { key_id, secret } = await control().get<Key>(`/credentials/${encodeURIComponent(keyId)}`);
  return { key_id, secret };
}

/** Signs a request to the sandbox, now. */
export function signNow(context: CommandContext, key: Key, request: PartnerRequest): SignedRequest {
  return signPartnerRequest(context.address().url, key, request, context.io.runtime.now());
}

const USER_AGENT = `sandlot/${VERSION}`;

/**
 * Sends a signed request.
 * @throws UnreachableError when nobody is there, CheckFailedError when the connection was cut instead of an answer
 */
export function send({ io, address }: CommandContext, request: SignedRequest): Promise<Response> {
  const named = Object.keys(request.headers).some((name) => name.toLowerCase() === 'user-agent');
  const headers = named ? request.headers : { ...request.headers, 'User-Agent': USER_AGENT };
  return sendSigned(io.fetch, { ...request, headers }).catch((error: unknown) => {
    const { code } = ((error as Error).cause ?? error) as { code?: string };
    if (code !== undefined && NOBODY_THERE.has(code)) {
      throw new UnreachableError(address().url, { cause: error });
    }
    throw new CheckFailedError(
      'the connection was cut before an answer came; the request may have been carried out',
    );
  });
}

const NOBODY_THERE = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** The body of a call that must succeed. @throws ControlApiError, UnreachableError */
export async function answerTo<T>(context: CommandContext, request: SignedRequest): Promise<T> {
  const response = await send(context, request);
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return body as T;
  const { error } = (body ?? {}) as {
    error?: { code: ControlApiError['code']; message: string };
  };
  if (!error) throw new UnreachableError(context.address().url);
  throw new ControlApiError(response.status, error.code, error.message);
}
