import path from 'node:path';
import { expect, test } from 'vitest';
import { signWebhook } from '../../../src/signing/signature.ts';
import type {
  ReceiverTestOptions,
  SaleOptions,
} from '../../../src/tools/receiver-tests/options.ts';
import { commandLine } from '../../cli/command-line.ts';
import { mint } from '../../support/orders.ts';
import { sandbox } from '../../support/sandbox.ts';
import {
  type Event,
  reasonsOf,
  runQuickly,
  SECRET,
  type Steps,
  startReceiver,
} from './receiver.ts';

const IDS = [
  ...['recorded', 'duplicate', 'forged', 'retried', 'reordered', 'settled', 'held', 'refunded'],
  ...['caught_up', 'rotated'],
].map((name) => `sale.${name}`);

/** What a correct receiver gets without a catch-up and a rotation. */
const CORRECT = {
  ...Object.fromEntries(IDS.map((id) => [id, 'pass'])),
  'sale.caught_up': 'unseen: The integration did not read GET /events.',
  'sale.rotated': 'unseen: Pass --rotate to check it.',
};

/** Requests of sandlot's own client do not count as requests of the integration. */
const OF_INTEGRATION = { 'User-Agent': 'integration/1.0' };

/** A sandbox that delivers to a receiver, and a run of `sale.*` against both. */
async function orderBody(steps: Partial<Steps> = {}, { port = false as 0 | false } = {}) {
  const at = await sandbox({ inventory: 20, rateLimits: false, port });
  const receiver = await startReceiver(steps);
  await at.control.put('/webhooks', { url: receiver.url, secret: SECRET });
  const run = async (sale: Partial<SaleOptions> = {}, more: Partial<ReceiverTestOptions> = {}) =>
    runQuickly({
      url: receiver.url,
      only: ['sale.*'],
      sale: { sandbox: at.url, fetch: at.fetch, ...sale },
      ...more,
    });
  return { at, receiver, run };
}

/** A command that does something as the integration of the default partner. */
function integration(action: string, url: string, receiver = ''): string {
  const script = path.join(import.meta.dirname, 'receivers/integration.mjs');
  return `'${process.execPath}' '${script}' ${action} ${url} ${receiver}`;
}

test('a correct receiver passes every must check of sale.*, and what was not done is unseen', async () => {
  const { at, receiver, run } = await orderBody();
  const notes: string[] = [];
  const { now } = await at.control.get<{ now: string }>('/clock');
  const report = await run({}, { probe: receiver.countProbe, onNote: (text) => notes.push(text) });
  expect(reasonsOf(report)).toEqual(CORRECT);
  expect(report.snapshot).toBe('before-receiver-test-1');
  expect(notes).toEqual([
    'note: --sale advances the clock of world default by about 10 hours; snapshot before-receiver-test-1 has the state before',
    'note: waiting up to 30 s for the integration to read GET /events',
  ]);
  expect(await at.control.get('/faults')).toMatchObject({ faults: [] });
  await at.control.post('/snapshots/before-receiver-test-1/restore');
  expect(await at.control.get('/clock')).toMatchObject({ now });
});

test('without a probe and without requests of the integration, a duplicate is unseen', async () => {
  const { run } = await orderBody();
  expect(reasonsOf(await run())).toEqual({
    ...CORRECT,
    'sale.duplicate': expect.stringMatching(/^unseen: The integration wrote nothing/),
  });
});

test('an integration that buys, catches up and rotates passes all ten checks', async () => {
  let secret = SECRET;
  const { at, receiver, run } = await orderBody(
    {
      secret: () => secret,
      first: ({ request }) => {
        if (request.url === '/webhooks/rotated') secret = 'whsec_new';
      },
    },
    { port: 0 },
  );
  const buy = integration('buy', at.url);
  const catchUp = integration('catch-up', at.url);
  const rotate = integration('rotate', at.url, receiver.url);
  const report = await run({ buy, catchUp, rotate }, { probe: receiver.countProbe });
  expect(reasonsOf(report)).toEqual(Object.fromEntries(IDS.map((id) => [id, 'pass'])));
});

function rejectingOutOfOrder(): Partial<Steps> {
  const started = new Set<unknown>();
  return {
    reject: ({ type, data: { order } }) => {
      if (type === 'order.transfer_started') started.add(order?.public_id);
      return type === 'order.transfer_completed' && !started.has(order?.public_id)
        ? 422
        : undefined;
    },
  };
}

