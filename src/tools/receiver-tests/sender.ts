import http from 'node:http';
import https from 'node:https';
import type { Runtime } from '../../kernel/runtime.ts';
import { VERSION } from '../../version.ts';
import { lookupAllowed, outcomeOf } from '../../webhooks/send.ts';
import type { SendMode } from './check.ts';
import type { TestAttempt } from './result.ts';
import type { TestDelivery } from './source.ts';
import type { Timing } from './timing.ts';

/** How long to wait for the rest of a response body, of which only the start is shown. */
const BODY_WAIT_MS = 2_000;
const MAX_HEAD_BYTES = 64 * 1024;
const MAX_BODY_BYTES = 64 * 1024;
const MAX_KEPT_BYTES = 2_000;

interface SenderOptions {
  url: URL;
  runtime: Runtime;
  timing: Timing;
  /** Closes all connections. */
  signal: AbortSignal;
}

interface Exchange {
  request: http.ClientRequest;
  delivery: TestDelivery;
  /** Resolves when connected, to undefined, or to the outcome if no connection is possible. */
  connectFailure: Promise<string | undefined>;
}

/** Sends deliveries to a receiver, and records how it responds. */
export class DeliverySender {
  readonly #options: SenderOptions;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  async send(
    deliveries: readonly TestDelivery[],
    mode: SendMode = 'in_turn',
  ): Promise<TestAttempt[]> {
    const { Agent } = this.#options.url.protocol === 'https:' ? https : http;
    const agent = new Agent({ keepAlive: mode === 'one_connection' });
    try {
      if (mode === 'at_once') {
        const exchanges = deliveries.map((delivery) => this.#open(agent, delivery));
        await Promise.all(exchanges.map(({ connectFailure }) => connectFailure));
        return await Promise.all(exchanges.map((exchange) => this.#exchange(exchange)));
      }
      const attempts: TestAttempt[] = [];
      for (const [n, delivery] of deliveries.entries()) {
        const { runtime, timing, signal } = this.#options;
        if (mode === 'hang_up' && n > 0) await runtime.sleep(timing.repeatPause, signal);
        const exchange = this.#open(agent, delivery);
        const attempt = await this.#exchange(exchange, mode === 'hang_up' && n === 0);
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
  #open(agent: http.Agent, delivery: TestDelivery): Exchange {
    const { url, runtime, timing, signal } = this.#options;
    const { protocol, hostname, port, host, pathname, search } = url;
    const { request: createRequest } = protocol === 'https:' ? https : http;
    const request = createRequest({
      agent,
      signal,
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
    const opened = protocol === 'https:' ? 'secureConnect' : 'connect';
    let failure = 'connection_failed';
    const cancel = runtime.after(timing.timeout, () => {
      failure = 'timeout';
      request.destroy();
    });
    const connectFailure = new Promise<string | undefined>((resolve) => {
      request.once('socket', (socket) => {
        socket.setNoDelay();
        if (request.reusedSocket) resolve(undefined);
        else socket.once(opened, () => resolve(undefined));
      });
      request.on('error', (error) => {
        if (failure !== 'timeout') failure = outcomeOf(error);
      });
      request.once('close', () => resolve(failure));
    }).finally(cancel);
    return { request, delivery, connectFailure };
  }

  /** Sends the delivery. @param hangsUp closes the connection without reading the response */
  async #exchange(
    { request, delivery, connectFailure }: Exchange,
    hangsUp = false,
  ): Promise<TestAttempt> {
    const failedConnection = await connectFailure;
    if (failedConnection !== undefined) {
      return { status: null, outcome: failedConnection, duration_ms: 0, response: null };
    }
    const { runtime, timing } = this.#options;
    const start = runtime.monotonic();
    const chunks: Buffer[] = [];
    let bytes = 0;
    let paused = 0;
    let status: number | null = null;
    let headAfter: number | undefined;
    let failure = hangsUp ? 'hung_up' : 'closed';
    const elapsed = () => Math.max(0, runtime.monotonic() - start - paused);
    let cancel = runtime.after(timing.timeout, () => {
      failure = 'no_response';
      request.destroy();
    });
    request.on('response', (response) => {
      status = response.statusCode ?? null;
      headAfter = elapsed();
      cancel();
      cancel = runtime.after(BODY_WAIT_MS, () => request.destroy());
      response.on('error', () => {});
      response.on('data', (chunk: Buffer) => {
        if (bytes < MAX_KEPT_BYTES) chunks.push(chunk.subarray(0, MAX_KEPT_BYTES - bytes));
        bytes += chunk.length;
        if (bytes > MAX_BODY_BYTES) request.destroy();
      });
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code?.startsWith('HPE_')) failure = 'not_http';
    });
    const closed = new Promise((resolve) => request.once('close', resolve));
    if (hangsUp) request.end(delivery.body, () => request.destroy());
    else {
      const pieces = piecesOf(delivery);
      for (const [n, piece] of pieces.entries()) {
        if (n > 0) {
          const from = runtime.monotonic();
          await Promise.race([runtime.sleep(timing.splitPause), closed]);
          paused += runtime.monotonic() - from;
        }
        if (!request.destroyed) request.write(piece);
      }
      request.end();
    }
    await closed;
    cancel();
    const duration_ms = Math.round(headAfter ?? elapsed());
    if (status === null) return { status, outcome: failure, duration_ms, response: null };
    const accepted = duration_ms > timing.late ? 'late' : 'ok';
    // Only 200 counts: the marketplace retries after any other status, 2xx included.
    const outcome = status === 200 ? accepted : `status ${status}`;
    return { status, outcome, duration_ms, response: Buffer.concat(chunks).toString() };
  }
}

/** Splits the body into the pieces that are written one by one. */
function piecesOf({ body, splitAt }: TestDelivery): Buffer[] {
  const ends: readonly number[] = splitAt ?? [];
  return [...ends, body.length].map((end, n) => body.subarray(ends[n - 1] ?? 0, end));
}
