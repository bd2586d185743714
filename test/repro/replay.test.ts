import fc from 'fast-check';
import { expect, test } from 'vitest';
import { systemRuntime } from '../../src/kernel/runtime.ts';
import { digestOf } from '../../src/repro/digest.ts';
import { ReplayDriver } from '../../src/repro/driver.ts';
import type { RecordedInput, RecordedRequest, Recording } from '../../src/requests/recording.ts';
import type { GivenResponse } from '../../src/world/inputs.ts';
import { type RecordedSandbox, recordedSandbox } from '../support/recorded-sandbox.ts';
import { ACT_COUNT, type Operation, randomReceiver, Traffic } from './random-operations.ts';

const RUNS = Number(process.env.SANDLOT_TEST_REPLAYS ?? 5);
const OPERATIONS = 60;

const operation = fc.record({
  act: fc.nat(ACT_COUNT - 1),
  a: fc.nat(1_000),
  b: fc.nat(1_000),
});
const run = fc.record({
  operations: fc.array(operation, { minLength: OPERATIONS, maxLength: OPERATIONS, size: 'max' }),
  atOnce: fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 20, maxLength: 20 }),
  draws: fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 20, maxLength: 20 }),
  isFrozen: fc.boolean(),
});

test(
  `${OPERATIONS} random operations replay byte for byte`,
  async () => {
    await fc.assert(
      fc.asyncProperty(run, async ({ operations, atOnce, draws, isFrozen }) => {
        let drawn = 0;
        const draw = () => draws[drawn++ % draws.length] ?? 0;
        const at = await recordedSandbox({
          ...(isFrozen && { frozenAt: Date.UTC(2026, 2, 2, 9) }),
          rateLimits: { write: 1_000, search: 1_000, default: 1_000, reporting: 1_000 },
          sender: randomReceiver(draw),
          runtime: {
            ...systemRuntime,
            sleep: (ms, signal) => systemRuntime.sleep(Math.min(ms, 15), signal),
          },
        });
        await send(at, operations, atOnce);
        await at.sandbox.schedulers.of(at.world).idle();
        await at.world.committed();
        for (const recording of at.recordings()) await expectSameReplay(at, recording);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  },
  20_000 + RUNS * 5_000,
);

async function send(at: RecordedSandbox, operations: Operation[], atOnce: number[]): Promise<void> {
  const domains = at.world.store.client
    .prepare(
      "SELECT domain FROM listings WHERE environment = 'SANDBOX' AND tld <> 'test' ORDER BY id LIMIT 12",
    )
    .pluck()
    .all() as string[];
  const traffic = new Traffic(at, domains);
  await traffic.begin();
  let next = 0;
  for (let batch = 0; next < operations.length; batch += 1) {
    const size = atOnce[batch % atOnce.length] ?? 1;
    await Promise.all(operations.slice(next, next + size).map((each) => traffic.run(each)));
    next += size;
  }
}

async function expectSameReplay(at: RecordedSandbox, recording: Recording): Promise<void> {
  const inputs = at.inputs(recording);
  const base = at.sandbox.requests.of(at.world).recordings.base(recording);
  const { settings } = recording;
  const driver = await ReplayDriver.open({ world: 'default', base, settings, inputs });
  try {
    const recorded = new Map(inputs.map((input) => [input.n, input]));
    const open = new Set(inputs.flatMap((each) => (each.kind === 'request' ? [each.n] : [])));
    const sent = new Map<number, string[]>();
    for (let outputs = await driver.next(); outputs; outputs = await driver.next()) {
      expect(outputs.problem).toBe(null);
      for (const { n, response, failedCheck } of outputs.responses) {
        const request = recorded.get(n) as RecordedRequest;
        expect({ n, ...shown(response) }).toEqual({ n, ...shown(request.response) });
        expect(failedCheck).toBe(request.failedCheck);
        open.delete(n);
      }
      for (const { of, body } of outputs.sends) sent.set(of, [...(sent.get(of) ?? []), body]);
    }
    expect([...open]).toEqual([]);
    for (const step of inputs.filter(isOutcome)) {
      expect(sent.get(step.of ?? 0)).toContain(step.body);
    }
    if (recording.ended === null) {
      expect(digestOf(driver.world.store.client)).toBe(digestOf(at.world.store.client));
    }
  } finally {
    await driver.close();
  }
}

function isOutcome(input: RecordedInput): input is Extract<RecordedInput, { kind: 'step' }> {
  return input.kind === 'step' && input.label === 'outcome';
}

/** Minted secrets are masked in a recording, at equal length. */
function shown(response: GivenResponse | 'closed') {
  if (response === 'closed') return { response };
  const { status, headers, body } = response;
  return {
    status,
    headers,
    body: body.replace(/("secret":")[^"]*/g, (_all, field: string) => field),
  };
}
