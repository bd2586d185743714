import { hmacSha256Hex } from './hash.ts';
import { signaturesEqual } from './signature.ts';

/** Carries the signature of a delivery; the same name as on requests, without `v1=`. */
export const WEBHOOK_SIGNATURE_HEADER = 'X-Service-Signature';

/** Lower-case hex HMAC-SHA256 of the raw body (specification, "Events": no canonical string). */
export function signWebhook(secret: string, rawBody: string | Uint8Array): string {
  return hmacSha256Hex(secret, rawBody);
}

/** A signature that is well formed, but wrong in its last digit: to see a receiver reject it. */
export function wronglySignWebhook(secret: string, rawBody: string | Uint8Array): string {
  const right = signWebhook(secret, rawBody);
  return right.slice(0, -1) + (right.endsWith('0') ? '1' : '0');
}

/** Whether a delivery was signed with this secret, compared in constant time. */
export function verifyWebhook(
  secret: string,
  rawBody: string | Uint8Array,
  given: string,
): boolean {
  return signaturesEqual(signWebhook(secret, rawBody), given);
}
