import { CodedError, forbidden, validationError } from '../../kernel/errors.ts';
import { queuePerTick } from '../../kernel/runtime.ts';
import { MINUTE, SECOND } from '../../kernel/time.ts';
import type { CanonicalParts } from '../../signing/canonical.ts';
import { type Diagnosis, diagnose } from '../../signing/diagnosis.ts';
import {
  bodySha256,
  isSignatureHeader,
  MAX_SKEW_SECONDS,
  signaturesEqual,
  signRequest,
} from '../../signing/signature.ts';
import type { Tx } from '../../store/transaction.ts';
import type { World } from '../../world/world.ts';
import type { RawRequest } from '../request.ts';
import type { RequestContext } from './context.ts';

/** @throws missing_credentials, missing_signature_headers */
export function checkSigningHeaders(context: RequestContext): undefined {
  const { request } = context;
  const keyId = request.header('x-service-key-id');
  if (keyId === undefined) {
    throw new CodedError('missing_credentials', 'X-Service-Key-Id: the header is absent or empty');
  }
  context.signing = {
    keyId,
    timestamp: requireHeader(request, 'X-Service-Timestamp'),
    nonce: requireHeader(request, 'X-Service-Nonce'),
    signature: requireHeader(request, 'X-Service-Signature'),
  };
}

/** @throws invalid_timestamp */
export function checkTimestamp({ entry, signing, trace }: RequestContext): undefined {
  trace.note({ skew_s: requireSmallSkew(signing.timestamp, entry.receivedAt) });
}

/** Finds the credential and the world that it belongs to. @throws invalid_signature */
export function identifyCredential(context: RequestContext): undefined {
  const { api, signing, entry } = context;
  const key = api.worlds.keys.find(signing.keyId);
  if (!key) throw invalidSignature('X-Service-Key-Id: unknown or revoked key id');
  context.world = key.world;
  context.credential = key.credential;
  // The key may have been created while the body was read.
  entry.world = key.world;
  entry.credential = key.credential;
}

/** @throws invalid_signature with a diagnosis, validation_error for a malformed query */
export function verifySignature(context: RequestContext): Promise<never> | undefined {
  const { body, credential, request, signing } = context;
  context.bodySha256 = bodySha256(request.method, body);
  if (request.signatureError) {
    const error = request.signatureError();
    if (error) throw error;
    return undefined;
  }
  const { method, path, query } = request;
  const { timestamp, nonce, signature } = signing;
  const parts = { method, path, query, timestamp, nonce, bodySha256: context.bodySha256 };
  if (signaturesEqual(signRequest(credential.secret, parts), signature)) return undefined;
  return rejectSignature(context, parts);
}

/** A diagnosis takes some milliseconds, so each runs in an event-loop tick of its own. */
const diagnosisTick = queuePerTick();

/** Diagnoses the mistake. */
async function rejectSignature(context: RequestContext, parts: CanonicalParts): Promise<never> {
  const { api, body, credential, signing, entry, world } = context;
  const { keyId, signature } = signing;
  await diagnosisTick();
  const diagnosis = diagnose({
    ...parts,
    body,
    signature,
    secret: credential.secret,
    // A client may have mixed up its keys.
    otherCredentials: () => api.worlds.keys.others(world, keyId),
  });
  if (diagnosis) entry.addDiagnosis(diagnosis);
  throw invalidSignature(`X-Service-Signature: ${explain(signature, diagnosis)}`);
}

function requireHeader(request: RawRequest, name: string): string {
  const value = request.header(name.toLowerCase());
  if (value !== undefined) return value;
  throw new CodedError('missing_signature_headers', `${name}: the header is absent or empty`);
}

/** Returns the difference to the server's clock in seconds; positive is ahead. */
function requireSmallSkew(timestamp: string, realNow: number): number {
  const invalid = (reason: string) =>
    new CodedError('invalid_timestamp', `X-Service-Timestamp: ${reason}`);
  if (!/^\d{1,17}$/.test(timestamp)) {
    throw invalid('must be Unix time in seconds, as an integer string');
  }
  const serverSeconds = Math.floor(realNow / SECOND);
  const skew = Number(timestamp) - serverSeconds;
  if (Math.abs(skew) <= MAX_SKEW_SECONDS) return skew;
  if (Math.abs(Number(timestamp) / 1_000 - serverSeconds) <= MAX_SKEW_SECONDS) {
    throw invalid('looks like milliseconds; send Unix seconds');
  }
  const side = skew > 0 ? 'ahead of' : 'behind';
  throw invalid(
    `${Math.abs(skew)} s ${side} the server's clock; at most ${MAX_SKEW_SECONDS} s are allowed`,
  );
}

function invalidSignature(message: string): CodedError {
  return new CodedError('invalid_signature', message);
}

