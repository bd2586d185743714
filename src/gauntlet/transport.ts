import net from 'node:net';
import type { Runtime } from '../kernel/runtime.ts';
import type { Delivery } from './check.ts';
import { connect } from './connect.ts';
import { requestBytes } from './request-bytes.ts';
import { ResponseReader } from './response-reader.ts';
import type { Timing } from './timing.ts';

export interface Attempt {
  status: number | null;
  /** `ok`, `late`, `status 401`, `closed`, `no_response`, `not_http`, `connection_refused` … */
  outcome: string;
  /** From the first byte sent to the end of the response headers, without pauses made by the check. */
  durationMs: number;
  response: string | null;
  /** False if no connection was made, so that the receiver has seen nothing. */
  connected: boolean;
}

/** How long to wait for the rest of a response body; shorter if several bodies did not end. */
const BODY_WAIT_MS = 2_000;
const SHORT_BODY_WAIT_MS = 200;
const UNENDED_BODIES = 3;

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
        const { attempt, keepsAlive, responded } = await this.#exchange(open, delivery);
        socket = keepsAlive ? open : undefined;
        if (!keepsAlive) open.destroy();
        // A receiver may close an idle connection at any time: a client then opens another one.
        if (reused && attempt.outcome === 'closed' && !responded) {
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
      socket.write(Buffer.concat(requestBytes(this.#url, delivery)), () => socket.destroy());
    });
    const durationMs = Math.round(this.#runtime.monotonic() - begun);
    return { status: null, outcome: 'hung_up', durationMs, response: null, connected: true };
  }

  async #connect(): Promise<net.Socket | Attempt> {
    if (this.#closed) return notConnected('closed');
    const opened = await connect(this.#url, {
      runtime: this.#runtime,
      wait: this.#timing.wait,
      onSocket: (socket) => {
        this.#sockets.add(socket);
        socket.once('close', () => this.#sockets.delete(socket));
      },
    });
    return typeof opened === 'string' ? notConnected(opened) : opened;
  }

  #exchange(
    socket: net.Socket,
    delivery: Delivery,
  ): Promise<{ attempt: Attempt; keepsAlive: boolean; responded: boolean }> {
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
        const response = status === null ? null : reader.text;
        resolve({
          attempt: { status, outcome, durationMs, response, connected: true },
          keepsAlive: reader.state === 'complete' && reader.keepsAlive && !socket.destroyed,
          responded: reader.started,
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
        for (const [n, piece] of requestBytes(this.#url, delivery).entries()) {
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
}

function notConnected(outcome: string): Attempt {
  return { status: null, outcome, durationMs: 0, response: null, connected: false };
}
