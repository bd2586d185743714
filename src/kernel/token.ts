import { createHmac, timingSafeEqual } from 'node:crypto';

const TAG_BYTES = 16;

/**
 * Returns a signed token: `base64url(payload).base64url(tag)`. Quote ids, cursors and links of hosted pages are
 * such tokens, so that clients cannot change them.
 * @param purpose one line; a token is valid for this purpose only
 */
export function signToken(key: string, purpose: string, payload: string): string {
  const digest = createHmac('sha256', key).update(`${purpose}\n${payload}`).digest();
  const tag = digest.subarray(0, TAG_BYTES);
  return `${Buffer.from(payload).toString('base64url')}.${tag.toString('base64url')}`;
}

/** Returns the payload of a valid token, else undefined. Tokens are compared in constant time. */
export function verifyToken(key: string, purpose: string, token: string): string | undefined {
  const [encoded = ''] = token.split('.', 1);
  const payload = Buffer.from(encoded, 'base64url').toString();
  // As text: base64 has several spellings of one value, and only the issued one is valid.
  const expected = Buffer.from(signToken(key, purpose, payload));
  const actual = Buffer.from(token);
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return undefined;
  return payload;
}
