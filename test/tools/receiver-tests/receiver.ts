import { createHmac, timingSafeEqual } from 'node:crypto';
import http from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemRuntime } from '../../../src/kernel/runtime.ts';
import type { ReceiverTestOptions } from '../../../src/tools/receiver-tests/options.ts';
import type { CheckOutcome, ReceiverTestReport } from '../../../src/tools/receiver-tests/result.ts';
import { runReceiverTests } from '../../../src/tools/receiver-tests/run.ts';
import { TIMING, type Timing } from '../../../src/tools/receiver-tests/timing.ts';
import { listenOnLoopback } from '../../support/ports.ts';

export const SECRET = 'whsec_receiver_test';

const QUICK: Timing = {
  ...TIMING,
  splitPauseMs: 20,
  repeatPauseMs: 30,
  pollPauseMs: 10,
  recoveryPauseMs: 30,
};

/** Sleeps, and gives a busy event loop the turns to read what was sent before and to act on it. */
async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  const last = Math.min(ms, 10);
  await systemRuntime.sleep(ms - last, signal);
  await nextTurn();
  await systemRuntime.sleep(last, signal);
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
}

/** Each check with `pass`, or with its result and reason. */
export function reasonsOf({ checks }: ReceiverTestReport): Record<string, string> {
  return Object.fromEntries(
    checks.map(({ id, result, reason }) => [
      id,
      result === 'pass' ? 'pass' : `${result}: ${reason}`,
    ]),
  );
}

export function namesOf({ checks }: ReceiverTestReport, wanted: CheckOutcome): string[] {
  return checks.filter(({ result }) => result === wanted).map(({ id }) => id);
}

/** A run with short pauses, against a receiver in this process: timers of both fire in one order. */
export function runQuickly(
  options: Omit<ReceiverTestOptions, 'secret'>,
  timing: Partial<Timing> = {},
): Promise<ReceiverTestReport> {
  const quick = { secret: SECRET, settleMs: 20, runtime: { ...systemRuntime, sleep } };
  return runReceiverTests({ ...quick, ...options }, { ...QUICK, ...timing });
}

export interface Event {
  id: string;
  type: string;
  created_at: string;
  data: Record<string, Record<string, unknown>>;
}

/** A request as the receiver has read it. */
export interface Incoming {
  body: Buffer;
  pieces: Buffer[];
  headers: http.IncomingHttpHeaders;
  request: http.IncomingMessage;
  response: http.ServerResponse;
}

/** The steps of a correct receiver; an incorrect one replaces one of them. */
export interface Steps {
  secret(): string;
  /** The bytes that are verified. */
  signedBytes(incoming: Incoming): Buffer | string;
  verify(expected: string, given: string | undefined): boolean;
  /** A status other than 200 for what the receiver rejects after verification. */
  reject(event: Event, incoming: Incoming): number | undefined;
  /** Processes each event once. */
  take(event: Event, receiver: Effects, incoming: Incoming): void | Promise<void>;
  /** Called before verification. */
  first(incoming: Incoming, receiver: Effects): void;
  respond(status: number, response: http.ServerResponse): void;
}

/** Ids that were seen and what was done. */
export interface Effects {
  ids: Set<string>;
  /** Writes the effect of an event. */
  add(event: Event): void;
}

export interface TestReceiver {
  url: string;
  /** Number of effects. */
  countProbe(): number;
  /** State of every order. */
  textProbe(): string;
  requests(): number;
  server: http.Server;
}

/** One effect: event id, order or case id, time and status. */
type Effect = readonly string[];

/** The newest status of each order. */
function stateOf(effects: readonly Effect[]): string {
  const byTime = effects.toSorted(([, , one = ''], [, , other = '']) => (one < other ? -1 : 1));
  const states = new Map(byTime.map(([, order = '', , status = '']) => [order, status]));
  const lines = [...states].map(([order, status]) => `${order} ${status}`);
  return lines.toSorted().join('\n');
}

export function correctVerify(expected: string, given = ''): boolean {
  const [right, sent] = [Buffer.from(expected), Buffer.from(given)];
  return sent.length === right.length && timingSafeEqual(sent, right);
}

/** The step of a receiver that processes each event once. */
export function takeOnce(process: Steps['take']): Pick<Steps, 'take'> {
  return {
    take: (event, receiver, incoming) => {
      if (receiver.ids.has(event.id)) return;
      receiver.ids.add(event.id);
      return process(event, receiver, incoming);
    },
  };
}

const CORRECT: Steps = {
  secret: () => SECRET,
  signedBytes: ({ body }) => body,
  verify: correctVerify,
  reject: () => undefined,
  ...takeOnce((event, { add }) => add(event)),
  first: () => {},
  respond: (status, response) => {
    response.writeHead(status).end(status === 401 ? '{"error":"invalid signature"}' : undefined);
  },
};

/**
 * A correct receiver in this process with the steps given in place of its own; closed when the test ends.
 * @param finished `onTestFinished` of a concurrent test, or `afterAll`
 */
export async function startReceiver(
  steps: Partial<Steps> = {},
  finished?: (close: () => Promise<void>) => void,
): Promise<TestReceiver> {
  const behavior = { ...CORRECT, ...steps };
  const written: Effect[] = [];
  let requests = 0;
  const effects: Effects = {
    ids: new Set(),
    add: ({ id, type, created_at, data }) => {
      if (!/^(order|brokerage)\./.test(type)) return;
      const { public_id, case_id, status } = data.order ?? data.case ?? {};
      written.push([id, String(public_id ?? case_id), created_at, String(status)]);
    },
  };
  const server = http.createServer((request, response) => {
    requests += 1;
    const pieces: Buffer[] = [];
    request.on('error', () => {});
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', async () => {
      const { headers } = request;
      const incoming = { body: Buffer.concat(pieces), pieces, headers, request, response };
      let status: number;
      try {
        status = await receive(incoming, behavior, effects);
      } catch {
        status = 500;
      }
      if (!response.writableEnded && !response.destroyed) behavior.respond(status, response);
    });
  });
  return {
    url: `${await listenOnLoopback(server, finished)}/webhooks`,
    countProbe: () => written.length,
    textProbe: () => stateOf(written),
    requests: () => requests,
    server,
  };
}

async function receive(incoming: Incoming, steps: Steps, effects: Effects): Promise<number> {
  steps.first(incoming, effects);
  const given = incoming.headers['x-service-signature'];
  const hmac = createHmac('sha256', steps.secret()).update(steps.signedBytes(incoming));
  if (!steps.verify(hmac.digest('hex'), typeof given === 'string' ? given : undefined)) return 401;
  const event = JSON.parse(incoming.body.toString('utf8')) as Event;
  const rejected = steps.reject(event, incoming);
  if (rejected !== undefined) return rejected;
  await steps.take(event, effects, incoming);
  return 200;
}
