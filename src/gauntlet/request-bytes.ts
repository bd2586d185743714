import { VERSION } from '../version.ts';
import type { Delivery } from './check.ts';

const CHUNK_BYTES = 100;

/** The bytes of a request, in the pieces in which they are written: mostly one. */
export function requestBytes(url: URL, { headers, body, splitAt }: Delivery): Buffer[] {
  const lines = [
    `POST ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    `User-Agent: sandlot/${VERSION}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  const chunked = headers.some(([name]) => name === 'Transfer-Encoding');
  if (chunked) return [Buffer.concat([head, ...inChunks(body)])];
  if (!splitAt) return [Buffer.concat([head, body])];
  const [first, second] = splitAt;
  return [
    Buffer.concat([head, body.subarray(0, first)]),
    body.subarray(first, second),
    body.subarray(second),
  ];
}

function inChunks(body: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; at += CHUNK_BYTES) {
    const chunk = body.subarray(at, at + CHUNK_BYTES);
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return [...parts, Buffer.from('0\r\n\r\n')];
}
