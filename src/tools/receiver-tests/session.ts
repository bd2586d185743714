import http from 'node:http';
import https from 'node:https';
import type { Runtime } from '../../kernel/runtime.ts';
import { VERSION } from '../../version.ts';
import { lookupAllowed, statusOfRejected } from '../../webhooks/send.ts';
import { outcomeOf, type Timing } from './connection.ts';
import type { Attempt } from './result.ts';
import type { Delivery, Source } from './source.ts';

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

interface SessionOptions {
  url: URL;
  runtime: Runtime;
  timing: Timing;
  source: Source;
  /** How long an effect may take, in ms. */
  settleMs: number;
}

interface Exchange {
  request: http.ClientRequest;
  delivery: Delivery;
  /** The outcome if no connection was possible. */
  connected: Promise<string | undefined>;
}

/** Sends deliveries, waits, and records the facts about responses that a run needs. */
export class Session {
  readonly source: Source;
  readonly runtime: Runtime;
  readonly timing: Timing;
  readonly settleMs: number;
  /** Response times so far, in ms. */
  readonly times: number[] = [];
  /** Whether a valid delivery has received 200 in time. */
  hasAccepted = false;
  /** Whether a delivery may take effect after the last reading of the probe. */
  isUnsettled = false;
  readonly #url: URL;
  readonly #requests = new Set<http.ClientRequest>();
  readonly #stop = new AbortController();

