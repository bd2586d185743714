import { createHmac } from 'node:crypto';
import http from 'node:http';
import type { CreateSandboxOptions, InProcessSandbox, Key } from '../../src/index.ts';
import { orderFor } from './orders.ts';
import { freePorts, listenOnLoopback } from './ports.ts';
import { answered } from './responses.ts';
import { sandbox } from './sandbox.ts';

/** A webhook as it came over the wire. */
export interface Received {
  method: string;
  path: string;
  /** Names and values as sent, in order. */
  headers: [name: string, value: string][];
  body: string;
}

/** What the receiver does with a request: a status, or anything done to the response. */
export type ReceiverResponse = number | ((response: http.ServerResponse, n: number) => void);

export interface Receiver {
  url: string;
  received: Received[];
  /** How requests are answered from now on. */
  response: ReceiverResponse;
  /** Responds to the last request, if `HELD` has not. */
  release(status?: number): void;
  /** Resolves when `count` requests have come in all. */
  came(count: number): Promise<void>;
}

/** A partner's webhook receiver on loopback, closed when the test ends. */
export async function receiver(response: ReceiverResponse = 200): Promise<Receiver> {
  const waiting: (() => void)[] = [];
  const made: Receiver = {
    url: '',
    received: [],
    response,
    release: () => {},
    came: async (count) => {
      while (made.received.length < count) await new Promise<void>((next) => waiting.push(next));
    },
  };
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      made.received.push({
        method: request.method ?? '',
        path: request.url ?? '',
        headers: pairsOf(request.rawHeaders),
        body: Buffer.concat(chunks).toString(),
      });
      made.release = (status = 200) => void response.writeHead(status).end();
      if (typeof made.response === 'number') response.writeHead(made.response).end();
      else made.response(response, made.received.length);
      for (const wake of waiting.splice(0)) wake();
    });
  });
  made.url = `${await listenOnLoopback(server)}/hook`;
  return made;
}

/** Does not answer. */
export const HELD: ReceiverResponse = () => {};

/** Cuts the connection instead of answering. */
export const RESET: ReceiverResponse = (response) => response.socket?.resetAndDestroy();

/** An address where no server listens. */
export async function deadUrl(): Promise<string> {
  const [port = 0] = await freePorts(1);
  return `http://127.0.0.1:${port}/hook`;
}

export const WEBHOOK_SECRET = 'whsec_test';

/** Registers a url by the default credential, or another. */
export async function register(
  sandbox: InProcessSandbox,
  url: string,
  { secret = WEBHOOK_SECRET, key }: { secret?: string; key?: Key } = {},
): Promise<void> {
  const call = { method: 'PUT', target: '/api/partner/webhooks', body: { url, secret } };
  await answered(await sandbox.call(call, key), 200);
}

/** A sandbox whose default partner has registered a receiver. */
export async function withReceiver(
  response: ReceiverResponse = 200,
  options: CreateSandboxOptions = {},
) {
  const at = await sandbox(options);
  const hook = await receiver(response);
  await register(at, hook.url);
  return { at, hook };
}

/** As `withReceiver`, after the first attempt to deliver the event of an order. */
export async function withAttempt(
  response: ReceiverResponse = 200,
  options: CreateSandboxOptions = {},
) {
  const { at, hook } = await withReceiver(response, options);
  const order = await orderFor(at);
  await at.idle();
  return { at, hook, order };
}

export function headerOf({ headers }: Received, name: string): string | undefined {
  return headers.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1];
}

/** The signature that the specification asks of a delivery. */
export function rightSignature({ body }: Received, secret = WEBHOOK_SECRET): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

export interface Delivery {
  delivery_id: string;
  event_id: string;
  url: string;
  status: string;
  attempts: { at: string; outcome: string; http_status: number | null; duration_ms: number }[];
  next_attempt_at: string | null;
}

/** Deliveries of a world, oldest first. */
export async function deliveriesOf(
  { control }: Pick<InProcessSandbox, 'control'>,
  query: Record<string, string> = {},
): Promise<Delivery[]> {
  const filters = { limit: 100, ...query };
  const { deliveries } = await control.get<{ deliveries: Delivery[] }>('/deliveries', filters);
  return deliveries.toReversed();
}

/** The one delivery of a world. */
export async function onlyDelivery(at: Pick<InProcessSandbox, 'control'>): Promise<Delivery> {
  const [delivery, ...more] = await deliveriesOf(at);
  if (!delivery || more.length > 0) throw new Error('one delivery was expected');
  return delivery;
}

function pairsOf(raw: string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let n = 0; n < raw.length; n += 2) pairs.push([raw[n] ?? '', raw[n + 1] ?? '']);
  return pairs;
}

/** What came, by type of event. */
export function typesOf({ received }: Receiver): string[] {
  return received.map(({ body }) => (JSON.parse(body) as { type: string }).type);
}
