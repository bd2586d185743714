import net from 'node:net';
import tls from 'node:tls';
import type { Runtime } from '../../kernel/runtime.ts';
import { lookupAllowed } from '../../webhooks/send.ts';

interface ConnectOptions {
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
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls_self_signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls_unknown_issuer',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls_unknown_issuer',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls_unknown_issuer',
  CERT_HAS_EXPIRED: 'tls_expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'tls_wrong_host',
};

const CA_CERTS = 'set NODE_EXTRA_CA_CERTS to a file with it';
const REASONS: Record<string, string> = {
  connection_refused: 'connection refused',
  dns_failed: 'its name does not resolve',
  unreachable: 'there is no route to it',
  connect_timeout: 'no connection within 8 s',
  connection_failed: 'the connection failed',
  forbidden_address: 'its name resolves to a link-local, metadata, multicast or broadcast address',
  tls_failed: 'the TLS handshake failed; use http:// if it has no certificate',
  tls_self_signed: `its certificate is self-signed; ${CA_CERTS}`,
  tls_unknown_issuer: `the issuer of its certificate is not trusted; ${CA_CERTS}`,
  tls_expired: 'its certificate has expired',
  tls_wrong_host: 'its certificate is for another host name',
};

export function describeOutcome(outcome: string): string {
  return REASONS[outcome] ?? outcome;
}
