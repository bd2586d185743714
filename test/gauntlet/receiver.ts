import { createHmac, timingSafeEqual } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

export const SECRET = 'whsec_gauntlet_test';

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
  secret: string;
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
  /** Shell command that prints the number of effects. */
  countProbe: string;
  /** Shell command that prints the state of every order. */
  textProbe: string;
  requests(): number;
  server: http.Server;
}

/** Shell command that prints the newest status of each order in a file of effects. */
export function stateOf(file: string): string {
  return `sort -k2,2 -k3,3 '${file}' | awk '{s[$2]=$4} END{for(k in s) print k, s[k]}' | sort`;
}

export function countOf(file: string): string {
  return `wc -l < '${file}'`;
}

const CORRECT: Steps = {
  secret: SECRET,
  signedBytes: ({ body }) => body,
  verify: (expected, given) =>
    given?.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected)),
  reject: () => undefined,
  take: (event, { ids, add }) => {
    if (ids.has(event.id)) return;
    ids.add(event.id);
    add(event);
  },
  first: () => {},
  respond: (status, response) => {
    response.writeHead(status).end(status === 401 ? '{"error":"invalid signature"}' : undefined);
  },
};

/**
 * A correct receiver in this process with the steps given in place of its own; closed when the test ends.
 * @param finished `onTestFinished` of a concurrent test
 */
export async function startReceiver(
  steps: Partial<Steps> = {},
  finished: (close: () => Promise<void>) => void = onTestFinished,
): Promise<TestReceiver> {
  const behavior = { ...CORRECT, ...steps };
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sandlot-gauntlet-'));
  finished(async () => fs.rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'effects');
  fs.writeFileSync(file, '');
  let requests = 0;
  const effects: Effects = {
    ids: new Set(),
    add: ({ id, type, created_at, data }) => {
      if (!/^(order|brokerage)\./.test(type)) return;
      const { public_id, case_id, status } = data.order ?? data.case ?? {};
      fs.appendFileSync(file, `${id} ${public_id ?? case_id} ${created_at} ${status}\n`);
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  finished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    countProbe: countOf(file),
    textProbe: stateOf(file),
    requests: () => requests,
    server,
  };
}

async function receive(incoming: Incoming, steps: Steps, effects: Effects): Promise<number> {
  steps.first(incoming, effects);
  const given = incoming.headers['x-service-signature'];
  const expected = createHmac('sha256', steps.secret)
    .update(steps.signedBytes(incoming))
    .digest('hex');
  if (!steps.verify(expected, typeof given === 'string' ? given : undefined)) return 401;
  const event = JSON.parse(incoming.body.toString('utf8')) as Event;
  const rejected = steps.reject(event, incoming);
  if (rejected !== undefined) return rejected;
  await steps.take(event, effects, incoming);
  return 200;
}