/** Explains the mistake if it is known; never names the secret or the valid signature. */
function explain(signature: string, diagnosis: Diagnosis | undefined): string {
  if (diagnosis) return `${diagnosis.summary} ${diagnosis.fix}`;
  return isSignatureHeader(signature)
    ? 'does not match; wrong secret, wrong canonical string, or body changed after signing'
    : 'must be v1= followed by 64 lower-case hex digits';
}

/** @throws forbidden */
export function checkScope(context: RequestContext): undefined {
  const { endpoint, credential, trace } = context;
  if (endpoint.scopes.some((scope) => credential.scopes.includes(scope))) return;
  trace.note({ holds: credential.scopes });
  throw forbidden(
    `this endpoint needs the scope ${endpoint.scopes.join(' or ')}; the credential has ${credential.scopes.join(', ') || 'none'}`,
  );
}

/** Runs only for endpoints with `requiresAffiliate`. @throws forbidden */
export function checkAffiliate({ credential }: RequestContext): undefined {
  if (credential.affiliate) return;
  throw forbidden('this endpoint needs a credential that is linked to an affiliate account');
}

/** Runs only for LIVE credentials. @throws forbidden */
export function checkApproval({ credential }: RequestContext): undefined {
  if (credential.approved) return;
  throw forbidden('production access is not approved for this LIVE credential');
}

/** The used nonces and the rate windows of a world, in memory: a restart, a reset and a restore forget them. */
interface Usage {
  /** When each nonce was used, by `KEY_ID NONCE`, oldest first; in real time, Unix ms. */
  nonces: Map<string, number>;
  /** When the requests of the last window were admitted, oldest first, by `KEY_ID CLASS`. */
  windows: Map<string, number[]>;
}

const usages = new WeakMap<object, Usage>();

export function usageOf({ stateVersion }: World): Usage {
  const usage = usages.get(stateVersion) ?? { nonces: new Map(), windows: new Map() };
  usages.set(stateVersion, usage);
  return usage;
}

/** Forgets what a revoked credential has used: a new one can have its key id. */
export function forgetUsage(world: World, keyId: string): void {
  for (const uses of Object.values(usageOf(world))) {
    for (const use of uses.keys()) if (use.startsWith(`${keyId} `)) uses.delete(use);
  }
}

/**
 * Admits at most the limit of requests in any 60 s of real time; a rejected request does not count.
 * @throws rate_limited, with the seconds after which a request passes
 */
export function enforceRateLimit(context: RequestContext, { realNow }: Tx): undefined {
  const { api, credential, endpoint, trace, world } = context;
  const { rateClass } = endpoint;
  const limit = api.rateLimits[rateClass];
  if (limit === null) return;
  const { windows } = usageOf(world);
  const key = `${credential.keyId} ${rateClass}`;
  const admitted = windows.get(key) ?? [];
  windows.set(key, admitted);
  // The real clock may have been set back.
  while (Math.abs(realNow - (admitted[0] ?? realNow)) >= MINUTE) admitted.shift();
  const count = admitted.length;
  trace.note({ class: rateClass, limit, before: count, after: Math.min(count + 1, limit) });
  if (count >= limit) {
    const waitMs = (admitted[0] ?? realNow) + MINUTE - realNow;
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / SECOND));
    throw new CodedError(
      'rate_limited',
      `at most ${limit} ${rateClass} requests per minute and credential; wait ${retryAfterSeconds} s, or start the sandbox with --no-rate-limits (createSandbox: rateLimits: false)`,
      { retryAfterSeconds },
    );
  }
  admitted.push(realNow);
}

/** How long a nonce cannot be used again with its credential. */
const NONCE_TRACKED_MS = 600 * SECOND;

/**
 * Marks a nonce as used, on the real clock (specification, "Replay protection").
 * @throws validation_error for a malformed nonce, replay_detected
 */
export function useNonce(
  { signing, world }: Pick<RequestContext, 'signing' | 'world'>,
  { realNow }: Tx,
): undefined {
  const { keyId, nonce } = signing;
  if (!/^[\x21-\x7e]{1,128}$/.test(nonce)) {
    throw validationError('X-Service-Nonce: must be 1 to 128 visible ASCII characters');
  }
  const { nonces: usedAt } = usageOf(world);
  for (const [oldest, at] of usedAt) {
    // After the real clock was set back, nonces of the future count as used too.
    if (realNow - at < NONCE_TRACKED_MS) break;
    usedAt.delete(oldest);
  }
  const use = `${keyId} ${nonce}`;
  if (!usedAt.has(use)) {
    usedAt.set(use, realNow);
    return;
  }
  throw new CodedError(
    'replay_detected',
    'X-Service-Nonce: already used; use a fresh nonce for each request, retries included',
  );
}
