import net from 'node:net';
import tls from 'node:tls';
import type { Runtime } from '../kernel/runtime.ts';
import { lookupAllowed } from '../webhooks/send.ts';

export interface ConnectOptions {
  runtime: Runtime;
  /** How long a connection may take, in ms. */
  wait: number;
  /** Called with the socket before it is connected. */
  onSocket(socket: net.Socket): void;
}

/** Opens a connection. @returns the outcome if that is not possible: `connection_refused`, `tls_failed` … */
export function connect(url: URL, options: ConnectOptions): Promise<net.Socket | string> {
  const { runtime, wait, onSocket } = options;
  const secure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  const target = { host, port, lookup: lookupAllowed, noDelay: true };
  return new Promise((resolve) => {
    const socket = secure
      ? tls.connect({ ...target, ...(net.isIP(host) === 0 && { servername: host }) })
      : net.connect(target);
    onSocket(socket);
    const finish = (result: net.Socket | string) => {
      cancel();
      resolve(result);
      if (result !== socket) socket.destroy();
    };
    const cancel = runtime.after(wait, () => finish('connect_timeout'));
    socket.once(secure ? 'secureConnect' : 'connect', () => finish(socket));
    // Later errors end in 'close', which every exchange listens to.
    socket.on('error', ({ code = '' }: NodeJS.ErrnoException) =>
      finish(OUTCOMES[code] ?? (secure ? 'tls_failed' : 'connection_failed')),
    );
    socket.once('close', () => finish(secure ? 'tls_failed' : 'connection_failed'));
  });
}

const OUTCOMES: Record<string, string> = {
  ECONNREFUSED: 'connection_refused',
  ENOTFOUND: 'dns_failed',
  EAI_AGAIN: 'dns_failed',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  ETIMEDOUT: 'connect_timeout',
  ESANDLOTFORBIDDEN: 'forbidden_address',
};
