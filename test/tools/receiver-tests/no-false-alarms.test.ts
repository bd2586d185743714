import net from 'node:net';
import { describe, expect, type OnTestFinishedHandler, test } from 'vitest';
import { listenOnLoopback } from '../../support/ports.ts';
import { namesOf, runQuickly, type Steps, startReceiver, takeOnce } from './receiver.ts';

const tolerant: Partial<Steps> = {
  verify: (expected, given) => given?.toLowerCase().replace(/^v1=/, '') === expected,
  reject: (_event, { body }) => (body.length > 100_000 ? 413 : undefined),
};

function rejectWith(status: number): Partial<Steps> {
  return { respond: (said, response) => response.writeHead(said === 401 ? status : said).end() };
}

const CORRECT: [what: string, steps: Partial<Steps>][] = [
  ['accepts uppercase and v1=, and responds 413 at 100 KB', tolerant],
  ['rejects with 400', rejectWith(400)],
  ['rejects with 403', rejectWith(403)],
  ['rejects with 422', rejectWith(422)],
  ['closes connections', { first: ({ response }) => response.setHeader('connection', 'close') }],
  [
    'rejects with a closed connection',
    {
      respond: (status, response) =>
        status === 401 ? response.socket?.destroy() : response.writeHead(status).end(),
    },
  ],
  [
    'writes two rows per event',
    takeOnce((event, { add }) => {
      add(event);
      add(event);
    }),
  ],
  [
    'processes after it has responded',
    takeOnce((event, { add }) => {
      setTimeout(() => add(event), 1);
    }),
  ],
];

describe.concurrent('a correct receiver has no failure', () => {
  test.for(CORRECT)('that %s', async ([, steps], { onTestFinished: finished }) => {
    const { url, countProbe: probe } = await startReceiver(steps, finished);
    const report = await runQuickly({ url, probe, settleMs: 40 });
    expect(namesOf(report, 'fail')).toEqual([]);
    expect(namesOf(report, 'unseen')).toEqual(['order.no_return']);
  });
});

test.concurrent('a probe that does not change makes effects unseen, and responses still count', async ({
  onTestFinished,
}) => {
  const { url } = await startReceiver({}, onTestFinished);
  const probe = () => 7;
  const report = await runQuickly({ url, probe });
  expect(report.probe).toBe('unchanged');
  expect(report.totals).toEqual({ pass: 49, fail: 0, advice: 0, unseen: 7 });
  const twice = report.checks.find(({ id }) => id === 'dup.twice');
  expect(twice?.reason).toMatch(/^Your probe does not change/);
});

const RAW: [what: string, head: string, body: (socket: net.Socket) => void][] = [
  ['speaks HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\n', (socket) => socket.end('ok')],
  [
    'responds with an endless body',
    'HTTP/1.1 200 OK\r\n\r\n',
    (socket) => {
      const more = () => {
        while (!socket.destroyed && socket.write('x'.repeat(16_384)));
      };
      socket.on('drain', more);
      more();
    },
  ],
];

test.concurrent.for(RAW)(
  'a run against a receiver that %s ends in time',
  async ([, head, body], { onTestFinished }) => {
    const url = await rawReceiver((socket) => {
      socket.write(head);
      body(socket);
    }, onTestFinished);
    const report = await runQuickly({ url, only: ['right.*', 'wire.keep_alive'] });
    expect(namesOf(report, 'fail')).toEqual([]);
    expect(report.totals.pass).toBe(8);
    expect(report.duration_ms).toBeLessThan(10_000);
  },
);

async function rawReceiver(
  respond: (socket: net.Socket) => void,
  finished: (close: OnTestFinishedHandler) => void,
): Promise<string> {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => respond(socket));
  });
  return listenOnLoopback(server, finished);
}

test.concurrent.for(['brokerage.case_completed', 'order.refunded'] as const)(
  'with --event %s a correct receiver passes',
  async (event, { onTestFinished }) => {
    const { url, countProbe: probe } = await startReceiver({}, onTestFinished);
    const report = await runQuickly({ url, probe, event });
    expect(report.totals).toEqual({ pass: 55, fail: 0, advice: 0, unseen: 1 });
  },
);
