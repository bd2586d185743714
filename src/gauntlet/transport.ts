import net from 'node:net';
import tls from 'node:tls';
import type { Runtime } from '../kernel/runtime.ts';
import { VERSION } from '../version.ts';
import { lookupAllowed } from '../webhooks/send.ts';
import type { Delivery } from './check.ts';
import { ResponseReader } from './response-reader.ts';
import type { Timing } from './timing.ts';

/** What came of one delivery. */
export interface Attempt {
  status: number | null;
  /** `ok`, `late`, `status 401`, `closed`, `no_response`, `not_http`, `connection_refused` … */
  outcome: string;
  /** From the first byte sent to the end of the response headers, without pauses made by the check. */
  durationMs: number;
  /** The beginning of the response body. */
  response: string | null;
  /** False if no connection was made, so that the receiver has seen nothing. */
  connected: boolean;
}

const MAX_KEPT_BYTES = 2_000;
/** How long to wait for the rest of a response body; shorter if several bodies did not end. */
const BODY_WAIT_MS = 2_000;
const SHORT_BODY_WAIT_MS = 200;
const UNENDED_BODIES = 3;
const CHUNK_BYTES = 100;

/** Sends deliveries over sockets, byte by byte as the checks want them. */
export class Transport {
  readonly #url: URL;
  readonly #runtime: Runtime;
  readonly #timing: Timing;
  readonly #sockets = new Set<net.Socket>();
  #unendedBodies = 0;
  #closed = false;

  constructor(url: URL, runtime: Runtime, timing: Timing) {
    this.#url = url;
    this.#runtime = runtime;
    this.#timing = timing;
  }

