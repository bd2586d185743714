import fc from 'fast-check';
import { test } from 'vitest';
import { systemRuntime } from '../../src/kernel/runtime.ts';
import { digestOf } from '../../src/repro/digest.ts';
import type { SandboxOptions } from '../../src/sandbox.ts';
import { type RecordedSandbox, recordedSandbox } from '../support/recorded-sandbox.ts';
import { stateFolder } from '../support/state-folder.ts';
import { ACT_COUNT, randomReceiver, Traffic } from './random-operations.ts';
import { expectSameReplay } from './same-replay.ts';

const RUNS = Number(process.env.SANDLOT_TEST_REPLAYS ?? 5);
const OPERATIONS = 60;

const operation = fc.record({ act: fc.nat(ACT_COUNT - 1), a: fc.nat(1_000), b: fc.nat(1_000) });
const run = fc.record({
  operations: fc.array(operation, { minLength: OPERATIONS, maxLength: OPERATIONS, size: 'max' }),
  atOnce: fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 20, maxLength: 20 }),
  draws: fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 20, maxLength: 20 }),
  isFrozen: fc.boolean(),
  /** Operations before a restart; more than there are for none. */
  restartAfter: fc.integer({ min: 5, max: 3 * OPERATIONS }),
});

test(
  `${OPERATIONS} random operations replay byte for byte, also before and after a restart`,
  async () => {
    await fc.assert(
      fc.asyncProperty(run, async ({ operations, atOnce, draws, isFrozen, restartAfter }) => {
        let drawn = 0;
        const draw = () => draws[drawn++ % draws.length] ?? 0;
        const isRestarted = restartAfter < OPERATIONS;
        const options: SandboxOptions = {
          ...(isRestarted && { dataDir: stateFolder() }),
          ...(isFrozen && { frozenAt: Date.UTC(2026, 2, 2, 9) }),
          rateLimits: { write: 1_000, search: 1_000, default: 1_000, reporting: 1_000 },
          sender: randomReceiver(draw),
          runtime: {
            ...systemRuntime,
            sleep: (ms, signal) => systemRuntime.sleep(Math.min(ms, 15), signal),
          },
        };
        let at = await recordedSandbox(options);
        const digests: string[] = [];
        const traffic = new Traffic(at, domainsOf(at));
        await traffic.begin();
        for (let next = 0, batch = 0; next < operations.length; batch += 1) {
          if (isRestarted && next >= restartAfter && digests.length === 0) {
            digests.push(await digestWhenIdle(at));
            await at.close();
            at = await recordedSandbox(options);
            traffic.at = at;
          }
          const size = atOnce[batch % atOnce.length] ?? 1;
          await Promise.all(operations.slice(next, next + size).map((each) => traffic.run(each)));
          next += size;
        }
        digests.push(await digestWhenIdle(at));
        const recordings = at.recordings();
        for (const [index, recording] of recordings.entries()) {
          const isLastOfProcess = recording.ended === null || recording.ended === STOPPED;
          const ofProcess = digests[recording.ended === null ? digests.length - 1 : 0];
          await expectSameReplay(at, recording, {
            digest: isLastOfProcess ? ofProcess : undefined,
          }).catch((error: unknown) => {
            throw new Error(`recording ${index + 1} of ${recordings.length}`, { cause: error });
          });
        }
        await at.close();
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  },
  20_000 + RUNS * 5_000,
);

const STOPPED = 'the sandbox stopped';

function domainsOf({ world }: RecordedSandbox): string[] {
  return world.store.client
    .prepare(
      "SELECT domain FROM listings WHERE environment = 'SANDBOX' AND tld <> 'test' ORDER BY id LIMIT 12",
    )
    .pluck()
    .all() as string[];
}

async function digestWhenIdle({ sandbox, world }: RecordedSandbox): Promise<string> {
  await sandbox.schedulers.of(world).idle();
  await world.committed();
  return digestOf(world.store.client);
}
