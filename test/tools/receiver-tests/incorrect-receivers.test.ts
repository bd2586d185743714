import { timingSafeEqual } from 'node:crypto';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { EVENT_TYPES } from '../../../src/events/event-types.ts';
import { RECEIVER_CHECKS } from '../../../src/tools/receiver-tests/checks/index.ts';
import type { ReceiverTestOptions } from '../../../src/tools/receiver-tests/options.ts';
import type { ReceiverTestReport } from '../../../src/tools/receiver-tests/result.ts';
import {
  type Event,
  namesOf,
  reasonsOf,
  runQuickly,
  type Steps,
  startReceiver,
  type TestReceiver,
  takeOnce,
} from './receiver.ts';

const RIGHT = EVENT_TYPES.map((type) => `right.${type}`);
/** All but `sig.not_json`, which a parser rejects where no signature is verified. */
const SIG = [
  ...['missing', 'empty', 'wrong_secret', 'last_digit', 'prefix', 'not_hex', 'not_ascii'],
  ...['other_event', 'tampered', 'truncated', 'empty_key', 'no_key', 'reserialized', 'appended'],
  'content_type',
].map((id) => `sig.${id}`);
const REPEATED = ['dup.twice', 'dup.at_once', 'dup.hangup', 'dup.late'];

/** How many deliveries find no process after one has ended it. */
const MISSED = 3;

const failed = (report: ReceiverTestReport) => namesOf(report, 'fail');

function run({ url, countProbe: probe }: TestReceiver, more: Partial<ReceiverTestOptions> = {}) {
  return runQuickly({ url, probe, ...more });
}

const parsed = (body: Buffer): Record<string, unknown> => JSON.parse(body.toString('utf8'));

/** Waits 5 ms, and until a busy event loop has read what was sent meanwhile. */
async function tick(): Promise<void> {
  await pause(5);
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
}

/** Each is a correct receiver with one change, and the `must` checks that fail. */
const INCORRECT: [change: string, steps: Partial<Steps>, checks: string[]][] = [
  [
    'verifies JSON.stringify(parsed)',
    { signedBytes: ({ body }) => JSON.stringify(parsed(body)) },
    ['body.pretty', 'body.escapes', 'body.fields', 'sig.reserialized', 'sig.appended'],
  ],
  [
    'trims before verifying',
    { signedBytes: ({ body }) => body.toString('utf8').trim() },
    ['body.pretty', 'sig.appended'],
  ],
  [
    'decodes pieces as text',
    { signedBytes: ({ pieces }) => pieces.map((piece) => piece.toString('utf8')).join('') },
    ['wire.split'],
  ],
  [
    'has a strict schema',
    { reject: (event) => (hasUnknownFields(event) ? 422 : undefined) },
    ['body.escapes', 'body.utf8', 'body.fields', 'wire.split'],
  ],
  [
    'compares Content-Type as text',
    {
      reject: (_event, { headers }) =>
        headers['content-type'] === 'application/json' ? undefined : 415,
    },
    ['wire.charset'],
  ],
  [
    'verifies only a signature that is not empty',
    { verify: (expected, given) => !given || given === expected },
    ['sig.missing', 'sig.empty'],
  ],
  [
    'tests expected.startsWith(given)',
    { verify: (expected, given) => given !== undefined && expected.startsWith(given) },
    ['sig.empty', 'sig.prefix'],
  ],
  ['does not verify', { verify: () => true }, [...SIG, 'dup.after_forgery']],
  ['has no secret', { secret: () => '' }, [...RIGHT, 'sig.empty_key']],
  ['does not remember ids', { take: (event, { add }) => add(event) }, REPEATED],
  [
    'responds 422 to duplicates',
    {
      first: ({ body, response }, { ids }) => {
        if (ids.has(String(parsed(body).id))) response.writeHead(422).end();
      },
    },
    REPEATED,
  ],
  [
    'checks first and writes later',
    {
      take: async (event, { ids, add }) => {
        if (ids.has(event.id)) return;
        await tick();
        ids.add(event.id);
        add(event);
      },
    },
    ['dup.at_once'],
  ],
  [
    'remembers ids before verifying',
    {
      take: (event, { ids, add }) => {
        if (ids.delete(`first ${event.id}`)) add(event);
      },
      first: ({ body }, { ids }) => {
        const { id } = parsed(body);
        if (ids.has(`seen ${id}`)) ids.delete(`first ${id}`);
        else ids.add(`seen ${id}`).add(`first ${id}`);
      },
    },
    ['dup.after_forgery'],
  ],
  [
    'stores the id, but stops when the sender hangs up',
    takeOnce(async (event, { add }, { response }) => {
      await tick();
      if (!response.destroyed) add(event);
    }),
    ['dup.hangup'],
  ],
  [
    'decodes the signature and compares only as many bytes',
    {
      verify: (expected, given = '') => {
        const sent = Buffer.from(given, 'hex');
        return given.length === expected.length && Buffer.from(expected, 'hex').includes(sent);
      },
    },
    ['sig.not_hex', 'sig.not_ascii'],
  ],
  [
    'accepts a signature whose verification throws',
    {
      verify: (expected, given) => {
        try {
          // The texts have the same length, but not their bytes.
          if (given?.length !== expected.length) return false;
          return timingSafeEqual(Buffer.from(given), Buffer.from(expected));
        } catch {
          return true;
        }
      },
    },
    ['sig.not_ascii'],
  ],
  ['ends when it parses what is not JSON', crashing(), ['sig.not_json']],
  [
    'reads two spellings of the header name',
    {
      first: ({ request, headers }) => {
        const names = request.rawHeaders.filter((_, n) => n % 2 === 0);
        const known = ['X-Service-Signature', 'x-service-signature'];
        if (!names.some((name) => known.includes(name))) delete headers['x-service-signature'];
      },
    },
    ['wire.header_upper'],
  ],
  [
    'rejects unknown types',
    { reject: ({ type }) => (/^(order|brokerage)\./.test(type) ? undefined : 409) },
    ['type.family'],
  ],
  [
    'rejects events over 5 minutes old',
    { reject: (event) => (Date.now() - Date.parse(event.created_at) > 300_000 ? 400 : undefined) },
    ['data.old'],
  ],
];

