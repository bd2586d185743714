import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { CheckFailedError } from '../../failures.ts';

/** A webhook as it came over the wire. */
export interface Incoming {
  body: Buffer;
  headers: http.IncomingHttpHeaders;
}

export interface Answer {
  status: number;
  body?: Buffer;
  contentType?: string | undefined;
}

export interface Receiver {
  url: string;
  /** Resolves when what is in flight has been answered. */
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Listens on loopback for POST requests.
 * @param port 0 picks a free one
 * @param answer an exception becomes a 500
 * @throws CheckFailedError when the port cannot be had
 */
export async function startReceiver(
  port: number,
  answer: (incoming: Incoming) => Promise<Answer>,
): Promise<Receiver> {
  const server = http.createServer((request, response) => {
    void handle(request, answer).then(({ status, body, contentType }) => {
      // A kept connection would hold up the end.
      response.setHeader('Connection', 'close');
      if (contentType !== undefined) response.setHeader('Content-Type', contentType);
      response.writeHead(status).end(body);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EADDRINUSE' ? 'it is in use; --port 0 takes a free one' : error.message;
      reject(new CheckFailedError(`cannot listen on port ${port}: ${why}`));
    });
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

async function handle(
  request: http.IncomingMessage,
  answer: (incoming: Incoming) => Promise<Answer>,
): Promise<Answer> {
  if (request.method !== 'POST') return { status: 405, body: Buffer.from('webhooks are POSTed\n') };
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) return { status: 413 };
      chunks.push(chunk);
    }
    return await answer({ body: Buffer.concat(chunks), headers: request.headers });
  } catch {
    return { status: 500 };
  }
}
