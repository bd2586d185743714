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
import { clearInterval, clearTimeout, setInterval, setTimeout } from '../kernel/timers.ts';
import { exceedsBodyLimit, NodeRequest } from './node-request.ts';
import type { PartnerApi } from './pipeline/partner-api.ts';
import { discardRest, type ErrorHandling, errorResponse, NOT_HTTP, send } from './response.ts';

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
  /** Accepts no new connections; resolves after the requests in flight have their responses. */
  close(): Promise<void>;
}

/** How long a request in flight may take when the server closes. */
const GRACE_MS = 10_000;
const CLOSE_IDLE_EVERY_MS = 10;

/**
 * Serves both APIs over HTTP/1.1. Partner API requests bypass Hono.
 * @param app called on the first other request
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
  const listener = lazilyAsync(async () =>
    (await import('./hono-adapter.ts')).listenerOf(await app()),
  );
  /** The last request of each connection. */
  const connections: Connections = new Map();
  const handle: RequestListener = (incoming, outgoing) => {
    // Otherwise, Node would read the rest of the body without a limit.
    if (hasBody(incoming)) outgoing.once('prefinish', () => discardRest(incoming));
    const sending = isPartnerRequest(incoming)
      ? partner
          .respond(new NodeRequest(incoming))
          .then((response) => send(incoming, outgoing, response))
      : listener().then((listen) => listen(incoming, outgoing));
    sending.catch((error: unknown) => send(incoming, outgoing, errorResponse(error, handling)));
  };
  /** Handles the requests of a connection one after the other, and stops when the client has closed it. */
  const inTurn =
    (act: RequestListener): RequestListener =>
    (incoming, outgoing) => {
      const { socket } = incoming;
      const previous = connections.get(socket);
      connections.set(socket, outgoing);
      if (!previous || previous.writableFinished) return act(incoming, outgoing);
      previous.once('close', () => {
        if (socket.writable) act(incoming, outgoing);
      });
    };
  const server = createServer({ requireHostHeader: false }, inTurn(handle));
  // Expectations other than 100-continue are ignored.
  server.on('checkExpectation', inTurn(handle));
  server.on(
    'checkContinue',
    inTurn((incoming, outgoing) => {
      // A client that waits for 100 Continue gets the 413 before it sends a body that is too large.
      const isTooLarge = exceedsBodyLimit(incoming.headers['content-length']);
      if (!isPartnerRequest(incoming) || !isTooLarge) outgoing.writeContinue();
      handle(incoming, outgoing);
    }),
  );
  server.on('clientError', (_error: Error, socket: Socket) => {
    handleClientError(socket, connections.get(socket));
  });
  server.on('connection', (socket: Socket) => {
    connections.set(socket, undefined);
    socket.once('close', () => connections.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new PortInUseError(host, port) : error);
    });
    server.listen(port, host, resolve);
  });
  return {
    host,
    port: (server.address() as AddressInfo).port,
    close: () => closeServer(server, connections),
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || headers['content-length'] !== undefined;
}

function isPartnerRequest({ url = '' }: IncomingMessage): boolean {
  return /^\/api\/partner(?:[/?]|$)/.test(url);
}

type Connections = Map<Socket, ServerResponse | undefined>;

/** @param last the response to the last request before the malformed data */
function handleClientError(socket: Socket, last: ServerResponse | undefined): void {
  if (!socket.writable) return;
  // A complete request gets its response first.
  if (last?.req.complete && !last.writableFinished) {
    last.once('finish', () => socket.end());
    return;
  }
  // The rest of a body that already has its response.
  if (last?.headersSent && !last.req.complete) {
    socket.end();
    return;
  }
  const { status, body } = NOT_HTTP;
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Type: application/json\r\nX-Content-Type-Options: nosniff\r\nContent-Length: ${Buffer.byteLength(body)}`;
  socket.end(`${head}\r\n\r\n${body}`);
}

function closeServer(server: Server, connections: Connections): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), GRACE_MS);
    // A connection in use becomes idle later, and the client could send another request on it.
    const idle = setInterval(() => {
      server.closeIdleConnections();
      // Browsers open spare connections, which Node.js does not count as idle.
      for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy();
    }, CLOSE_IDLE_EVERY_MS);
    server.close(() => {
      clearTimeout(force);
      clearInterval(idle);
      resolve();
    });
  });
}