/** Its process ends when the body is not JSON, and starts again. */
function crashing(): Partial<Steps> {
  let missed = MISSED;
  return {
    first: ({ body, response }) => {
      try {
        parsed(body);
      } catch {
        missed = 0;
      }
      if (missed === MISSED) return;
      missed += 1;
      response.socket?.destroy();
    },
  };
}

/** Fails if another event has inserted the order since it was looked for. */
function insertingOrders(): Partial<Steps> {
  const rows = new Set<unknown>();
  return takeOnce(async (event, { add }) => {
    add(event);
    const id = event.data.order?.public_id;
    if (id === undefined || rows.has(id)) return;
    await tick();
    if (rows.has(id)) throw new Error('duplicate key');
    rows.add(id);
  });
}

function hasUnknownFields({ data }: Event): boolean {
  const known = ['public_id', 'domain', 'status', 'sale_price_cents', 'currency'];
  return data.order !== undefined && Object.keys(data.order).some((key) => !known.includes(key));
}

describe.concurrent('each incorrect receiver fails exactly the checks named for it', () => {
  test.for(INCORRECT)('%s', async ([, steps, checks], { onTestFinished }) => {
    const report = await run(await startReceiver(steps, onTestFinished));
    expect(failed(report).toSorted()).toEqual([...checks].toSorted());
    expect(report.ok).toBe(false);
    for (const { id, result, reason, meaning, fix } of report.checks) {
      if (result === 'fail') expect(meaning && fix).toBeTruthy();
      const isRejected = /^dup\..* valid delivery was rejected$/.test(`${id} ${reason}`);
      expect(/duplicate/.test(meaning ?? ''), id).toBe(isRejected);
    }
  });
});

test.concurrent.for([
  [
    'cannot store U+0000',
    'body.nul',
    { reject: (_event, { body }) => (body.includes('\\u0000') ? 500 : undefined) },
  ],
  ...[200, 422].map((status): [string, string, Partial<Steps>] => [
    `compares event ids without case, and responds ${status} to another event,`,
    'dup.other_case',
    {
      take: (event, { ids, add }, { response }) => {
        const id = event.id.toLowerCase();
        if (!ids.has(id)) add(event);
        else if (!ids.has(event.id)) response.writeHead(status).end();
        ids.add(id).add(event.id);
      },
    },
  ]),
  ['inserts an order that it did not find', 'order.at_once', insertingOrders()],
  [
    'ignores what follows the hex digits of a signature',
    'sig.suffixed',
    { verify: (expected, given = '') => /^[0-9a-f]{64}/.exec(given)?.[0] === expected },
  ],
] satisfies [string, string, Partial<Steps>][])(
  'a receiver that %s is advised about %s',
  async ([, id, steps], { onTestFinished }) => {
    const report = await run(await startReceiver(steps, onTestFinished));
    const wrong = report.checks.filter(({ result }) => result === 'fail' || result === 'advice');
    const meaning = RECEIVER_CHECKS.find((check) => check.id === id)?.meaning;
    expect(wrong).toMatchObject([{ id, result: 'advice', meaning }]);
  },
);

test.concurrent.for([
  ['responds 500', { verify: throwing }],
  [
    'closes the connection',
    {
      first: ({ headers, response }) => {
        if (headers['x-service-signature'] === undefined) response.socket?.destroy();
      },
    },
  ],
] satisfies [string, Partial<Steps>][])(
  'a receiver that %s at a missing signature passes',
  async ([, steps], { onTestFinished }) => {
    const { url } = await startReceiver(steps, onTestFinished);
    const { totals } = await runQuickly({ url, only: ['right.*', 'sig.missing'] });
    expect(totals).toEqual({ pass: 8, fail: 0, advice: 0, unseen: 0 });
  },
);

