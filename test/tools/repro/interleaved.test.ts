import { describe, expect, test } from 'vitest';
import { Random } from '../../../scripts/torture/random.ts';
import type { Sender, SendResult } from '../../../src/webhooks/send.ts';
import { testRuntime } from '../../support/runtime.ts';
import { type RecordedSandbox, recordedSandbox } from './recorded-sandbox.ts';
import { expectSameReplay } from './same-replay.ts';

/** The specification asks for 20. */
const RACES = Number(process.env.SANDLOT_TEST_RACES ?? 6);
const P = '/api/partner/v1';
const URL = 'http://127.0.0.1:9/hook';

/** A receiver whose responses wait until the test gives them. */
class HeldReceiver implements Sender {
  #waiting: ((result: SendResult) => void)[] = [];

  readonly send = () =>
    new Promise<SendResult>((resolve) => {
      this.#waiting.push(resolve);
    });

  close(): void {}

  /** Waits for the next webhook and responds to it. */
  async respond(): Promise<void> {
    await this.arrived();
    this.#waiting.shift()?.({ outcome: 'ok', httpStatus: 200, durationMs: 1, response: null });
  }

  async arrived(): Promise<void> {
    await expect.poll(() => this.#waiting.length).toBe(1);
  }
}

/** Sells a domain, which makes an event due at once. */
async function sell(at: RecordedSandbox, domain = 'held-order.test'): Promise<void> {
  const target = `${P}/orders`;
  const priced = await at.call({ method: 'GET', target: `${P}/pricing?domain=${domain}` });
  const { buy_now_price_cents: expected_price } = (await priced.json()) as {
    buy_now_price_cents: number;
  };
  const body = { domain, expected_price, currency: 'USD', buyer: { email: 'a@b.co' } };
  const headers = { 'Idempotency-Key': crypto.randomUUID() };
  expect((await at.call({ method: 'POST', target, body, headers })).status).toBe(201);
}

/** What caused the acts of the first recording. */
function causesIn(at: RecordedSandbox): string[] {
  const inputs = at.inputs(at.recordings()[0]);
  return inputs.flatMap((each) => (each.kind === 'act' ? [each.cause.type] : []));
}

async function expectReplay(at: RecordedSandbox): Promise<void> {
  await at.sandbox.schedulers.of(at.world).idle();
  for (const recording of at.recordings()) await expectSameReplay(at, recording);
}

test('a registration that is deleted while its deliveries are sent replays', async () => {
  const sender = new HeldReceiver();
  const at = await recordedSandbox({ sender });
  const register = () => at.control.put('/webhooks', { url: URL, secret: 'whsec_1' });
  await register();
  await sell(at);
  await sender.arrived();
  await sell(at);
  await sell(at);
  await sender.respond();
  await sender.arrived();
  await at.control.delete(`/webhooks?url=${encodeURIComponent(URL)}`);
  await sender.respond();
  await at.sandbox.schedulers.of(at.world).idle();
  await register();
  await sell(at);
  await sender.respond();
  await expectReplay(at);
});

test.each([
  ['a reset', '/reset', {}],
  ['a restore', '/snapshots/s/restore', {}],
  ['a snapshot', '/snapshots', { name: 's', replace: true }],
])(
  '%s in the tick of a commit that makes order moves due comes after them',
  async (_what, path, body) => {
    const runtime = testRuntime();
    const at = await recordedSandbox({ runtime, sender: new HeldReceiver() });
    await sell(at, 'auto-complete.test');
    await at.control.post('/snapshots', { name: 's' });
    await at.control.post('/reset', {});
    await sell(at, 'auto-complete.test');
    runtime.time += 1_000;
    const freeze = at.control.post('/clock/freeze', {});
    const acted = at.control.post(path, body);
    await Promise.all([freeze, acted]);
    await at.control.post('/snapshots/s/restore', {});
    expect(causesIn(at)).toContain('moves');
    await expectReplay(at);
  },
);

test('an attempt that a reset discards replays, also if its id comes again', async () => {
  const sender = new HeldReceiver();
  const at = await recordedSandbox({ sender, runtime: testRuntime() });
  const begin = async () => {
    await at.control.put('/webhooks', { url: URL, secret: 'whsec_1' });
    await at.control.post('/faults', { webhook: { duplicate: true } });
  };
  await begin();
  await sell(at);
  await at.control.post('/reset', { same_ids: true });
  // The attempt begins, and nothing is sent.
  expect(causesIn(at).filter((type) => type !== 'request')).toEqual(['attempt']);
  await begin();
  await sell(at);
  await sender.respond();
  await sender.respond();
  await expectReplay(at);
});

describe('an import of inventory whose domains are added while it is read', () => {
  const FILE = 'domain,price_cents\nzebra1.com,100\nzebra2.com,200\n';

  /** Sends a file whose end waits for `finish`. */
  function upload(at: RecordedSandbox) {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    const outcome = at.control
      .upload('/inventory/import', { format: 'csv' }, readable)
      .catch((error: unknown) => error);
    const begin = async () => {
      await writer.write(Buffer.from(FILE));
      await at.control.get('/health');
    };
    return { outcome, begin, finish: () => writer.close() };
  }

  test.each([
    [
      'by another import',
      (at: RecordedSandbox) => {
        const other = upload(at);
        return other
          .begin()
          .then(other.finish)
          .then(() => other.outcome);
      },
    ],
    [
      'by a single request',
      (at: RecordedSandbox) =>
        at.control.post('/inventory', { domain: 'zebra2.com', price_cents: 5 }),
    ],
  ])('%s replays, and lists their lines', async (_how, add) => {
    const at = await recordedSandbox();
    const { outcome, begin, finish } = upload(at);
    await begin();
    await add(at);
    await finish();
    expect(await outcome).toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining(
        'line 3: domain: zebra2.com is already in the SANDBOX inventory',
      ),
    });
    await expectReplay(at);
  });

