import net from 'node:net';
import { describe, expect, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { orderFor } from '../support/orders.ts';
import { listenOnLoopback } from '../support/ports.ts';
import { deliveriesOf, withReceiver } from '../support/receiver.ts';
import { sandbox } from '../support/sandbox.ts';

const NO_CONTENT = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
const KEEP_ALIVE = `HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nKeep-Alive: timeout=60\r\nContent-Length: 0\r\n\r\n`;

/** A sandbox with a receiver that has read the request and responds over the bare socket. */
function withSocket(respond: (socket: net.Socket) => void) {
  return withReceiver(({ socket }) => void (socket && respond(socket)));
}

/** Sells, one order after the other. @returns the outcomes of the attempts to deliver the event of each */
async function sell(at: InProcessSandbox, orders: number): Promise<string[][]> {
  for (let n = 0; n < orders; n += 1) {
    await orderFor(at, n);
    await at.idle();
  }
  const deliveries = await deliveriesOf(at);
  return deliveries.map(({ attempts }) => attempts.map(({ outcome }) => outcome));
}

describe('a receiver that responds', () => {
  test.each<[how: string, respond: (socket: net.Socket) => void]>([
    ['and closes', (socket) => void socket.end(NO_CONTENT)],
    ['and closes, having promised to keep the connection', (socket) => void socket.end(KEEP_ALIVE)],
    [
      'and resets the connection',
      (socket) => void socket.write(NO_CONTENT, () => socket.resetAndDestroy()),
    ],
    [
      'and resets the connection at the next request',
      (socket) =>
        socket.bytesWritten > 0 ? socket.resetAndDestroy() : void socket.write(KEEP_ALIVE),
    ],
    [
      'in HTTP/1.0 without a length and resets the connection',
      (socket) => void socket.write('HTTP/1.0 200 OK\r\n\r\n', () => socket.resetAndDestroy()),
    ],
    [
      'and closes in the middle of the body',
      (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'),
    ],
    [
      'and sends a malformed chunk',
      (socket) => void socket.end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n'),
    ],
  ])('%s gets each event once, and one successful attempt is recorded', async (_, respond) => {
    const { at, hook } = await withSocket(respond);
    expect(await sell(at, 3)).toEqual([['ok'], ['ok'], ['ok']]);
    expect(hook.received).toHaveLength(3);
    expect(new Set(hook.received.map(({ body }) => body)).size).toBe(3);
  });

  test('before it has read a large body has responded', async () => {
    const at = await sandbox();
    const server = net.createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.pause();
        socket.write(NO_CONTENT, () => socket.resetAndDestroy());
      });
    });
    const fired = await at.control.post<{ attempts: { outcome: string }[] }>('/webhooks/fire', {
      type: 'order.recorded',
      url: await listenOnLoopback(server),
      secret: 's',
      data: { order: 'x'.repeat(900_000) },
    });
    expect(fired.attempts).toMatchObject([{ outcome: 'ok' }]);
  });
});

const LONG_HEADER = `X-Long: ${'x'.repeat(40_000)}\r\n`;

test.each([
  ['with half of its body', 'HTTP/1.1 500 Error\r\nContent-Length: 10\r\n\r\nhalf', 'status 500'],
  ['with status 200 and a head of 40 KB', `HTTP/1.1 200 OK\r\n${LONG_HEADER}\r\n`, 'ok'],
  ['with status 503 and a head of 40 KB', `HTTP/1.1 503 No\r\n${LONG_HEADER}\r\n`, 'status 503'],
  ['with status 101', 'HTTP/1.1 101 OK\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n', 'status 101'],
  ['with a header without a colon', 'HTTP/1.1 200 OK\r\nno colon\r\n\r\n', 'not_http'],
])(
  'the outcome of a response %s is that of its status, if it is HTTP',
  async (_, response, outcome) => {
    const { at } = await withSocket((socket) => void socket.end(response));
    expect(await sell(at, 1)).toEqual([[outcome]]);
  },
);

test('a connection that dies before any response is one attempt, sent once, with outcome connection_reset', async () => {
  const responses = [
    (socket: net.Socket) => void socket.write(KEEP_ALIVE),
    (socket: net.Socket) => void socket.end(),
    (socket: net.Socket) => socket.resetAndDestroy(),
  ];
  const { at, hook } = await withSocket((socket) => responses.shift()?.(socket));
  expect(await sell(at, 3)).toEqual([['ok'], ['connection_reset'], ['connection_reset']]);
  expect(hook.received).toHaveLength(3);
  expect(new Set(hook.received.map(({ body }) => body)).size).toBe(3);
});
