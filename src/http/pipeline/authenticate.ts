import { CodedError } from '../../kernel/errors.ts';
import { SECOND } from '../../kernel/time.ts';
import type { CanonicalParts } from '../../signing/canonical.ts';
import { type DiagnosisResult, diagnose } from '../../signing/diagnosis.ts';
import {
  bodySha256,
  isSignatureHeader,
  MAX_SKEW_SECONDS,
  signaturesEqual,
  signRequest,
} from '../../signing/signature.ts';
import type { Worlds } from '../../world/worlds.ts';
import type { RawRequest } from '../node-request.ts';
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
export function checkTimestamp({ api, signing, trace }: RequestContext): undefined {
  trace.note({ skew_s: requireTimestamp(signing.timestamp, api.runtime.now()) });
}

/** Finds the credential and the world that it belongs to. @throws invalid_signature */
export function findCredential(context: RequestContext): undefined {
  const { api, signing, entry } = context;
  const known = api.worlds.keys.find(signing.keyId);
  if (!known) {
    throw invalidSignature(`X-Service-Key-Id: unknown or revoked key id${keysNotRead(api.worlds)}`);
  }
  context.world = known.world;
  context.credential = known.credential;
  entry.world = known.world;
  entry.credential = known.credential;
  known.world.follower.read(entry);
}

/** @throws invalid_signature with a diagnosis, validation_error for a malformed query */
export function verifySignature(context: RequestContext): Promise<never> | undefined {
  const { body, credential, request, signing } = context;
  context.bodySha256 = bodySha256(request.method, body);
  if (request.verified) {
    const error = request.verified();
    if (error) throw error;
    return undefined;
  }
  const { timestamp, nonce, signature } = signing;
  const parts: CanonicalParts = {
    method: request.method,
    path: request.path,
    query: request.query,
    timestamp,
    nonce,
    bodySha256: context.bodySha256,
  };
  if (signaturesEqual(signRequest(credential.secret, parts), signature)) return undefined;
  return rejectSignature(context, parts);
}

/** Diagnoses the mistake. That takes some milliseconds, so other requests are served between two diagnoses. */
async function rejectSignature(context: RequestContext, parts: CanonicalParts): Promise<never> {
  const { api, body, credential, signing, entry, world } = context;
  const { keyId, signature } = signing;
  await api.diagnosisTick();
  const result = diagnose({
    ...parts,
    body,
    signature,
    secret: credential.secret,
    keyId,
    // A client may have mixed up its keys.
    otherCredentials: () => api.worlds.keys.others(world, keyId),
    baseUrl: api.baseUrl(),
  });
  entry.addDiagnosis(result);
  throw invalidSignature(`X-Service-Signature: ${explain(signature, result)}`);
}

/** Names the worlds whose key ids are unknown because their file cannot be used. */
function keysNotRead(worlds: Worlds): string {
  const names = worlds.unusable().map(({ name }) => name);
  if (names.length === 0) return '';
  return `; it may be one of world ${names.join(', ')}, which cannot be used (see: sandlot status)`;
}

function requireHeader(request: RawRequest, name: string): string {
  const value = request.header(name.toLowerCase());
  if (value !== undefined) return value;
  throw new CodedError('missing_signature_headers', `${name}: the header is absent or empty`);
}

/** Returns the difference to the server's clock in seconds; positive is ahead. */
function requireTimestamp(timestamp: string, realNow: number): number {
  const invalid = (why: string) =>
    new CodedError('invalid_timestamp', `X-Service-Timestamp: ${why}`);
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
function explain(signature: string, { diagnosis, untried }: DiagnosisResult): string {
  if (diagnosis) return `${diagnosis.summary} ${diagnosis.fix}`;
  const problem = isSignatureHeader(signature)
    ? 'does not match; wrong secret, wrong canonical string, or body changed after signing'
    : 'must be v1= followed by 64 lower-case hex digits';
  if (untried.length === 0) return problem;
  return `${problem}. The request is too large to try every known mistake; not all tried: ${untried.join('; ')}`;
}
