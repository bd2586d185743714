import http from 'node:http';
import https from 'node:https';
import type { Runtime } from '../../kernel/runtime.ts';
import { VERSION } from '../../version.ts';
import { lookupAllowed, MAX_KEPT_CHARACTERS, outcomeOf } from '../../webhooks/send.ts';
import type { SendMode } from './check.ts';
import type { TestAttempt } from './result.ts';
import type { TestDelivery } from './source.ts';
import type { Timing } from './timing.ts';

/** A body that takes longer, or is larger, is not read to its end. The status counts all the same. */
const RESPONSE_BODY_TIMEOUT_MS = 2_000;
const MAX_READ_CHARACTERS = 64 * 1024;
const MAX_HEADER_BYTES = 64 * 1024;

export interface SenderOptions {
  url: URL;
  runtime: Runtime;
  timing: Timing;
  /** Closes all connections. */
  signal: AbortSignal;
}

export interface SentDelivery {
  delivery: TestDelivery;
  attempt: TestAttempt;
}

/** Sends deliveries to a receiver, and records how it responds. */
export async function sendDeliveries(
  options: SenderOptions,
  deliveries: readonly TestDelivery[],
  mode: SendMode,
): Promise<SentDelivery[]> {
  const { url, runtime, timing, signal } = options;
  const { Agent } = url.protocol === 'https:' ? https : http;
  const agent = new Agent({ keepAlive: mode === 'one_connection' });
  try {
    if (mode === 'at_once') {
      return await Promise.all(deliveries.map((delivery) => exchange(options, agent, delivery)));
    }
    const sent: SentDelivery[] = [];
    for (const delivery of deliveries) {
      const isFirst = sent.length === 0;
      if (mode === 'hang_up' && !isFirst) await runtime.sleep(timing.repeatPauseMs, signal);
      sent.push(await exchange(options, agent, delivery, mode === 'hang_up' && isFirst));
    }
    return sent;
  } finally {
    agent.destroy();
  }
}

/** Connects, sends the delivery, and reads the response unless it hangs up. */
async function exchange(
  options: SenderOptions,
  agent: http.Agent,
  delivery: TestDelivery,
  hangsUp = false,
): Promise<SentDelivery> {
  const { runtime, timing } = options;
  const request = createRequest(options, agent, delivery);
  const closed = new Promise((resolve) => request.once('close', resolve));
  const result = (outcome: string, fields?: Partial<TestAttempt>): SentDelivery => ({
    delivery,
    attempt: { status: null, outcome, duration_ms: 0, response: null, ...fields },
  });
  const failure = await connect(request, options);
  if (failure !== undefined) return result(failure);
  let text = '';
  let sentAt: number | undefined;
  let status: number | null = null;
  let headersAfterMs: number | undefined;
  let outcomeWithoutStatus = hangsUp ? 'hung_up' : 'closed';
  const elapsedMs = () => (sentAt === undefined ? 0 : runtime.monotonic() - sentAt);
  let cancelTimeout = runtime.after(timing.timeoutMs, () => {
    outcomeWithoutStatus = 'no_response';
    request.destroy();
  });
  request.on('response', (response) => {
    status = response.statusCode ?? null;
    headersAfterMs = elapsedMs();
    cancelTimeout();
    cancelTimeout = runtime.after(RESPONSE_BODY_TIMEOUT_MS, () => request.destroy());
    response.on('error', () => {});
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.length > MAX_READ_CHARACTERS) request.destroy();
    });
  });
  request.on('error', (error: NodeJS.ErrnoException) => {
    // The HTTP parser of Node.js failed.
    if (error.code?.startsWith('HPE_')) outcomeWithoutStatus = 'not_http';
  });
  const pieces = piecesOf(delivery);
  for (const piece of pieces.slice(0, -1)) {
    request.write(piece);
    await Promise.race([runtime.sleep(timing.splitPauseMs), closed]);
  }
  sentAt = runtime.monotonic();
  request.end(pieces.at(-1), () => hangsUp && request.destroy());
  await closed;
  cancelTimeout();
  const duration_ms = Math.round(headersAfterMs ?? elapsedMs());
  // A receiver may close an idle connection at any time: a client cannot tell, and opens another one.
  const isStale = outcomeWithoutStatus === 'closed' && request.reusedSocket;
  if (status === null && isStale) return exchange(options, agent, delivery);
  if (status === null) return result(outcomeWithoutStatus, { duration_ms });
  // Only 200 counts: the marketplace retries after any other status, 2xx included.
  const outcome = status !== 200 ? `status ${status}` : duration_ms > timing.lateMs ? 'late' : 'ok';
  return result(outcome, { status, duration_ms, response: text.slice(0, MAX_KEPT_CHARACTERS) });
}

/** Creates a request with its headers, which does not send anything yet. */
function createRequest(
  { url, signal }: SenderOptions,
  agent: http.Agent,
  { headers }: TestDelivery,
): http.ClientRequest {
  const { request: create } = url.protocol === 'https:' ? https : http;
  const request = create({
    agent,
    signal,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port,
    method: 'POST',
    path: url.pathname + url.search,
    lookup: lookupAllowed,
    setDefaultHeaders: false,
    setHost: false,
    // The marketplace may parse leniently: `not_http` is only what no parser accepts.
    insecureHTTPParser: true,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
  request.setHeader('Host', url.host);
  request.setHeader('User-Agent', `sandlot/${VERSION}`);
  for (const [name, value] of headers) request.appendHeader(name, value);
  return request;
}

/** Waits until a request is connected. @returns the outcome of the attempt if it cannot be */
async function connect(
  request: http.ClientRequest,
  { url, runtime, timing }: SenderOptions,
): Promise<string | undefined> {
  const connectEvent = url.protocol === 'https:' ? 'secureConnect' : 'connect';
  let failure = 'connection_failed';
  const cancelTimeout = runtime.after(timing.timeoutMs, () => {
    failure = 'timeout';
    request.destroy();
  });
  const isConnected = await new Promise<boolean>((resolve) => {
    request.once('socket', (socket) => {
      socket.setNoDelay();
      if (request.reusedSocket) resolve(true);
      else socket.once(connectEvent, () => resolve(true));
    });
    request.on('error', (error) => {
      if (failure !== 'timeout') failure = outcomeOf(error);
    });
    request.once('close', () => resolve(false));
  });
  cancelTimeout();
  return isConnected ? undefined : failure;
}

/** Splits the body into the pieces that are written one by one. */
function piecesOf({ body, splitAt }: TestDelivery): Buffer[] {
  const ends: readonly number[] = splitAt ?? [];
  return [...ends, body.length].map((end, index) => body.subarray(ends[index - 1] ?? 0, end));
}