/** A verifier that throws without a header, as `Buffer.from(undefined)` does. */
function throwing(expected: string, given: string | undefined): boolean {
  if (given === undefined) throw new TypeError('not a string');
  return given === expected;
}

const NO_200: [what: string, steps: Partial<Steps>, meaning: RegExp][] = [
  ['204', { respond: (_status, response) => response.writeHead(204).end() }, /^Accepted, but not/],
  [
    '301',
    { respond: (_status, response) => response.writeHead(301, { location: '/x' }).end() },
    /does not follow redirects/,
  ],
  ['no HTTP', { first: ({ response }) => void response.socket?.end('SSH') }, /not an HTTP server/],
  ['409', { reject: () => 409 }, /^The receiver rejects orders that it does not know/],
  ['500', { respond: (_status, response) => response.writeHead(500).end() }, /^The handler failed/],
  [
    '200 after the limit',
    {
      respond: (status, response) => {
        setTimeout(() => response.writeHead(status).end(), 60);
      },
    },
    /^The handler processes before it responds/,
  ],
];

test.concurrent.for(NO_200)(
  'a receiver that responds %s fails right.*, and the rest is unseen',
  async ([, steps, meaning], { onTestFinished }) => {
    const { url, countProbe: probe } = await startReceiver(steps, onTestFinished);
    const report = await runQuickly({ url, probe }, { lateMs: 30, timeoutMs: 2_000 });
    expect(failed(report)).toEqual(RIGHT);
    for (const check of report.checks) {
      if (check.result === 'fail') expect(check.meaning).toMatch(meaning);
      else expect(check.result, check.id).toBe('unseen');
    }
  },
);

test.concurrent('a rejection proves nothing if no valid delivery was accepted', async ({
  onTestFinished,
}) => {
  const rejecting = await startReceiver({ verify: () => false }, onTestFinished);
  const report = await run(rejecting);
  expect(failed(report)).toEqual(RIGHT);
  expect(report.totals.pass).toBe(0);
  expect(reasonsOf(report)['sig.missing']).toMatch(/^unseen: .*proves nothing/);
  expect((await run(rejecting, { only: ['sig.*'] })).ok).toBe(false);
});

test.concurrent('a receiver that never responds gets no forgeries, which would each take 8 s', async ({
  onTestFinished,
}) => {
  const { url, requests } = await startReceiver({ respond: () => {} }, onTestFinished);
  expect(failed(await runQuickly({ url }, { timeoutMs: 100 }))).toEqual(RIGHT);
  expect(requests()).toBe(RIGHT.length + 1);
});

test.concurrent('a receiver that crashes after a check fails that check, and the run goes on', async ({
  onTestFinished,
}) => {
  let missed = MISSED;
  const receiver = await startReceiver(
    {
      first: ({ headers, response }) => {
        if (missed < MISSED) {
          missed += 1;
          response.socket?.destroy();
        } else if (headers['content-type'] === 'text/plain') {
          missed = 0;
        }
      },
    },
    onTestFinished,
  );
  const report = await run(receiver, { only: ['wire.content_type', 'dup.twice'] });
  const [crash, twice] = report.checks;
  expect(crash).toMatchObject({
    result: 'advice',
    meaning: 'The receiver did not survive this check.',
  });
  expect(twice).toMatchObject({ result: 'pass' });
});

test.concurrent('a crash within a check fails only that check', async ({ onTestFinished }) => {
  let count = 0;
  const respond: Steps['respond'] = (status, response) => {
    response.writeHead(status, { Connection: 'close' }).end();
    count += 1;
    // The first of dup.twice: before it came a valid one, that of wire.content_type, and a test whether it responds.
    if (count !== 4) return;
    server.close(() => setTimeout(() => server.listen(new URL(url).port), 60));
  };
  const { server, url } = await startReceiver({ respond }, onTestFinished);
  const report = await runQuickly({ url, only: ['wire.content_type', 'dup.twice'] });
  expect(report.checks).toMatchObject([
    { result: 'pass' },
    { result: 'fail', meaning: 'The receiver did not survive this check.' },
  ]);
});

test.concurrent('a rejection after the effect is a failure, and a silent rejection is advice', async ({
  onTestFinished,
}) => {
  const early = await startReceiver(
    {
      first: ({ body, headers }, { add }) => {
        if (headers['x-service-signature'] === undefined) add(parsed(body) as unknown as Event);
      },
    },
    onTestFinished,
  );
  const processed = await run(early, { only: ['sig.*'] });
  expect(failed(processed)).toEqual(['sig.missing']);
  expect(processed.checks[0]?.meaning).toBe('The receiver processes first and rejects later.');
  const respond: Steps['respond'] = (_status, response) => response.writeHead(200).end();
  const silent = await startReceiver({ respond }, onTestFinished);
  const ignored = await run(silent, { only: ['sig.missing', 'dup.after_forgery'] });
  expect(ignored.checks.map(({ result }) => result)).toEqual(['advice', 'advice']);
  const unprobed = await runQuickly({ url: silent.url, only: ['sig.missing'] });
  expect(failed(unprobed)).toEqual(['sig.missing']);
});
