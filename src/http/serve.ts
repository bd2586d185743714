import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Hono } from 'hono';
import { lazilyAsync } from '../kernel/lazily.ts';
import type { PartnerApi } from './pipeline/partner-api.ts';
import { announcesTooMuch } from './raw-request.ts';
import { discardRest, type ErrorHandling, errorReply, type Reply, send } from './reply.ts';

/** The wanted port is taken. */
export class PortInUseError extends Error {
  readonly port: number;
  constructor(host: string, port: number) {
    super(`${host}:${port} is in use`);
    this.name = 'PortInUseError';
    this.port = port;
  }
}

export interface Listening {
  host: string;
  port: number;
  /** Takes no new connections; resolves when those in flight have been answered. */
  close(): Promise<void>;
}

/** How long a connection may take to finish what it is doing when the server closes. */
const GRACE_MS = 10_000;
const LOOK_EVERY_MS = 10;

/**
 * Serves an application over HTTP/1.1; what is for the partner door goes there straight.
 * @param app asked for when the first request comes that is for nobody else
 * @param port 0 picks a free one
 * @throws PortInUseError
 */
export async function serve(
  app: () => Promise<Hono>,
  partner: PartnerApi,
  host: string,
  port: number,
  handling: ErrorHandling,
): Promise<Listening> {
  const listener = lazilyAsync(async () => (await import('./listener.ts')).listenerOf(await app()));
  const answerRequest: RequestListener = (incoming, outgoing) => {
    answering.set(incoming.socket, { incoming, outgoing });
    outgoing.once('close', () => answering.delete(incoming.socket));
    // Before Node would read on without a limit.
    if (hasBody(incoming)) outgoing.once('prefinish', () => discardRest(incoming));
    if (isForPartners(incoming)) partner.serve(incoming, outgoing);
    else {
      listener()
        .then((listen) => listen(incoming, outgoing))
        .catch((error: unknown) => send(incoming, outgoing, errorReply(error, handling)));
    }
  };
  const server = createServer({ requireHostHeader: false }, answerRequest);
  // What a client expects beside 100-continue is nothing to refuse it for.
  server.on('checkExpectation', answerRequest);
  server.on('checkContinue', (incoming, outgoing) => {
    // Who asks first is told of a body that is too large before it is sent.
    const tooMuch = announcesTooMuch(incoming.headers['content-length']);
    if (!isForPartners(incoming) || !tooMuch) outgoing.writeContinue();
    answerRequest(incoming, outgoing);
  });
  server.on('clientError', answerClientError);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new PortInUseError(host, port) : error);
    });
    server.listen(port, host, resolve);
  });
  return {
    host,
    port: (server.address() as AddressInfo).port,
    close: () => closeServer(server),
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
}

function isForPartners({ url = '' }: IncomingMessage): boolean {
  return /^\/api\/partner(?:[/?]|$)/.test(url);
}

/** What cannot be read as a request is refused in the same words as everything else. */
export const NOT_HTTP: Reply = {
  status: 400,
  body: JSON.stringify({
    error: { code: 'validation_error', message: 'request: not a well-formed HTTP request' },
  }),
};

/** What is being answered on each connection. */
const answering = new WeakMap<Socket, { incoming: IncomingMessage; outgoing: ServerResponse }>();

function answerClientError(_error: Error, socket: Socket): void {
  if (!socket.writable) return;
  // A whole request that came before the garbage is answered first.
  const current = answering.get(socket);
  if (current?.incoming.complete && !current.outgoing.writableFinished) {
    current.outgoing.once('finish', () => socket.end());
    return;
  }
  const { status, body } = NOT_HTTP;
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json\r\nX-Content-Type-Options: nosniff\r\nContent-Length: ${Buffer.byteLength(body)}`;
  socket.end(`${head}\r\n\r\n${body}`);
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), GRACE_MS);
    // A connection that was in use when closing began goes idle later, and a client may ask on it again.
    const idle = setInterval(() => server.closeIdleConnections(), LOOK_EVERY_MS);
    server.close(() => {
      clearTimeout(force);
      clearInterval(idle);
      resolve();
    });
  });
}
