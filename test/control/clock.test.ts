import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { UpcomingItem } from '../../src/control/clock.ts';
import { createSandbox, type InProcessSandbox } from '../../src/index.ts';
import type { ControlClock as Clock } from '../../src/world/resources.ts';
import { checkoutFor } from '../support/checkout.ts';
import { documented } from '../support/openapi/watch.ts';
import { allEvents, magic, mintIn, orderFor, quoteFor, readOrder } from '../support/orders.ts';
import { deliveriesOf, HELD, receiver, register, withReceiver } from '../support/receiver.ts';
import { jumpyRuntime, type TestRuntime, testRuntime } from '../support/runtime.ts';
import { sandbox, sandboxWithRuntime } from '../support/sandbox.ts';
import { stateFolder } from '../support/state-folder.ts';
import { sharedWatched } from '../support/unchanged.ts';

const START = '2026-03-02T09:00:00.000Z';

function clockOf(at: InProcessSandbox): Promise<Clock> {
  return at.control.get<Clock>('/clock');
}

/** A sandbox whose clock runs with a real time that the test holds in its hands. */
async function running(): Promise<{ at: InProcessSandbox; runtime: TestRuntime }> {
  const started = await sandboxWithRuntime();
  await started.at.control.post('/clock/resume');
  return started;
}

describe('the clock', () => {
  test('stays where the sandbox is frozen', async () => {
    const runtime = testRuntime(Date.UTC(2030, 0, 1));
    const at = await sandbox({ runtime });
    const offset = Date.parse(START) - Date.UTC(2030, 0, 1);
    expect(await clockOf(at)).toEqual({ now: START, offset_ms: offset, frozen: true });
    runtime.time += 60_000;
    expect(await clockOf(at)).toEqual({ now: START, offset_ms: offset - 60_000, frozen: true });
  });

  test('continues where it was when it is resumed, and stops when frozen', async () => {
    const { at, runtime } = await running();
    expect(await clockOf(at)).toMatchObject({ now: START, frozen: false });
    runtime.time += 90_500;
    const now = '2026-03-02T09:01:30.500Z';
    expect(await clockOf(at)).toMatchObject({ now, frozen: false });
    expect(await at.control.post('/clock/freeze')).toMatchObject({ now, frozen: true });
    runtime.time += 3_600_000;
    expect(await clockOf(at)).toMatchObject({ now });
    expect(await at.control.post('/clock/resume')).toMatchObject({ now, frozen: false });
  });

  test('runs with real time by default', async () => {
    const runtime = testRuntime(Date.UTC(2030, 0, 1));
    const at = documented(await createSandbox({ runtime, inventory: 5, port: false }));
    const expected = { now: '2030-01-01T00:00:00.000Z', offset_ms: 0, frozen: false };
    expect(await clockOf(at)).toEqual(expected);
    await at.close();
  });

  test("never runs backward, also when the machine's own clock does", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: -5_000, max: 5_000 }), { maxLength: 15 }),
        async (steps) => {
          const { at, runtime } = await running();
          let last = (await clockOf(at)).now;
          for (const step of steps) {
            runtime.time += step;
            if (step % 7 === 0) await at.control.post('/clock/freeze');
            if (step % 5 === 0) await at.control.post('/clock/resume');
            if (step % 3 === 0) await at.control.post('/clock/advance', { by: '1s' });
            const { now } = await clockOf(at);
            expect(now >= last).toBe(true);
            last = now;
          }
        },
      ),
      { numRuns: 10 },
    );
  });

  test('freeze, resume and an advance by 0 always succeed, also when real time moves at each reading', async () => {
    const moves = fc.constantFrom('freeze', 'resume', 'advance 0s', 'advance 2s', 'next');
    const steps = fc.array(fc.integer({ min: 0, max: 7 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(fc.array(moves, { maxLength: 20 }), steps, async (calls, jumps) => {
        let reading = 0;
        const runtime = jumpyRuntime(() => jumps[reading++ % jumps.length] ?? 0);
        const at = await sandbox({ runtime });
        await at.control.post('/clock/resume');
        await quoteFor(at, 'price-moves.test');
        let last = (await clockOf(at)).now;
        for (const call of calls) {
          const [move, by] = call.split(' ');
          // Only a clock that has nothing ahead of it may say no.
          await at.control.post(`/clock/${move}`, by === undefined ? {} : { by }).catch((error) => {
            if (move !== 'next' || error.code !== 'conflict') throw error;
          });
          const { now } = await clockOf(at);
          expect(now >= last).toBe(true);
          last = now;
        }
      }),
      { numRuns: 10 },
    );
  });

  test('keeps its place over a restart, frozen or running', async () => {
    const dataDir = stateFolder();
    const runtime = testRuntime(Date.UTC(2030, 0, 1));
    const first = await sandbox({ dataDir, runtime });
    await first.control.post('/clock/advance', { by: '90m' });
    await first.close();
    runtime.time += 5_000;
    const second = await sandbox({ dataDir, runtime });
    expect(await clockOf(second)).toMatchObject({ now: '2026-03-02T10:30:00.000Z', frozen: true });
    await second.control.post('/clock/resume');
    await second.close();
    runtime.time += 5_000;
    const third = await sandbox({ dataDir, runtime });
    expect(await clockOf(third)).toMatchObject({ now: '2026-03-02T10:30:05.000Z', frozen: false });
  });
});