/** Each is a correct receiver with one change, and the checks of `sale.*` that go wrong. */
const INCORRECT: [change: string, steps: Partial<Steps>, wrong: Record<string, string>][] = [
  [
    'does not remember ids',
    { take: (event, { add }) => add(event) },
    { 'sale.duplicate': 'fail: the event took effect more than once' },
  ],
  [
    'does not verify',
    { verify: () => true },
    { 'sale.forged': 'fail: a forged delivery was accepted' },
  ],
  [
    'processes before it verifies',
    {
      first: ({ body }, { ids, add }) => {
        const event = JSON.parse(body.toString()) as Event;
        if (!ids.has(event.id)) add(event);
        ids.add(event.id);
      },
      take: () => {},
    },
    {
      'sale.forged':
        'fail: a forged delivery took effect before it was rejected: the value of the probe changed',
    },
  ],
  [
    'rejects events that come in another order',
    rejectingOutOfOrder(),
    { 'sale.reordered': 'fail: a valid delivery was rejected' },
  ],
  ...(
    [
      ['order.recorded', ['recorded', 'duplicate']],
      ['order.transfer_completed', ['retried', 'reordered']],
      ['order.settled', ['settled']],
      ['order.manual_review_cleared', ['held']],
      ['order.refunded', ['refunded']],
    ] as const
  ).map(([type, names]): [string, Partial<Steps>, Record<string, string>] => [
    `responds 500 to ${type}`,
    { reject: (event) => (event.type === type ? 500 : undefined) },
    Object.fromEntries(names.map((name) => [`sale.${name}`, 'fail: responded 500 instead of 200'])),
  ]),
];

test.each(INCORRECT)(
  'a receiver that %s fails exactly the checks named',
  async (_change, steps, wrong) => {
    const { receiver, run } = await orderBody(steps);
    const event = Object.keys(wrong).includes('sale.recorded')
      ? ('order.settled' as const)
      : undefined;
    const report = await run({}, { probe: receiver.countProbe, ...(event && { event }) });
    expect(reasonsOf(report)).toEqual({ ...CORRECT, ...wrong });
  },
);

test('an integration that repeats a request for a duplicate fails sale.duplicate without a probe', async () => {
  let refund = async (_order: string) => {};
  const { at, run } = await orderBody({
    take: async ({ type, data: { order } }) => {
      if (type === 'order.recorded') await refund(String(order?.public_id));
    },
  });
  refund = async (order) => {
    // Rejected, but a request all the same.
    await at.call({
      method: 'POST',
      target: '/api/partner/v1/refunds',
      body: { public_id: order, reason: 1 },
      headers: OF_INTEGRATION,
    });
  };
  const { checks } = await run({}, { only: ['sale.duplicate'] });
  expect(checks).toMatchObject([
    { id: 'sale.recorded', result: 'pass' },
    {
      id: 'sale.duplicate',
      result: 'fail',
      reason: 'the integration repeated POST /api/partner/v1/refunds',
    },
  ]);
});

test('an integration that buys nothing leaves what needs its order unseen', async () => {
  const { run } = await orderBody();
  const report = await run({ buy: 'exit 7' }, { only: ['sale.duplicate', 'sale.held'] });
  expect(reasonsOf(report)).toEqual({
    'sale.recorded': expect.stringMatching(
      /^unseen: --buy placed no order for \S+ within 30 s\. It ended with exit code 7\.$/,
    ),
    'sale.duplicate': 'unseen: sale.recorded has no delivery.',
    'sale.held': expect.stringMatching(/^unseen: --buy placed no order for held-order\.test/),
  });
});

test('an integration that reads GET /events after the missed event fails sale.caught_up', async () => {
  const { at, run } = await orderBody();
  const catchUp = async () => {
    const { events } = await at.control.get<{ events: { id: string }[] }>('/events');
    const target = `/api/partner/v1/events?after_id=${events[0]?.id}`;
    await at.call({ method: 'GET', target, headers: OF_INTEGRATION });
  };
  const report = await run({ catchUp }, { only: ['sale.caught_up'] });
  expect(report.checks[0]).toMatchObject({
    result: 'advice',
    reason: expect.stringMatching(/^no response of GET \/events contained evt_/),
  });
});

