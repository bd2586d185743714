import { timingSafeEqual } from 'node:crypto';
import { type CanonicalParts, canonicalString, splitTarget } from './canonical.ts';
import { EMPTY_BODY_SHA256, hmacSha256Hex, sha256Hex } from './hash.ts';

/** The scheme's version, in front of every request signature (specification, "Versioning"). */
export const SIGNATURE_PREFIX = 'v1=';

/** How far a timestamp may be off the real clock, which the partner runs on too (specification, "Replay protection"). */
export const MAX_SKEW_SECONDS = 300;

export const SIGNING_HEADERS = {
  keyId: 'X-Service-Key-Id',
  timestamp: 'X-Service-Timestamp',
  nonce: 'X-Service-Nonce',
  signature: 'X-Service-Signature',
} as const;

export interface RequestToSign {
  method: string;
  /** Request target as it will be sent: path, and `?query` where there is one. */
  target: string;
  /** Raw body; nothing for none. */
  body?: string | Uint8Array | undefined;
  /** Unix seconds. */
  timestamp: number | string;
  nonce: string;
}

/** Body hash by the specification: GET and HEAD count as empty whatever they carry. */
export function bodySha256(method: string, body: string | Uint8Array | undefined): string {
  const verb = method.toUpperCase();
  if (body === undefined || body.length === 0 || verb === 'GET' || verb === 'HEAD') {
    return EMPTY_BODY_SHA256;
  }
  return sha256Hex(body);
}

/**
 * The canonical parts of a request about to be sent.
 * @throws never; a malformed query shows when the canonical string is built
 */
export function partsOf(request: RequestToSign): CanonicalParts {
  return {
    method: request.method,
    ...splitTarget(request.target),
    timestamp: String(request.timestamp),
    nonce: request.nonce,
    bodySha256: bodySha256(request.method, request.body),
  };
}

/**
 * The `X-Service-Signature` value of a request: `v1=` and lower-case hex.
 * @throws MalformedQueryError
 */
export function signRequest(secret: string, parts: CanonicalParts): string {
  return SIGNATURE_PREFIX + hmacSha256Hex(secret, canonicalString(parts));
}

/** The four authentication headers of a request (specification, "Request headers"). */
export function signedHeaders(
  credential: { key_id: string; secret: string },
  request: RequestToSign,
): Record<string, string> {
  return {
    [SIGNING_HEADERS.keyId]: credential.key_id,
    [SIGNING_HEADERS.timestamp]: String(request.timestamp),
    [SIGNING_HEADERS.nonce]: request.nonce,
    [SIGNING_HEADERS.signature]: signRequest(credential.secret, partsOf(request)),
  };
}

/** Whether a header value is well formed: `v1=` and 64 lower-case hex digits. */
export function isSignatureHeader(value: string): boolean {
  return /^v1=[0-9a-f]{64}$/.test(value);
}

/** Timing-safe comparison of two signature texts. */
export function signaturesEqual(expected: string, given: string): boolean {
  const a = Buffer.from(expected);
  const b = Buffer.from(given);
  return a.length === b.length && timingSafeEqual(a, b);
}