  /** Ends every connection. */
  close(): void {
    this.#closed = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  async send(delivery: Delivery): Promise<Attempt> {
    const socket = await this.#connect();
    if (!(socket instanceof net.Socket)) return socket;
    try {
      return (await this.#exchange(socket, delivery)).attempt;
    } finally {
      socket.destroy();
    }
  }

  /** Sends all deliveries at the same time, after every connection is open. */
  async sendAtOnce(deliveries: readonly Delivery[]): Promise<Attempt[]> {
    const opened = await Promise.all(deliveries.map(() => this.#connect()));
    return Promise.all(
      deliveries.map(async (delivery, n) => {
        const socket = opened[n];
        if (!(socket instanceof net.Socket)) return socket ?? notConnected('connection_failed');
        const { attempt } = await this.#exchange(socket, delivery);
        socket.destroy();
        return attempt;
      }),
    );
  }

  /** Sends the deliveries on one connection, and on another one if the receiver closes the first properly. */
  async sendOnOneConnection(deliveries: readonly Delivery[]): Promise<Attempt[]> {
    const attempts: Attempt[] = [];
    let socket: net.Socket | undefined;
    for (const delivery of deliveries) {
      let reused = socket !== undefined;
      for (;;) {
        const open: net.Socket | Attempt = socket ?? (await this.#connect());
        if (!(open instanceof net.Socket)) {
          attempts.push(open);
          break;
        }
        const { attempt, keepsAlive, answered } = await this.#exchange(open, delivery);
        socket = keepsAlive ? open : undefined;
        if (!keepsAlive) open.destroy();
        // A receiver may close an idle connection at any time: a client then opens another one.
        if (reused && attempt.outcome === 'closed' && !answered) {
          reused = false;
          continue;
        }
        attempts.push(attempt);
        break;
      }
    }
    socket?.destroy();
    return attempts;
  }

  /** Sends a delivery completely and closes the connection without reading the response. */
  async sendAndHangUp(delivery: Delivery): Promise<Attempt> {
    const socket = await this.#connect();
    if (!(socket instanceof net.Socket)) return socket;
    const begun = this.#runtime.monotonic();
    await new Promise<void>((resolve) => {
      socket.once('close', () => resolve());
      socket.write(Buffer.concat(this.#piecesOf(delivery)), () => socket.destroy());
    });
    const durationMs = Math.round(this.#runtime.monotonic() - begun);
    return { status: null, outcome: 'hung_up', durationMs, response: null, connected: true };
  }

  #connect(): Promise<net.Socket | Attempt> {
    const { protocol, hostname, port } = this.#url;
    const secure = protocol === 'https:';
    const host = hostname.replace(/^\[|\]$/g, '');
    const options = {
      host,
      port: port === '' ? (secure ? 443 : 80) : Number(port),
      lookup: lookupAllowed,
      noDelay: true,
    };
    return new Promise((resolve) => {
      if (this.#closed) return resolve(notConnected('closed'));
      const socket = secure
        ? tls.connect({ ...options, ...(net.isIP(host) === 0 && { servername: host }) })
        : net.connect(options);
      this.#sockets.add(socket);
      const finish = (outcome: net.Socket | Attempt) => {
        cancel();
        resolve(outcome);
        if (outcome !== socket) socket.destroy();
      };
      const cancel = this.#runtime.after(this.#timing.wait, () => {
        finish(notConnected('connect_timeout'));
      });
      socket.once(secure ? 'secureConnect' : 'connect', () => finish(socket));
      // Later errors end in 'close', which every exchange listens to.
      socket.on('error', (error: NodeJS.ErrnoException) =>
        finish(notConnected(connectOutcome(error, secure))),
      );
      socket.once('close', () => {
        this.#sockets.delete(socket);
        finish(notConnected(secure ? 'tls_failed' : 'connection_failed'));
      });
    });
  }

  #exchange(
    socket: net.Socket,
    delivery: Delivery,
  ): Promise<{ attempt: Attempt; keepsAlive: boolean; answered: boolean }> {
    const reader = new ResponseReader();
    const { late, wait } = this.#timing;
    const stopWriting = new AbortController();
    const begun = this.#runtime.monotonic();
    let paused = 0;
    let headAfter: number | undefined;
    const elapsed = () => Math.max(0, this.#runtime.monotonic() - begun - paused);
    return new Promise((resolve) => {
      let cancel = this.#runtime.after(wait, () => finish('no_response'));
      const finish = (failure: string) => {
        cancel();
        stopWriting.abort();
        socket.off('data', read);
        socket.off('close', closed);
        const durationMs = Math.round(headAfter ?? elapsed());
        const { status } = reader;
        const outcome =
          status === null
            ? failure
            : status === 200
              ? durationMs > late
                ? 'late'
                : 'ok'
              : `status ${status}`;
        const response = status === null ? null : reader.body.toString('utf8', 0, MAX_KEPT_BYTES);
        resolve({
          attempt: { status, outcome, durationMs, response, connected: true },
          keepsAlive: reader.state === 'complete' && reader.keepsAlive && !socket.destroyed,
          answered: reader.started,
        });
      };
      const read = (bytes: Buffer) => {
        reader.push(bytes);
        if (reader.status !== null && headAfter === undefined) {
          headAfter = elapsed();
          cancel();
          cancel = this.#runtime.after(this.#bodyWait(), () => {
            this.#unendedBodies += 1;
            finish('no_response');
          });
        }
        if (reader.state === 'not_http') finish('not_http');
        else if (reader.state === 'complete' || reader.state === 'too_large') finish('closed');
      };
      const closed = () => {
        reader.end();
        finish(reader.state === 'not_http' ? 'not_http' : 'closed');
      };
      socket.on('data', read);
      socket.once('close', closed);
      if (socket.destroyed) return closed();
      const write = async () => {
        for (const [n, piece] of this.#piecesOf(delivery).entries()) {
          if (n > 0) {
            const from = this.#runtime.monotonic();
            await this.#runtime.sleep(this.#timing.splitPause, stopWriting.signal);
            paused += this.#runtime.monotonic() - from;
          }
          if (stopWriting.signal.aborted || socket.destroyed) return;
          socket.write(piece);
        }
      };
      void write();
    });
  }

  #bodyWait(): number {
    const wait = this.#unendedBodies < UNENDED_BODIES ? BODY_WAIT_MS : SHORT_BODY_WAIT_MS;
    return Math.min(wait, this.#timing.wait);
  }

  /** What is written, mostly in one piece. */
  #piecesOf({ headers, body, splitAt }: Delivery): Buffer[] {
    const { pathname, search, host } = this.#url;
    const lines = [
      `POST ${pathname}${search} HTTP/1.1`,
      `Host: ${host}`,
      `User-Agent: sandlot/${VERSION}`,
      ...headers.map(([name, value]) => `${name}: ${value}`),
    ];
    const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
    const chunked = headers.some(([name]) => name === 'Transfer-Encoding');
    if (chunked) return [Buffer.concat([head, ...inChunks(body)])];
    if (!splitAt) return [Buffer.concat([head, body])];
    const [first, second] = splitAt;
    return [
      Buffer.concat([head, body.subarray(0, first)]),
      body.subarray(first, second),
      body.subarray(second),
    ];
  }
}

function inChunks(body: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; at += CHUNK_BYTES) {
    const chunk = body.subarray(at, at + CHUNK_BYTES);
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return [...parts, Buffer.from('0\r\n\r\n')];
}

function notConnected(outcome: string): Attempt {
  return { status: null, outcome, durationMs: 0, response: null, connected: false };
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

function connectOutcome({ code = '' }: NodeJS.ErrnoException, secure: boolean): string {
  return OUTCOMES[code] ?? (secure ? 'tls_failed' : 'connection_failed');
}
