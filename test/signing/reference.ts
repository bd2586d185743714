// An independent implementation of request signing, written from the specification, that checks the test vectors.
// Imports nothing from src/.
import { createHash, createHmac } from 'node:crypto';
import type { Expected, Vector } from './vector-file.ts';

const UNRESERVED = /[A-Za-z0-9\-._~]/;

export const hmac = (key: string, message: string) =>
  createHmac('sha256', Buffer.from(key, 'utf8')).update(message, 'utf8').digest('hex');

/** Returns what a vector expects; undefined for a malformed query. */
export function expectedOf({ secret, request }: Vector): Expected | undefined {
  const method = request.method.toUpperCase();
  const mark = request.target.indexOf('?');
  const path = mark < 0 ? request.target : request.target.slice(0, mark);
  const canonical_query = canonicalQuery(mark < 0 ? '' : request.target.slice(mark + 1));
  if (canonical_query === undefined) return undefined;
  const isIgnored = method === 'GET' || method === 'HEAD';
  const sent =
    request.body_base64 === undefined
      ? Buffer.from(request.body ?? '', 'utf8')
      : Buffer.from(request.body_base64, 'base64');
  const body_sha256 = createHash('sha256')
    .update(isIgnored ? '' : sent)
    .digest('hex');
  const canonical_string = [
    method,
    path,
    canonical_query,
    request.timestamp,
    request.nonce,
    body_sha256,
  ].join('\n');
  const signature = `v1=${hmac(secret, canonical_string)}`;
  return { body_sha256, canonical_query, canonical_string, signature };
}

export function canonicalQuery(query: string): string | undefined {
  const pairs: [key: string, value: string][] = [];
  for (const segment of query.split('&')) {
    if (segment === '') continue;
    const [key = '', ...rest] = segment.split('=');
    const name = percentDecode(key);
    const value = percentDecode(rest.join('='));
    if (name === undefined || value === undefined) return undefined;
    pairs.push([name, value]);
  }
  return pairs
    .toSorted((a, b) => byBytes(a[0], b[0]) || byBytes(a[1], b[1]))
    .map((pair) => pair.map(percentEncode).join('='))
    .join('&');
}

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

function percentEncode(text: string): string {
  let out = '';
  for (const byte of Buffer.from(text, 'utf8')) {
    const char = String.fromCharCode(byte);
    const isPlain = byte < 128 && UNRESERVED.test(char);
    out += isPlain ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return out;
}

/** Returns undefined if an escape is malformed or the bytes are not UTF-8. */
function percentDecode(text: string): string | undefined {
  const bytes: number[] = [];
  const raw = Buffer.from(text, 'utf8');
  for (let at = 0; at < raw.length; at += 1) {
    if (raw[at] !== 0x25) {
      bytes.push(raw[at] as number);
      continue;
    }
    const digits = raw.subarray(at + 1, at + 3).toString('latin1');
    if (!/^[0-9A-Fa-f]{2}$/.test(digits)) return undefined;
    bytes.push(Number.parseInt(digits, 16));
    at += 2;
  }
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return decoder.decode(Uint8Array.from(bytes));
  } catch {
    return undefined;
  }
}
