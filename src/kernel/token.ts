import { createHmac, timingSafeEqual } from 'node:crypto';

const TAG_BYTES = 16;

/**
 * Returns a signed token: `base64url(payload).base64url(tag)`. Quote ids, cursors and links of hosted pages are
 * such tokens, so that clients cannot change them.
 * @param purpose one line; a token is valid for this purpose only
 */
export function signToken(key: string, purpose: string, payload: string): string {
  return `${Buffer.from(payload).toString('base64url')}.${tagOf(key, purpose, payload).toString('base64url')}`;
}

/** Returns the payload of a valid token, else undefined. The tag is compared in constant time. */
export function verifyToken(key: string, purpose: string, token: string): string | undefined {
  const dot = token.indexOf('.');
  if (dot < 0) return undefined;
  const payload = Buffer.from(token.slice(0, dot), 'base64url').toString();
  const tag = Buffer.from(token.slice(dot + 1), 'base64url');
  if (tag.length !== TAG_BYTES || !timingSafeEqual(tag, tagOf(key, purpose, payload)))
    return undefined;
  // Base64 has several spellings of one value; only the issued one is valid.
  return signToken(key, purpose, payload) === token ? payload : undefined;
}

function tagOf(key: string, purpose: string, payload: string): Buffer {
  return createHmac('sha256', key).update(`${purpose}\n${payload}`).digest().subarray(0, TAG_BYTES);
}
