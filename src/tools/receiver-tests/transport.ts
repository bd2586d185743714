import http from 'node:http';
import net from 'node:net';
import tls from 'node:tls';
import type { Runtime } from '../../kernel/runtime.ts';
import { VERSION } from '../../version.ts';
import { lookupAllowed, rejectedHeads } from '../../webhooks/send.ts';
import type { Attempt } from './result.ts';
import type { Delivery } from './source.ts';

/**
 * How deliveries are sent: one after the other; at once, when all connections are open; on one connection, or a second one
 * if the receiver closes the first properly; or without reading the response.
 */
export type Sending = 'in_turn' | 'at_once' | 'one_connection' | 'hang_up';

/** How long to wait for the rest of a response body, of which only the start is shown. */
const BODY_WAIT_MS = 2_000;
const MAX_HEAD_BYTES = 64 * 1024;
const MAX_BODY_BYTES = 64 * 1024;
const MAX_KEPT_BYTES = 2_000;
const CHUNK_BYTES = 100;

/** Sends deliveries over sockets. */
export class Transport {
  readonly #url: URL;
  readonly #runtime: Runtime;
  readonly #timing: Timing;
  readonly #sockets = new Set<net.Socket>();
  #closed = false;

  constructor(url: URL, runtime: Runtime, timing: Timing) {
    this.#url = url;
    this.#runtime = runtime;
    this.#timing = timing;
  }

  close(): void {
    this.#closed = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  async send(deliveries: readonly Delivery[], sending: Sending): Promise<Attempt[]> {
    if (sending === 'at_once') return this.#sendAtOnce(deliveries);
    const sharedAgent = new http.Agent({ keepAlive: true });
    const attempts: Attempt[] = [];
    for (const delivery of deliveries) {
      const agent = sending === 'one_connection' ? sharedAgent : new http.Agent();
      attempts.push(
        sending === 'hang_up'
          ? await this.#sendAndHangUp(delivery)
          : await this.#sendBy(agent, delivery),
      );
    }
    sharedAgent.destroy();
    return attempts;
  }

  async #sendAtOnce(deliveries: readonly Delivery[]): Promise<Attempt[]> {
    const connections = await Promise.all(
      deliveries.map(async (delivery) => ({ delivery, socket: await this.#connect() })),
    );
    return Promise.all(
      connections.map(({ delivery, socket }) =>
        socket instanceof net.Socket ? this.#exchange(agentOf(socket), delivery) : socket,
      ),
    );
  }

  /** Sends a delivery completely and closes the connection without reading the response. */
  async #sendAndHangUp({ headers, body }: Delivery): Promise<Attempt> {
    const socket = await this.#connect();
    if (!(socket instanceof net.Socket)) return socket;
    const start = this.#runtime.monotonic();
    await new Promise<void>((resolve) => {
      socket.once('close', resolve);
      this.#request(agentOf(socket), headers)
        .on('error', () => {})
        .end(body, () => socket.destroy());
    });
    const duration_ms = Math.round(this.#runtime.monotonic() - start);
    return { status: null, outcome: 'hung_up', duration_ms, response: null };
  }

  async #connect(): Promise<net.Socket | Attempt> {
    if (this.#closed) return notConnected('closed');
    const socket = await connect(this.#url, {
      runtime: this.#runtime,
      wait: this.#timing.wait,
      onSocket: (socket) => {
        this.#sockets.add(socket);
        socket.once('close', () => this.#sockets.delete(socket));
      },
    });
    return typeof socket === 'string' ? notConnected(socket) : socket;
  }

  /** Sends a delivery on the free connection of the agent, or on a new one. */
  async #sendBy(agent: http.Agent, delivery: Delivery): Promise<Attempt> {
    if (Object.keys(agent.freeSockets).length > 0) {
      const attempt = await this.#exchange(agent, delivery);
      // A receiver may close an idle connection at any time: a client then opens another one.
      if (attempt.outcome !== 'closed') return attempt;
    }
    const socket = await this.#connect();
    if (!(socket instanceof net.Socket)) return socket;
    return this.#exchange(agentOf(socket, agent), delivery);
  }

  #request(agent: http.Agent, headers: Delivery['headers']): http.ClientRequest {
    const { hostname, host, pathname, search } = this.#url;
    const request = http.request({
      agent,
      hostname,
      method: 'POST',
      path: pathname + search,
      setDefaultHeaders: false,
      setHost: false,
      // Responses that a lenient client understands are responses.
      insecureHTTPParser: true,
      maxHeaderSize: MAX_HEAD_BYTES,
    });
    request.setHeader('Host', host);
    request.setHeader('User-Agent', `sandlot/${VERSION}`);
    for (const [name, value] of headers) request.appendHeader(name, value);
    return request;
  }

