import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Fetch } from '../../../client/fetch.ts';
import { CheckFailedError } from '../../errors.ts';

export interface Incoming {
  body: Buffer<ArrayBuffer>;
  headers: http.IncomingHttpHeaders;
}

export interface ReceiverResponse {
  status: number;
  body?: Buffer;
  contentType?: string | undefined;
  server?: string;
}

interface Receiver {
  url: string;
  /** Resolves when open requests have a response. */
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Listens on loopback for POST requests.
 * @param port 0 picks a free one
 * @param respond an exception becomes a 500
 * @throws CheckFailedError if the port is not available
 */
export async function startReceiver(
  port: number,
  respond: (incoming: Incoming) => Promise<ReceiverResponse>,
): Promise<Receiver> {
  const server = http.createServer((request, response) => {
    void handle(request, respond).then(({ status, body, contentType, server: name }) => {
      // An open connection would delay the end.
      response.setHeader('Connection', 'close');
      if (name !== undefined) response.setHeader('Server', name);
      if (contentType !== undefined) response.setHeader('Content-Type', contentType);
      response.writeHead(status).end(body);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const why =
        error.code === 'EADDRINUSE' ? 'it is in use; --port 0 selects a free one' : error.message;
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
  respond: (incoming: Incoming) => Promise<ReceiverResponse>,
): Promise<ReceiverResponse> {
  if (request.method !== 'POST')
    return { status: 405, body: Buffer.from('send webhooks with POST\n') };
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) return { status: 413 };
      chunks.push(chunk);
    }
    return await respond({ body: Buffer.concat(chunks), headers: request.headers });
  } catch {
    return { status: 500 };
  }
}

/** Headers of one connection. */
const CONNECTION_HEADERS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
]);
const FORWARD_TIMEOUT_MS = 30_000;

/** Forwards a webhook, byte for byte, and returns the response; 502 if there is none. */
export async function forward(
  fetch: Fetch,
  url: string,
  { body, headers }: Incoming,
): Promise<ReceiverResponse & { problem?: string }> {
  const forwarded: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && !CONNECTION_HEADERS.has(name)) forwarded[name] = value;
  }
  try {
    const signal = AbortSignal.timeout(FORWARD_TIMEOUT_MS);
    const init = { method: 'POST', headers: forwarded, body, redirect: 'manual', signal } as const;
    const response = await fetch(url, init);
    return {
      status: response.status,
      body: Buffer.from(await response.arrayBuffer()),
      contentType: response.headers.get('content-type') ?? undefined,
    };
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const { code, message } = cause as { code?: string; message?: string };
    return { status: 502, problem: `no response from ${url}: ${code ?? message}` };
  }
}
