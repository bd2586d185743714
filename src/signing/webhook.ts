import { hmacSha256Hex, signaturesEqual } from './signature.ts';

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
  given: string,
): boolean {
  return signaturesEqual(signWebhook(secret, rawBody), given);
}