  #exchange(agent: http.Agent, delivery: Delivery): Promise<Attempt> {
    const { late, wait } = this.#timing;
    const start = this.#runtime.monotonic();
    const stopWriting = new AbortController();
    const chunks: Buffer[] = [];
    let bytes = 0;
    let paused = 0;
    let status: number | null = null;
    let headAfter: number | undefined;
    let failure = 'closed';
    const elapsed = () => Math.max(0, this.#runtime.monotonic() - start - paused);
    const request = this.#request(agent, delivery.headers);
    let cancel = this.#runtime.after(wait, () => {
      failure = 'no_response';
      request.destroy();
    });
    const readHead = (response: http.IncomingMessage) => {
      status = response.statusCode ?? null;
      headAfter = elapsed();
      cancel();
      cancel = this.#runtime.after(BODY_WAIT_MS, () => request.destroy());
    };
    request.on('response', (response) => {
      readHead(response);
      response.on('error', () => {});
      response.on('data', (chunk: Buffer) => {
        if (bytes < MAX_KEPT_BYTES) chunks.push(chunk.subarray(0, MAX_KEPT_BYTES - bytes));
        bytes += chunk.length;
        if (bytes > MAX_BODY_BYTES) request.destroy();
      });
    });
    request.on('upgrade', (response) => {
      readHead(response);
      request.destroy();
    });
    const statusIn = rejectedHeads(request);
    request.on('error', (error: NodeJS.ErrnoException) => {
      status ??= statusIn(error) ?? null;
      if (error.code?.startsWith('HPE_')) failure = 'not_http';
    });
    void this.#write(request, delivery, stopWriting.signal, (ms) => {
      paused += ms;
    });
    return new Promise((resolve) => {
      request.once('close', () => {
        cancel();
        stopWriting.abort();
        const duration_ms = Math.round(headAfter ?? elapsed());
        const accepted = duration_ms > late ? 'late' : 'ok';
        const outcome = status === null ? failure : status === 200 ? accepted : `status ${status}`;
        const response = status === null ? null : Buffer.concat(chunks).toString();
        resolve({ status, outcome, duration_ms, response });
      });
    });
  }

  /** Writes the body in pieces. @param onPause called with the length of each pause */
  async #write(
    request: http.ClientRequest,
    { body, headers, splitAt: [first, second] = [body.length, body.length] }: Delivery,
    signal: AbortSignal,
    onPause: (ms: number) => void,
  ): Promise<void> {
    if (headers.some(([name]) => name === 'Transfer-Encoding')) {
      for (let at = 0; at < body.length; at += CHUNK_BYTES) {
        request.write(body.subarray(at, at + CHUNK_BYTES));
      }
    } else {
      request.write(body.subarray(0, first));
      for (const piece of [body.subarray(first, second), body.subarray(second)]) {
        if (piece.length === 0) continue;
        const from = this.#runtime.monotonic();
        await this.#runtime.sleep(this.#timing.splitPause, signal);
        onPause(this.#runtime.monotonic() - from);
        if (request.destroyed) return;
        request.write(piece);
      }
    }
    request.end();
  }
}