describe('advance', async () => {
  const shared = await sharedWatched();
  await orderFor(shared.at, magic('auto-complete', 199_900));

  test.each([
    ['90s', '2026-03-02T09:01:30.000Z'],
    ['11m', '2026-03-02T09:11:00.000Z'],
    ['1h30m', '2026-03-02T10:30:00.000Z'],
    ['2d', '2026-03-04T09:00:00.000Z'],
    ['250ms', '2026-03-02T09:00:00.250Z'],
    ['0s', START],
    ['0', START],
  ])('by %s', async (by, now) => {
    const at = await sandbox();
    expect(await at.control.post('/clock/advance', { by })).toMatchObject({ now, frozen: true });
    expect(await clockOf(at)).toMatchObject({ now });
  });

  test('leaves a running clock running', async () => {
    const { at, runtime } = await running();
    expect(await at.control.post('/clock/advance', { by: '1h' })).toMatchObject({
      now: '2026-03-02T10:00:00.000Z',
      frozen: false,
    });
    runtime.time += 1_000;
    expect(await clockOf(at)).toMatchObject({ now: '2026-03-02T10:00:01.000Z' });
  });

  test('by 0 succeeds also after the latest time', async () => {
    const { at, runtime } = await running();
    await at.control.post('/clock/set', { to: '2200-01-01' });
    runtime.time += 1_000;
    const now = '2200-01-01T00:00:01.000Z';
    expect(await at.control.post('/clock/advance', { by: '0s' })).toMatchObject({ now });
  });

  test('five times at once goes five times as far', async () => {
    const at = await sandbox();
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => at.control.post<Clock>('/clock/advance', { by: '1m' })),
    );
    expect(responses.map(({ now }) => now)).toEqual(
      [1, 2, 3, 4, 5].map((minute) => `2026-03-02T09:0${minute}:00.000Z`),
    );
  });

  test.each<[string, object]>([
    ['nothing', {}],
    ['a number', { by: 60 }],
    ['a word', { by: 'tomorrow' }],
    ['a minus', { by: '-1h' }],
    ['no unit', { by: '60' }],
    ['an unknown field', { by: '1h', to: START }],
    ['more time than there is', { by: '9000000d' }],
    ['a step beyond the year 2200', { by: '63600d' }],
  ])('by %s is rejected and moves nothing', async (_what, body) => {
    const { at, controlRejected } = shared;
    const rejected = await controlRejected(() => at.control.post('/clock/advance', body));
    const message = expect.stringMatching(/^(by|body|clock): /);
    expect(rejected).toMatchObject({ status: 400, code: 'validation_error', message });
    expect(await clockOf(at)).toMatchObject({ now: START });
  });
});

describe('set', () => {
  test('moves to a moment, also to the present one', async () => {
    const at = await sandbox();
    for (const to of [
      START,
      '2026-03-02T09:00:00.001Z',
      '2026-04-01',
      '2200-01-01T00:00:00.000Z',
    ]) {
      const { now } = await at.control.post<Clock>('/clock/set', { to });
      expect(now).toBe(new Date(to).toISOString());
    }
  });

  test.each([
    '2026-03-02T08:59:59.999Z',
    '1970-01-01',
    '2026-03-02',
    'tomorrow',
    '2200-01-01T00:00:00.001Z',
    '9999-12-31',
    '10000-01-01T00:00:00Z',
    '',
  ])('to %j is rejected and moves nothing', async (to) => {
    const at = await sandbox();
    const call = at.control.post('/clock/set', { to });
    await expect(call).rejects.toMatchObject({ status: 400, code: 'validation_error' });
    expect(await clockOf(at)).toMatchObject({ now: START });
  });
});

