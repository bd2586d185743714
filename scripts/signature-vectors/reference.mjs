// An independent implementation of request signing, written from the specification, to check src/signing against.
// Imports nothing from src/.
import { createHash, createHmac } from 'node:crypto';

const UNRESERVED = /[A-Za-z0-9\-._~]/;

export const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
export const hmac = (key, message) => createHmac('sha256', key).update(message).digest('hex');

/** Percent-encodes text by its UTF-8 bytes, except the characters in `left`. */
export function percentEncode(text, left = '') {
  let out = '';
  for (const byte of Buffer.from(text, 'utf8')) {
    const char = String.fromCharCode(byte);
    const plain = byte < 128 && (UNRESERVED.test(char) || left.includes(char));
    out += plain ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return out;
}

/** Decodes percent escapes; undefined if an escape is malformed or the bytes are not UTF-8. */
export function percentDecode(text) {
  const bytes = [];
  const raw = Buffer.from(text, 'utf8');
  for (let i = 0; i < raw.length; i += 1) {
    if (raw[i] !== 0x25) {
      bytes.push(raw[i]);
      continue;
    }
    const digits = raw.subarray(i + 1, i + 3).toString('latin1');
    if (!/^[0-9A-Fa-f]{2}$/.test(digits)) return undefined;
    bytes.push(Number.parseInt(digits, 16));
    i += 2;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Uint8Array.from(bytes),
    );
  } catch {
    return undefined;
  }
}

/** Returns the decoded pairs in the order sent; undefined for a malformed query. */
export function decodedPairs(query) {
  const pairs = [];
  for (const segment of query.split('&')) {
    if (segment === '') continue;
    const [key, ...rest] = segment.split('=');
    const pair = [percentDecode(key), percentDecode(rest.join('='))];
    if (pair.includes(undefined)) return undefined;
    pairs.push(pair);
  }
  return pairs;
}

export const byBytes = (a, b) => Buffer.compare(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8'));
export const sortPairs = (pairs) =>
  pairs.toSorted((a, b) => byBytes(a[0], b[0]) || byBytes(a[1], b[1]));

/** Returns the canonical query; undefined for a malformed one. */
export function canonicalQuery(query) {
  const pairs = decodedPairs(query);
  if (pairs === undefined) return undefined;
  return sortPairs(pairs)
    .map(([key, value]) => `${percentEncode(key)}=${percentEncode(value)}`)
    .join('&');
}

export function bodyBytes({ body, body_base64 }) {
  if (body_base64 !== undefined) return Buffer.from(body_base64, 'base64');
  return Buffer.from(body ?? '', 'utf8');
}

/** Splits a target into path and raw query. */
export function split(target) {
  const mark = target.indexOf('?');
  return mark < 0 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
}

/** Returns the expected canonical string and signature; undefined for a malformed query. */
export function expectedOf({ secret, request }) {
  const method = request.method.toUpperCase();
  const [path, query] = split(request.target);
  const canonical_query = canonicalQuery(query);
  if (canonical_query === undefined) return undefined;
  const ignored = method === 'GET' || method === 'HEAD';
  const body_sha256 = sha256(ignored ? '' : bodyBytes(request));
  const canonical_string = [
    method,
    path,
    canonical_query,
    request.timestamp,
    request.nonce,
    body_sha256,
  ].join('\n');
  const signature = `v1=${hmac(Buffer.from(secret, 'utf8'), Buffer.from(canonical_string, 'utf8'))}`;
  return { body_sha256, canonical_query, canonical_string, signature };
}
