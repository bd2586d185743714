import net from 'node:net';

/** A response as received over a socket. */
export interface RawResponse {
  status: number;
  headers: Map<string, string>;
  body: string;
  /** Whether the whole announced body arrived. */
  complete: boolean;
}

export interface Exchange {
  responses: RawResponse[];
  /** How the connection ended. */
  end: 'closed' | 'reset' | 'silent';
}

/** How long a server may take to respond to a malformed request. */
const PATIENCE_MS = 10_000;

/**
 * Sends bytes on a new connection and reads until the server closes it.
 * @param halfCloses whether the client ends its side after the bytes
 */
export function exchange(
  url: string,
  bytes: Uint8Array,
  { halfCloses = true } = {},
): Promise<Exchange> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const chunks: Buffer[] = [];
    let end: Exchange['end'] = 'closed';
    const socket = net.connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const timer = setTimeout(() => {
      end = 'silent';
      socket.destroy();
    }, PATIENCE_MS);
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('end', () => socket.end());
    socket.on('error', () => {
      end = 'reset';
    });
    socket.on('close', () => {
      clearTimeout(timer);
      resolve({ responses: parse(Buffer.concat(chunks)), end });
    });
    if (halfCloses) socket.end(bytes);
    else socket.write(bytes);
  });
}

function parse(bytes: Buffer): RawResponse[] {
  const responses: RawResponse[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd < 0) break;
    const [first = '', ...lines] = rest.toString('latin1', 0, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1] ?? 0);
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
      }),
    );
    rest = rest.subarray(headEnd + 4);
    if (status === 100) continue;
    const length = headers.get('content-length');
    const taken = length === undefined ? rest.length : Math.min(Number(length), rest.length);
    const body = rest.toString('utf8', 0, taken);
    const complete = length === undefined || taken === Number(length);
    responses.push({ status, headers, body, complete });
    rest = rest.subarray(taken);
  }
  return responses;
}