describe('what falls due on the way', () => {
  test('happens in order, each at its own sandbox time', async () => {
    const { at, hook } = await withReceiver((response, n) =>
      response.writeHead(n === 1 ? 500 : 200).end(),
    );
    const { public_id } = await orderFor(at, magic('auto-complete', 199_900));
    await at.control.post('/clock/advance', { by: '1h' });
    const events = await allEvents(at, public_id);
    expect(events.map(({ type, created_at }) => [type, created_at.slice(14, 19)])).toEqual([
      ['order.recorded', '00:00'],
      ['order.transfer_started', '00:01'],
      ['order.transfer_completed', '00:02'],
    ]);
    expect(hook.received.map(({ body }) => JSON.parse(body).type)).toEqual([
      'order.recorded',
      'order.transfer_started',
      'order.transfer_completed',
      'order.recorded',
    ]);
    const attempts = (await deliveriesOf(at)).map((delivery) =>
      delivery.attempts.map(({ at: time }) => time.slice(14, 19)),
    );
    expect(attempts).toEqual([['00:00', '00:05'], ['00:01'], ['00:02']]);
  });

  test('happens also when the clock simply runs', async () => {
    const { at, runtime } = await running();
    const { public_id } = await orderFor(at, magic('auto-complete', 199_900));
    runtime.time += 1_000;
    await at.idle();
    expect(await readOrder(at, public_id)).toMatchObject({ status: 'TRANSFER_IN_PROGRESS' });
  });

  test('is shown in order beforehand', async () => {
    const { at } = await withReceiver(500);
    await quoteFor(at, 'held-order.test');
    const { public_id } = await orderFor(at, magic('auto-complete', 199_900));
    await at.idle();
    const { upcoming } = await at.control.get<{ upcoming: UpcomingItem[] }>('/clock/upcoming');
    expect(upcoming.map(({ kind, at: time }) => [kind, time.slice(11, 19)])).toEqual([
      ['order_move', '09:00:01'],
      ['delivery', '09:00:05'],
      ['quote_expiry', '09:10:00'],
    ]);
    expect(upcoming[0]?.id).toBe(public_id);
    const first = await at.control.get<{ upcoming: object[] }>('/clock/upcoming', { limit: 1 });
    expect(first.upcoming).toEqual(upcoming.slice(0, 1));
  });

  test('is reached one by one with next', async () => {
    const at = await sandbox();
    await quoteFor(at, 'held-order.test');
    const { public_id } = await orderFor(at, magic('auto-complete', 199_900));
    const reached: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      const next = await at.control.post<{ reached: UpcomingItem; clock: Clock }>('/clock/next');
      expect(next.clock.now).toBe(next.reached.at);
      reached.push(`${next.reached.kind} ${next.reached.at.slice(11, 19)}`);
    }
    expect(reached).toEqual([
      'order_move 09:00:01',
      'order_move 09:00:02',
      'quote_expiry 09:10:00',
    ]);
    expect(await readOrder(at, public_id)).toMatchObject({ status: 'TRANSFER_COMPLETED' });
    const before = await clockOf(at);
    const next = at.control.post('/clock/next');
    await expect(next).rejects.toMatchObject({ status: 409, code: 'conflict' });
    expect(await clockOf(at)).toMatchObject({ now: before.now });
  });
});

describe('while the clock is moving', () => {
  test("a partner's request finds the time of what is just happening", async () => {
    const at = await sandbox();
    const seen: string[] = [];
    const hook = await receiver((response, n) => {
      clockOf(at).then(({ now }) => {
        seen.push(now);
        response.writeHead(n < 3 ? 500 : 200).end();
      });
    });
    await register(at, hook.url);
    await orderFor(at);
    await at.control.post('/clock/advance', { by: '1h' });
    expect(seen.map((time) => time.slice(11, 19))).toEqual(['09:00:00', '09:00:05', '09:00:35']);
  });

  test('a reset ends the advance with a clear rejection', async () => {
    const { at, hook } = await withReceiver((response, n) => {
      // The second attempt is made on the way, after five seconds.
      const first = n === 1 ? Promise.resolve() : at.reset();
      first.then(() => response.writeHead(500).end());
    });
    await orderFor(at);
    const advance = at.control.post('/clock/advance', { by: '1h' });
    await expect(advance).rejects.toMatchObject({ status: 409, code: 'conflict' });
    expect(hook.received).toHaveLength(2);
    expect(await clockOf(at)).toMatchObject({ now: START });
    expect(await at.control.post('/clock/advance', { by: '1m' })).toMatchObject({
      now: '2026-03-02T09:01:00.000Z',
    });
  });

  test('its world can be deleted', async () => {
    const at = await sandbox();
    const key = await mintIn(at, 'w1');
    const hook = await receiver(HELD);
    await register(at, hook.url, { key });
    await orderFor(at, 0, key);
    await hook.came(1);
    const advance = at.control.in('w1').post('/clock/advance', { by: '1h' });
    const ended = expect(advance).rejects.toMatchObject({ status: 409, code: 'conflict' });
    const deleted = at.control.delete('/worlds/w1');
    hook.release(500);
    await deleted;
    await ended;
  });
});

test('a checkout session that will expire is upcoming, and next goes there', async () => {
  const at = await sandbox();
  await checkoutFor(at);
  const { upcoming } = await at.control.get<{ upcoming: object[] }>('/clock/upcoming');
  expect(upcoming).toMatchObject([{ kind: 'checkout_expiry', at: '2026-03-09T09:00:00.000Z' }]);
  await at.control.post('/clock/next');
  expect(await at.control.get('/clock')).toMatchObject({ now: '2026-03-09T09:00:00.000Z' });
  expect(await at.control.get('/clock/upcoming')).toMatchObject({ upcoming: [] });
});

test('advances queue: next uses the state after the one before it', async () => {
  const at = await sandbox();
  await quoteFor(at, 'held-order.test');
  await checkoutFor(at);
  const first = at.control.post('/clock/advance', { by: '1h' });
  const next = at.control.post('/clock/next');
  await first;
  expect(await next).toMatchObject({ reached: { kind: 'checkout_expiry' } });
});
