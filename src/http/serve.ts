import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { clearInterval, clearTimeout, setInterval, setTimeout } from '../kernel/timers.ts';
import { DEFAULT_HEADERS, HEADERS_TOO_LARGE, NOT_HTTP, toResponse } from './response.ts';

export class PortInUseError extends Error {
  readonly address: { host: string; port: number };
  constructor(host: string, port: number) {
    super(`${host}:${port} is in use`);
    this.name = 'PortInUseError';
    this.address = { host, port };
  }
}

export interface Listening {
  /** As passed to `serve`: a name or an address. */
  host: string;
  /** The IP address that the server is bound to. */
  address: string;
  port: number;
  /** Accepts no new connections; resolves once the requests in flight have their responses, or are cut off after 3 s. */
  close(): Promise<void>;
}

/** How long a request in flight may take when the server closes. */
const GRACE_MS = 3_000;
const CLOSE_IDLE_EVERY_MS = 10;

/**
 * Serves an app over HTTP/1.1.
 * @param port 0 picks a free one
 * @throws PortInUseError
 */
export async function serve(app: Hono, host: string, port: number): Promise<Listening> {
  const listener = getRequestListener(app.fetch, {
    // Used if the Host header is missing, which is not an error here.
    hostname: 'localhost',
    overrideGlobalObjects: false,
    // Called for a request line or Host of which no URL can be made; the app handles its own errors.
    errorHandler: () => toResponse(NOT_HTTP),
  });
  /** The last response of each connection. */
  const connections = new Map<Socket, ServerResponse | undefined>();
  const handle: RequestListener = (incoming, outgoing) => {
    connections.set(incoming.socket, outgoing);
    return listener(incoming, outgoing);
  };
  const server = createServer({ requireHostHeader: false }, handle);
  // An expectation other than 100 Continue is ignored.
  server.on('checkExpectation', handle);
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket: Socket) => {
    const last = connections.get(socket);
    // A complete request before the malformed bytes gets its response, and an incomplete one no second response.
    if (last?.req.complete && !last.writableFinished) {
      // Each further chunk would be another error.
      socket.pause();
      last.once('finish', () => socket.end().resume());
    } else if (last?.headersSent && !last.req.complete) socket.destroySoon();
    else if (socket.writable) socket.end(rejectionText(code));
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
    ...(server.address() as AddressInfo),
    close: () => closeServer(server, connections),
  };
}

/** Returns the response to what Node.js cannot parse, as it is sent. */
function rejectionText(code: string | undefined): string {
  const { body } = code === 'HPE_HEADER_OVERFLOW' ? HEADERS_TOO_LARGE : NOT_HTTP;
  return [
    'HTTP/1.1 400 Bad Request',
    'Connection: close',
    ...DEFAULT_HEADERS.map(([name, value]) => `${name}: ${value}`),
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}

function closeServer(server: Server, connections: Map<Socket, unknown>): Promise<void> {
  return new Promise((resolve) => {
    const closeRest = setTimeout(() => server.closeAllConnections(), GRACE_MS);
    // A connection in use becomes idle later, and the client could send another request on it.
    const closeIdle = setInterval(() => {
      server.closeIdleConnections();
      // Browsers open spare connections, which Node.js does not count as idle.
      for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroy();
    }, CLOSE_IDLE_EVERY_MS);
    server.close(() => {
      clearTimeout(closeRest);
      clearInterval(closeIdle);
      resolve();
    });
  });
}