function agentOf(socket: net.Socket, agent = new http.Agent()): http.Agent {
  agent.createConnection = () => socket;
  return agent;
}

function notConnected(outcome: string): Attempt {
  return { status: null, outcome, duration_ms: 0, response: null };
}

interface ConnectOptions {
  runtime: Runtime;
  /** How long a connection may take, in ms. */
  wait: number;
  /** Called with the socket before it is connected. */
  onSocket(socket: net.Socket): void;
}

/** Opens a connection. @returns the outcome if that is not possible: `connection_refused`, `tls_failed` … */
function connect(url: URL, options: ConnectOptions): Promise<net.Socket | string> {
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
    const failure = secure ? 'tls_failed' : 'connection_failed';
    const finish = (result: net.Socket | string) => {
      cancel();
      resolve(result);
      if (result !== socket) socket.destroy();
    };
    const cancel = runtime.after(wait, () => finish('connect_timeout'));
    socket.once(secure ? 'secureConnect' : 'connect', () => finish(socket));
    // Later errors end with 'close', which every exchange listens to.
    socket.on('error', ({ code = '' }: NodeJS.ErrnoException) =>
      finish(outcomeOf(code) ?? failure),
    );
    socket.once('close', () => finish(failure));
  });
}

interface Failure {
  /** Codes of the errors of Node.js. */
  codes?: readonly string[];
  reason: string;
}

const CA_CERTS = 'set NODE_EXTRA_CA_CERTS to a file with it';

/** Reasons for failed connections, by outcome. */
const FAILURES: Readonly<Record<string, Failure>> = {
  connection_refused: { codes: ['ECONNREFUSED'], reason: 'connection refused' },
  dns_failed: { codes: ['ENOTFOUND', 'EAI_AGAIN'], reason: 'its name does not resolve' },
  unreachable: { codes: ['EHOSTUNREACH', 'ENETUNREACH'], reason: 'there is no route to it' },
  connect_timeout: { codes: ['ETIMEDOUT'], reason: 'no connection within 8 s' },
  connection_failed: { reason: 'the connection failed' },
  forbidden_address: {
    codes: ['ESANDLOTFORBIDDEN'],
    reason: 'its name resolves to a link-local, metadata, multicast or broadcast address',
  },
  tls_failed: { reason: 'the TLS handshake failed; use http:// if it has no certificate' },
  tls_self_signed: {
    codes: ['DEPTH_ZERO_SELF_SIGNED_CERT'],
    reason: `its certificate is self-signed; ${CA_CERTS}`,
  },
  tls_unknown_issuer: {
    codes: [
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ],
    reason: `the issuer of its certificate is not trusted; ${CA_CERTS}`,
  },
  tls_expired: { codes: ['CERT_HAS_EXPIRED'], reason: 'its certificate has expired' },
  tls_wrong_host: {
    codes: ['ERR_TLS_CERT_ALTNAME_INVALID'],
    reason: 'its certificate is for another host name',
  },
};

function outcomeOf(code: string): string | undefined {
  return Object.keys(FAILURES).find((outcome) => FAILURES[outcome]?.codes?.includes(code));
}

/** Explains why no connection was made. */
export function describeOutcome(outcome: string): string {
  return FAILURES[outcome]?.reason ?? outcome;
}

/** Limits and pauses of a run, in ms. Tests shorten them. */
export const TIMING = {
  /** A 200 after this time is late. */
  late: 5_000,
  /** For a response. */
  wait: 8_000,
  /** Between the writes of a delivery that is sent in pieces. */
  splitPause: 150,
  /** Between a closed connection and the same delivery again. */
  repeatPause: 1_000,
  /** Between two readings of the probe. */
  pollPause: 100,
  /** For the receiver to recover. */
  recovery: 10_000,
  /** Between two deliveries to a receiver that is recovering. */
  recoveryPause: 250,
  /** For a run. */
  run: 300_000,
};

export type Timing = typeof TIMING;
