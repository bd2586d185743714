import { CodedError, validationError } from '../../kernel/errors.ts';
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
import type { Credential } from '../../store/schema/partners.ts';
import type { World } from '../../world/world.ts';
import type { Worlds } from '../../world/worlds.ts';
import type { RawRequest } from '../raw-request.ts';
import type { Visit } from './visit.ts';

/** Who sent a request, once its signature is proven. Its nonce is still to be used. */
export interface Authenticated {
  world: World;
  credential: Credential;
  nonce: string;
}

/** A signature that does not match. Why is found out later, because it takes some milliseconds. */
export class SignatureMismatchError extends Error {
  readonly diagnose: () => CodedError;

  constructor(diagnose: () => CodedError) {
    super('the signature does not match');
    this.name = 'SignatureMismatchError';
    this.diagnose = diagnose;
  }
}

/** What a request is held against. */
export interface Surroundings {
  worlds: Worlds;
  /** Unix ms. */
  realNow: number;
  /** Address at which the sandbox is reached, for telling a client that it signed a whole url. */
  baseUrl: string;
}

/**
 * Headers, timestamp, key, signature, in this order (decisions, "Errors").
 * @throws missing_credentials, missing_signature_headers, invalid_timestamp, invalid_signature (as a
 * SignatureMismatchError unless the key id is unknown), validation_error for a malformed query or nonce
 */
export function authenticate(
  request: RawRequest,
  body: Uint8Array,
  { worlds, realNow, baseUrl }: Surroundings,
  visit: Visit,
): Authenticated {
  const { trace } = visit;
  trace.check('headers');
  const keyId = request.header('x-service-key-id');
  if (keyId === undefined) {
    throw new CodedError('missing_credentials', 'X-Service-Key-Id: the header is absent or empty');
  }
  const timestamp = requireHeader(request, 'X-Service-Timestamp');
  const nonce = requireHeader(request, 'X-Service-Nonce');
  const signature = requireHeader(request, 'X-Service-Signature');
  trace.check('timestamp');
  trace.note({ skew_s: refuseTimestamp(timestamp, realNow) });
  trace.check('key');
  const known = worlds.findKey(keyId);
  if (!known) {
    throw invalidSignature(`X-Service-Key-Id: unknown or revoked key id${keysNotRead(worlds)}`);
  }
  const { world, credential } = known;
  visit.enter(world, credential);
  trace.check('signature');
  const parts: CanonicalParts = {
    method: request.method,
    path: request.path,
    query: request.query,
    timestamp,
    nonce,
    bodySha256: bodySha256(request.method, body),
  };
  if (!signaturesEqual(signRequest(credential.secret, parts), signature)) {
    throw new SignatureMismatchError(() => {
      const result = diagnose({
        ...parts,
        body,
        signature,
        secret: credential.secret,
        keyId,
        // A client may have mixed up its keys.
        otherCredentials: () => worlds.otherCredentials(world, keyId),
        baseUrl,
      });
      visit.diagnosed(result);
      return invalidSignature(`X-Service-Signature: ${explain(signature, result)}`);
    });
  }
  trace.check('nonce');
  if (!/^[\x21-\x7e]{1,128}$/.test(nonce)) {
    throw validationError('X-Service-Nonce: must be 1 to 128 visible ASCII characters');
  }
  return { world, credential, nonce };
}

/** Whose key ids are not known, because their file could not be used. */
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

/** @returns how far it is off, in seconds; positive is ahead */
function refuseTimestamp(timestamp: string, realNow: number): number {
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

/** What the client did, if exactly that gives its signature; never the secret or the right signature. */
function explain(signature: string, { diagnosis, untried }: DiagnosisResult): string {
  if (diagnosis) return `${diagnosis.summary} ${diagnosis.fix}`;
  const problem = isSignatureHeader(signature)
    ? 'does not match; wrong secret, wrong canonical string, or body changed after signing'
    : 'must be v1= followed by 64 lower-case hex digits';
  if (untried.length === 0) return problem;
  return `${problem}. The request is too large to try every known mistake; not all tried: ${untried.join('; ')}`;
}
