import { createHmac, hash } from 'node:crypto';

/** Lower-case hex SHA-256. Bytes as sent: never a re-serialized body. */
export function sha256Hex(bytes: string | Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

/** SHA-256 of nothing: the body hash of GET, HEAD and every request without a body. */
export const EMPTY_BODY_SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Lower-case hex HMAC-SHA256; key and message are UTF-8 when given as strings. */
export function hmacSha256Hex(key: string | Uint8Array, message: string | Uint8Array): string {
  return createHmac('sha256', key).update(message).digest('hex');
}
