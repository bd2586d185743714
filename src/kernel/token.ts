import { createHmac, timingSafeEqual } from 'node:crypto';

const TAG_BYTES = 16;

/**
 * A signed token: `base64url(payload).base64url(tag)`. Used for quote ids, cursors and the links of hosted
 * pages, so that nothing of them need be trusted when it comes back.
 * @param purpose keeps a token made for one use from passing in another
 */
export function signToken(key: string, purpose: string, payload: string): string {
  return `${Buffer.from(payload).toString('base64url')}.${tagOf(key, purpose, payload).toString('base64url')}`;
}

/** The payload of a token sealed with the same key and purpose, compared in constant time; else undefined. */
export function verifyToken(key: string, purpose: string, token: string): string | undefined {
  const dot = token.indexOf('.');
  if (dot < 0) return undefined;
  const payload = Buffer.from(token.slice(0, dot), 'base64url').toString();
  const given = Buffer.from(token.slice(dot + 1), 'base64url');
  if (given.length !== TAG_BYTES || !timingSafeEqual(given, tagOf(key, purpose, payload)))
    return undefined;
  // Base64 has several spellings of one value; only the one that was issued counts.
  return signToken(key, purpose, payload) === token ? payload : undefined;
}

function tagOf(key: string, purpose: string, payload: string): Buffer {
  return createHmac('sha256', key).update(`${purpose}\n${payload}`).digest().subarray(0, TAG_BYTES);
}