test('a rotation counts only if the receiver verifies with the new secret alone', async () => {
  const register = async (
    { at, receiver }: Awaited<ReturnType<typeof orderBody>>,
    secret: string,
  ) => {
    const target = '/api/partner/webhooks';
    const body = { url: receiver.url, secret };
    await at.call({ method: 'PUT', target, body, headers: OF_INTEGRATION });
  };
  for (const [accepts, secret, expected] of [
    [[SECRET], 'whsec_new', 'advice: a valid delivery was rejected'],
    [[SECRET, 'whsec_new'], 'whsec_new', 'unseen: The receiver still accepts the old secret'],
    [[SECRET], SECRET, 'unseen: The receiver still accepts the old secret'],
    [[SECRET], undefined, 'unseen: The integration did not call PUT /webhooks.'],
  ] as const) {
    const sale = await orderBody({
      signedBytes: ({ body }) => body,
      verify: () => true,
      first: ({ body, headers, response }) => {
        const given = headers['x-service-signature'];
        if (!accepts.some((each) => signWebhook(each, body) === given))
          response.writeHead(401).end();
      },
    });
    const rotate = () => (secret === undefined ? undefined : register(sale, secret));
    const report = await sale.run({ rotate }, { only: ['sale.rotated'] });
    expect(reasonsOf(report)['sale.rotated']).toContain(expected);
  }
});

test('the credential of --as decides on partner, environment and world', async () => {
  const { at, receiver, run } = await orderBody();
  await at.control.post('/worlds', { name: 'other' });
  const key = await mint(at, { partner: 'acme', scopes: ['buy'], world: 'other' });
  const other = at.control.in('other');
  await other.put('/webhooks', { partner: 'acme', url: receiver.url, secret: SECRET });
  const report = await run({ as: key.key_id }, { only: ['sale.recorded', 'sale.held'] });
  expect(reasonsOf(report)).toEqual({ 'sale.recorded': 'pass', 'sale.held': 'pass' });
  expect(await at.control.get('/orders')).toMatchObject({ orders: [] });
  expect(await other.get('/orders')).toMatchObject({ orders: [{}, {}] });
});

test('what --sale cannot start with is an input error before anything is sent or saved', async () => {
  const { at, receiver, run } = await orderBody();
  const invalid = async (expected: string, ...given: Parameters<typeof run>) => {
    await expect(run(...given)).rejects.toThrow(expected);
  };
  await invalid('--as: credential dmk_none not found', { as: 'dmk_none' });
  await at.control.post('/worlds', { name: 'other' });
  await invalid('--as: missing; pass a key id of world other', { world: 'other' });
  const { key_id } = await mint(at, { world: 'other' });
  await invalid(`--as: ${key_id} belongs to world other`, { as: key_id, world: 'default' });
  await invalid('--url: partner local has registered', {}, { url: `${receiver.url}/other` });
  const { fault_id } = await at.control.post<{ fault_id: string }>('/faults', {
    match: {},
    webhook: { drop: true },
  });
  await invalid(`--sale: webhook faults are active (${fault_id})`);
  await at.control.delete('/webhooks?partner=local');
  await invalid('--url: partner local has registered no webhook URL in SANDBOX');
  expect(receiver.requests()).toBe(0);
  expect(await at.control.get('/snapshots')).toMatchObject({ snapshots: [] });
});

test('an interruption deletes the faults of the run', async () => {
  const stop = new AbortController();
  const { at, run } = await orderBody({
    first: ({ body }) => {
      if ((JSON.parse(body.toString()) as Event).type === 'order.transfer_started') stop.abort();
    },
  });
  await expect(run({}, { signal: stop.signal })).rejects.toThrow('aborted');
  expect(await at.control.get('/faults')).toMatchObject({ faults: [] });
});

test('the command runs --sale, names the snapshot, and exits 3 without a sandbox', async () => {
  const { at, receiver } = await orderBody();
  const signal = new AbortController().signal;
  const line = `webhooks test --url ${receiver.url} --secret ${SECRET} --only sale.refunded`;
  const given = { interruption: () => signal };
  const shown = await commandLine(at, given)(`${line} --sale`);
  expect(shown.code).toBe(0);
  expect(shown.stderr).toContain('snapshot before-receiver-test-1 has the state before');
  expect(shown.stdout).toContain('1 pass, 0 fail, 0 advice, 0 unseen (1 check,');
  expect(shown.stdout).toContain('sandlot snapshots restore before-receiver-test-1');
  const sent = receiver.requests();
  expect(await commandLine(undefined, given)(`${line} --sale`)).toMatchObject({
    code: 3,
    stdout: '',
  });
  for (const [options, expected] of [
    ['', '--only: the checks of sale.* need --sale'],
    ['--buy true', '--buy: needs --sale'],
    ['--as dmk_sandbox_local', '--as: needs --sale'],
  ]) {
    const { code, stderr } = await commandLine(at, given)(`${line} ${options}`);
    expect(code).toBe(2);
    expect(stderr).toContain(expected);
  }
  expect(receiver.requests()).toBe(sent);
});
