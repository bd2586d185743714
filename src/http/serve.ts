import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';

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

/**
 * Serves an application over HTTP/1.1.
 * @param port 0 picks a free one
 * @throws PortInUseError
 */
export async function serve(app: Hono, host: string, port: number): Promise<Listening> {
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server;
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

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), GRACE_MS);
    server.close(() => {
      clearTimeout(force);
      resolve();
    });
    server.closeIdleConnections();
  });
}
