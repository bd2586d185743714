import net from 'node:net';

/** A response as received over a socket. */
export interface RawResponse {
  status: number;
  isHtml: boolean;
  body: string;
  /** Whether the whole announced body arrived. */
  isComplete: boolean;
}

export interface Exchange {
  responses: RawResponse[];
  /** How the connection ended. */
  end: 'closed' | 'reset' | 'silent';
}

/** How long a server may take to respond: the export of a repro with 10,000 requests takes seconds. */
const PATIENCE_MS = 30_000;

/**
 * Sends bytes on a new connection and reads until the server closes it.
 * @param halfCloses whether the client ends its side after the bytes
 */
export function exchange(url: string, bytes: Uint8Array, halfCloses: boolean): Promise<Exchange> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const chunks: Buffer[] = [];
    let end: Exchange['end'] = 'closed';
    const socket = net.connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.setTimeout(PATIENCE_MS, () => {
      end = 'silent';
      socket.destroy();
    });
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('end', () => socket.end());
    socket.on('error', () => {
      end = 'reset';
    });
    socket.on('close', () => resolve({ responses: responsesIn(Buffer.concat(chunks)), end }));
    if (halfCloses) socket.end(bytes);
    else socket.write(bytes);
  });
}

function responsesIn(bytes: Buffer): RawResponse[] {
  const parts = bytes.toString('latin1').split(/(?=HTTP\/1\.[01] \d{3} )/);
  return parts
    .map((part) => {
      const [head = '', ...rest] = part.split('\r\n\r\n');
      const body = Buffer.from(rest.join('\r\n\r\n'), 'latin1');
      const length = /^content-length: (\d+)/im.exec(head)?.[1];
      return {
        status: Number(head.slice(9, 12)),
        isHtml: /^content-type: text\/html/im.test(head),
        body: body.toString(),
        isComplete: length === undefined || Number(length) === body.length,
      };
    })
    .filter(({ status }) => status !== 0 && status !== 100);
}