  test('by another import that ends at the same time replays', async () => {
    const at = await recordedSandbox();
    const uploads = [upload(at), upload(at)];
    for (const { begin } of uploads) await begin();
    await Promise.all(uploads.map(({ finish }) => finish()));
    const outcomes = await Promise.all(uploads.map(({ outcome }) => outcome));
    expect(outcomes[0]).toMatchObject({ added: 2 });
    expect(outcomes[1]).toMatchObject({ code: 'validation_error' });
    await expectReplay(at);
  });
});

type Call = readonly [method: string, target: string, body?: unknown];

/** Calls with several acts, or that change what those show. */
const CALLS: readonly Call[] = [
  ['POST', '/clock/advance', { by: '11m' }],
  ['POST', '/clock/set', { to: '2026-09-01T00:00:00Z' }],
  ['POST', '/clock/next', {}],
  ['POST', '/clock/until', { event: 'order.transfer_completed', within: '10m' }],
  ['POST', '/clock/freeze', {}],
  ['POST', '/clock/resume', {}],
  ['POST', '/settlements/run', {}],
  ['POST', '/payouts/run', {}],
  ['POST', '/reset', {}],
  ['POST', '/reset', { same_ids: true }],
  ['POST', '/snapshots', { name: 's', replace: true }],
  ['POST', '/snapshots', { name: 't' }],
  ['POST', '/snapshots/s/restore', {}],
  ['DELETE', '/snapshots/s'],
  ['DELETE', '/snapshots/t'],
  ['POST', '/inventory/import?format=csv', 'domain,price_cents\nzebra.com,100\n'],
  ['POST', '/webhooks/fire', { type: 'order.recorded', url: URL, secret: 's3cr3t' }],
  ['POST', '/credentials', { partner: 'other' }],
];
const MAX_LATER = 12;

/** Sends a call after so many microtasks: acts of others come between its own, each time elsewhere. */
async function sendLater(at: RecordedSandbox, [method, target, body]: Call, microtasks: number) {
  for (let n = 0; n < microtasks; n += 1) await undefined;
  const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  await at.fetch(`/_sandbox${target}`, { method, ...(text !== undefined && { body: text }) });
}

const QUIET_RECEIVER: Sender = {
  send: async () => ({ outcome: 'ok', httpStatus: 200, durationMs: 1, response: null }),
  close: () => {},
};

test(`8 clock moves, resets, settlements and other calls at once replay, in ${RACES} of ${RACES} runs`, async () => {
  for (let run = 0; run < RACES; run += 1) {
    const random = new Random('calls', run);
    const at = await recordedSandbox({ sender: QUIET_RECEIVER });
    for (let batch = 0; batch < 10; batch += 1) {
      await at.control.post('/snapshots', { name: 's', replace: true });
      const calls = Array.from({ length: 8 }, () => CALLS[random.int(0, CALLS.length - 1)]);
      await Promise.all(
        calls.map((call = ['POST', '/reset']) => sendLater(at, call, random.int(0, MAX_LATER))),
      );
    }
    await expectReplay(at);
    await at.close();
  }
});

test.each<[string, Call, Call]>([
  [
    'an import whose world is reset',
    ['POST', '/inventory/import?format=csv', 'domain,price_cents\nzebra.com,100\n'],
    ['POST', '/reset', {}],
  ],
  [
    'a snapshot that is deleted',
    ['POST', '/snapshots', { name: 's', replace: true }],
    ['DELETE', '/snapshots/s'],
  ],
])('%s as soon as it has begun replays', async (_what, call, other) => {
  const at = await recordedSandbox();
  for (let later = 0; later <= MAX_LATER; later += 1) {
    await Promise.all([sendLater(at, call, later), sendLater(at, other, 0)]);
    await Promise.all([sendLater(at, call, 0), sendLater(at, other, later)]);
  }
  await expectReplay(at);
});
