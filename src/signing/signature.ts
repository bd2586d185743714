import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { type CanonicalParts, canonicalString, splitTarget } from './canonical.ts';

/** Version of the scheme, before every request signature (specification, "Versioning"). */
const SIGNATURE_PREFIX = 'v1=';

/** Allowed difference of a timestamp from the real clock (specification, "Replay protection"). */
export const MAX_SKEW_SECONDS = 300;

export const SIGNING_HEADERS = {
  keyId: 'X-Service-Key-Id',
  timestamp: 'X-Service-Timestamp',
  nonce: 'X-Service-Nonce',
  signature: 'X-Service-Signature',
} as const;

interface RequestToSign {
  method: string;
  /** Request target as it will be sent: path and optional `?query`. */
  target: string;
  body?: string | Uint8Array | undefined;
  /** Unix seconds. */
  timestamp: number | string;
  nonce: string;
}

/** Whether the body of such a request counts as empty (specification, "Canonical string"). */
export function isBodyIgnored(method: string): boolean {
  const verb = method.toUpperCase();
  return verb === 'GET' || verb === 'HEAD';
}

export function bodySha256(method: string, body: string | Uint8Array | undefined): string {
  if (body === undefined || isBodyIgnored(method)) return EMPTY_BODY_SHA256;
  return sha256Hex(body);
}

/** Returns the canonical parts of a request. A malformed query is not rejected here, but by `canonicalString`. */
export function partsOf(request: RequestToSign): CanonicalParts {
  return {
    method: request.method,
    ...splitTarget(request.target),
    timestamp: String(request.timestamp),
    nonce: request.nonce,
    bodySha256: bodySha256(request.method, request.body),
  };
}

/** Returns the `X-Service-Signature` value of a request. @throws MalformedQueryError */
export function signRequest(secret: string, parts: CanonicalParts): string {
  return SIGNATURE_PREFIX + hmacSha256Hex(secret, canonicalString(parts));
}

/** Returns the four authentication headers of a request (specification, "Request headers"). */
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

/** Compares two signatures in constant time. */
export function signaturesEqual(expected: string, actual: string): boolean {
  const a = Buffer.from(expected);
  const b = Buffer.from(actual);
  return a.length === b.length && timingSafeEqual(a, b);
}

export function sha256Hex(bytes: string | Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

/** Body hash of GET, HEAD and every request without a body. */
export const EMPTY_BODY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Returns lower-case hex HMAC-SHA256 (RFC 2104); strings are UTF-8. A buffer would cost each request 5% of its CPU. */
function hmacSha256Hex(key: string, message: string | Uint8Array): string {
  return createHmac('sha256', key).update(message).digest('hex');
}

/** As `hmacSha256Hex`, as bytes. */
export function hmacSha256(key: string | Uint8Array, message: string | Uint8Array): Buffer {
  return createHmac('sha256', key).update(message).digest();
}

/** Header of a webhook signature. The name is the same as for requests; the value has no `v1=`. */
export const WEBHOOK_SIGNATURE_HEADER = 'X-Service-Signature';

/** Signs the raw body with HMAC-SHA256, in lower-case hex (specification, "Events"). */
export function signWebhook(secret: string, rawBody: string | Uint8Array): string {
  return hmacSha256Hex(secret, rawBody);
}

/** Returns a well-formed signature with a wrong last digit, which a receiver must reject. */
export function wronglySignWebhook(secret: string, rawBody: string | Uint8Array): string {
  const right = signWebhook(secret, rawBody);
  return right.slice(0, -1) + (right.endsWith('0') ? '1' : '0');
}

/** Whether a delivery was signed with this secret. Compares in constant time. */
export function verifyWebhook(
  secret: string,
  rawBody: string | Uint8Array,
  signature: string,
): boolean {
  return signaturesEqual(signWebhook(secret, rawBody), signature);
}