  constructor({ url, runtime, timing, source, settleMs }: SessionOptions) {
    this.#url = url;
    this.runtime = runtime;
    this.timing = timing;
    this.source = source;
    this.settleMs = settleMs;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Ends the run: pending waits and deliveries throw. */
  end(reason: string): void {
    this.#stop.abort(new EndOfRun(reason));
    this.close();
  }

  close(): void {
    for (const request of this.#requests) request.destroy();
  }

  async send(deliveries: readonly Delivery[], sending: Sending = 'in_turn'): Promise<Attempt[]> {
    this.signal.throwIfAborted();
    const attempts = await this.#exchangeAll(deliveries, sending);
    this.signal.throwIfAborted();
    attempts.forEach(({ status, outcome, duration_ms }, n) => {
      if (status !== null) this.times.push(duration_ms);
      if (outcome === 'ok' && deliveries[n] && !deliveries[n].forged) this.hasAccepted = true;
    });
    return attempts;
  }

  /** Sends a valid delivery that belongs to no check. */
  async sendValid(): Promise<Attempt> {
    const [attempt] = await this.send([this.source.delivery(this.source.event())]);
    if (!attempt) throw new EndOfRun('No delivery was sent.');
    this.isUnsettled = true;
    return attempt;
  }

  async settle(): Promise<void> {
    await this.sleep(this.settleMs);
    this.isUnsettled = false;
  }

  async settleIfNeeded(): Promise<void> {
    if (this.isUnsettled) await this.settle();
  }

  /** Polls until `isDone` or the time is over. @returns the last result */
  async poll<Result>(
    ms: number,
    read: () => Promise<Result>,
    isDone: (result: Result) => boolean,
    pause = this.timing.pollPause,
  ): Promise<Result> {
    const until = this.runtime.monotonic() + ms;
    for (;;) {
      const isLast = this.runtime.monotonic() >= until;
      const result = await read();
      if (isLast || isDone(result)) return result;
      await this.sleep(pause);
    }
  }

  async sleep(ms: number): Promise<void> {
    await this.runtime.sleep(ms, this.signal);
    this.signal.throwIfAborted();
  }

  async #exchangeAll(deliveries: readonly Delivery[], sending: Sending): Promise<Attempt[]> {
    const { Agent } = this.#url.protocol === 'https:' ? https : http;
    const agent = new Agent({ keepAlive: sending === 'one_connection' });
    const hangsUp = sending === 'hang_up';
    try {
      if (sending === 'at_once') {
        const exchanges = deliveries.map((delivery) => this.#open(agent, delivery));
        await Promise.all(exchanges.map(({ connected }) => connected));
        return await Promise.all(exchanges.map((exchange) => this.#exchange(exchange)));
      }
      const attempts: Attempt[] = [];
      for (const delivery of deliveries) {
        const exchange = this.#open(agent, delivery);
        const attempt = await this.#exchange(exchange, hangsUp);
        // A receiver may close an idle connection at any time: a client then opens another one.
        const isStale = attempt.outcome === 'closed' && exchange.request.reusedSocket;
        attempts.push(isStale ? await this.#exchange(this.#open(agent, delivery)) : attempt);
      }
      return attempts;
    } finally {
      agent.destroy();
    }
  }

  /** Connects, and sends nothing yet. */
  #open(agent: http.Agent, delivery: Delivery): Exchange {
    const { protocol, hostname, port, host, pathname, search } = this.#url;
    const { request: createRequest } = protocol === 'https:' ? https : http;
    const request = createRequest({
      agent,
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      method: 'POST',
      path: pathname + search,
      lookup: lookupAllowed,
      setDefaultHeaders: false,
      setHost: false,
      // Responses that a lenient client understands are responses.
      insecureHTTPParser: true,
      maxHeaderSize: MAX_HEAD_BYTES,
    });
    request.setHeader('Host', host);
    request.setHeader('User-Agent', `sandlot/${VERSION}`);
    for (const [name, value] of delivery.headers) request.appendHeader(name, value);
    this.#requests.add(request);
    request.once('close', () => this.#requests.delete(request));
    const opened = protocol === 'https:' ? 'secureConnect' : 'connect';
    let failure = opened === 'connect' ? 'connection_failed' : 'tls_failed';
    const cancel = this.runtime.after(this.timing.wait, () => {
      failure = 'connect_timeout';
      request.destroy();
    });
    const connected = new Promise<string | undefined>((resolve) => {
      request.once('socket', (socket) => {
        socket.setNoDelay();
        if (request.reusedSocket) resolve(undefined);
        else socket.once(opened, () => resolve(undefined));
      });
      request.on('error', ({ code = '' }: NodeJS.ErrnoException) => {
        failure = outcomeOf(code) ?? failure;
      });
      request.once('close', () => resolve(failure));
    }).finally(cancel);
    if (this.signal.aborted) request.destroy();
    return { request, delivery, connected };
  }

  /** Sends the delivery. @param hangsUp closes the connection without reading the response */
  async #exchange({ request, delivery, connected }: Exchange, hangsUp = false): Promise<Attempt> {
    const failedConnection = await connected;
    if (failedConnection !== undefined) {
      return { status: null, outcome: failedConnection, duration_ms: 0, response: null };
    }
    const { late, wait } = this.timing;
    const start = this.runtime.monotonic();
    const stopWriting = new AbortController();
    const chunks: Buffer[] = [];
    let bytes = 0;
    let paused = 0;
    let status: number | null = null;
    let headAfter: number | undefined;
    let failure = hangsUp ? 'hung_up' : 'closed';
    const elapsed = () => Math.max(0, this.runtime.monotonic() - start - paused);
    let cancel = this.runtime.after(wait, () => {
      failure = 'no_response';
      request.destroy();
    });
    const readHead = (response: http.IncomingMessage) => {
      status = response.statusCode ?? null;
      headAfter = elapsed();
      cancel();
      cancel = this.runtime.after(BODY_WAIT_MS, () => request.destroy());
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
    request.on('error', (error: NodeJS.ErrnoException) => {
      status ??= statusOfRejected(error) ?? null;
      if (error.code?.startsWith('HPE_')) failure = 'not_http';
    });
    const closed = new Promise((resolve) => request.once('close', resolve));
    if (hangsUp) request.end(delivery.body, () => request.destroy());
    else {
      void this.#write(request, delivery, stopWriting.signal, (ms) => {
        paused += ms;
      });
    }
    await closed;
    cancel();
    stopWriting.abort();
    const duration_ms = Math.round(headAfter ?? elapsed());
    if (status === null) return { status, outcome: failure, duration_ms, response: null };
    const accepted = duration_ms > late ? 'late' : 'ok';
    const outcome = status === 200 ? accepted : `status ${status}`;
    return { status, outcome, duration_ms, response: Buffer.concat(chunks).toString() };
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
        const from = this.runtime.monotonic();
        await this.runtime.sleep(this.timing.splitPause, signal);
        onPause(this.runtime.monotonic() - from);
        if (request.destroyed) return;
        request.write(piece);
      }
    }
    request.end();
  }
}

/** Ends a run early. Checks that did not run are unseen for this reason. */
export class EndOfRun extends Error {}
