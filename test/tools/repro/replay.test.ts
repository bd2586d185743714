import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Random } from '../../../scripts/torture/random.ts';
import type { SandboxOptions } from '../../../src/sandbox/options.ts';
import type { InputRecord, Repro } from '../../../src/tools/repro/format.ts';
import { listedInputs, placesOf } from '../../../src/tools/repro/places.ts';
import { replayFile } from '../../../src/tools/repro/replay-file.ts';
import { digestOf } from '../../../src/tools/repro/rows.ts';
import { SimulatedMachine } from '../../support/simulated-machine.ts';
import { stateFolder } from '../../support/state-folder.ts';
import { DECLARED, declaredIn, isDone } from './declared-operations.ts';
import {
  BACKGROUND_COUNT,
  OPERATION_COUNT,
  type Operation,
  runOperation,
} from './random-operations.ts';
import { randomReceiver, Traffic } from './random-traffic.ts';
import { type RecordedSandbox, recordedSandbox } from './recorded-sandbox.ts';
import { exportAgain, exportWhole, prefixOf, type RecordedSoFar } from './whole-export.ts';

/** The specification asks for 1,000 in a campaign. */
const RUNS = Number(process.env.SANDLOT_TEST_REPLAYS ?? 24);
/** Otherwise a run is shorter, and makes one of the checks. */
const IS_FULL = RUNS >= 200;
const OPERATIONS = IS_FULL ? 60 : 40;
/** How many prefixes and starts in the middle a run tries. */
const CUTS = IS_FULL ? 8 : 1;

function operationsBelow(count: number): fc.Arbitrary<Operation[]> {
  const operation = fc.record({ act: fc.nat(count - 1), a: fc.nat(1_000), b: fc.nat(1_000) });
  return fc.array(operation, { minLength: OPERATIONS, maxLength: OPERATIONS, size: 'max' });
}
/** Not biased towards the edges, as a double is. */
const fraction = fc.noBias(fc.nat(999)).map((n) => n / 1_000);
const run = fc.record({
  operations: fc.oneof(operationsBelow(OPERATION_COUNT), operationsBelow(BACKGROUND_COUNT)),
  atOnce: fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 20, maxLength: 20 }),
  /** Of what the machine and the receiver do. */
  seed: fc.nat(),
  isFrozen: fc.boolean(),
  /** Operations before a restart; more than there are for none. */
  restartAfter: fc.integer({ min: 5, max: 3 * OPERATIONS }),
  /** Where files are cut, as fractions of their length. */
  cuts: fc.array(fraction, { minLength: CUTS, maxLength: CUTS }),
});
type Run = typeof run extends fc.Arbitrary<infer T> ? T : never;

/** A recording of random traffic so far, and the digest of the world at its end if it is known. */
interface Recorded extends RecordedSoFar {
  digest: string | undefined;
}

const START = Date.UTC(2026, 2, 2, 9);

async function record(
  { operations, atOnce, seed, isFrozen, restartAfter }: Run,
  check: (at: RecordedSandbox, recorded: Recorded[]) => Promise<void>,
): Promise<void> {
  const random = new Random(seed);
  const machine = new SimulatedMachine(random.for('machine'), START);
  const { runtime } = machine;
  const isRestarted = restartAfter < operations.length;
  const options: SandboxOptions = {
    ...(isRestarted && { dataDir: stateFolder() }),
    ...(isFrozen && { frozenAt: START }),
    rateLimits: { write: 1_000, search: 1_000, default: 1_000, reporting: 1_000 },
    sender: randomReceiver(random.for('receiver'), runtime),
    runtime: { ...runtime, sleep: (ms, signal) => runtime.sleep(Math.min(ms, 15), signal) },
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
    const atSameTime: Operation[] = operations.slice(next, next + size);
    await Promise.all(
      atSameTime.map(async (each) => {
        if (random.chance(0.5)) await runtime.sleep(random.int(0, 20));
        // In one tick, acts of one come between those of another.
        for (let n = random.int(0, 12); n > 0; n -= 1) await undefined;
        await runOperation(traffic, each);
      }),
    );
    next += size;
  }
  digests.push(await digestWhenIdle(at));
  const recorded = at.recordings().map((recording): Recorded => {
    const inputs = at.inputs(recording);
    if (recording.ended === null) return { recording, inputs, digest: digests.at(-1) };
    return {
      recording,
      inputs,
      digest: recording.ended.reason === STOPPED ? digests[0] : undefined,
    };
  });
  await check(at, recorded);
  await at.close();
  machine.stop();
}

const STOPPED = 'the sandbox stopped';
let middleStarts = 0;
const seen = { drawn: new Set<string>(), done: new Set<string>() };

function note(inputs: readonly InputRecord[]): void {
  for (const input of inputs) {
    if (input.kind === 'act') continue;
    for (const name of declaredIn(input)) {
      seen.drawn.add(name);
      if (isDone(input)) seen.done.add(name);
    }
  }
}

/** Each act, one after the other. */
const EVERYTHING: [Run] = [
  {
    operations: Array.from({ length: OPERATION_COUNT }, (_, act) => ({ act, a: act, b: 0 })),
    atOnce: [1],
    seed: 0,
    isFrozen: false,
    restartAfter: Number.POSITIVE_INFINITY,
    cuts: [0.5],
  },
];

test(
  `${OPERATIONS} random operations export, and their files replay byte for byte, whole and cut`,
  async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(run, (drawn) =>
        record(drawn, async (at, recorded) => {
          runs += 1;
          const kinds = IS_FULL ? [false, true] : [runs % 8 < 4];
          for (const [index, each] of recorded.entries()) {
            note(each.inputs);
            for (const keepPersonalData of kinds) {
              const checks = IS_FULL ? CHECKS : [CHECKS[runs % CHECKS.length] ?? expectReproduced];
              const kept = { recorded: each, keepPersonalData, cuts: drawn.cuts };
              await expectExact(at, kept, checks).catch((error: unknown) => {
                const where = `recording ${index + 1} of ${recorded.length}`;
                throw new Error(`${where}, personal data kept: ${keepPersonalData}`, {
                  cause: error,
                });
              });
            }
          }
        }),
      ),
      { numRuns: RUNS, endOnFailure: true, examples: [EVERYTHING] },
    );
    expect(middleStarts).toBeGreaterThan(0);
    // Some succeed only by chance, after others.
    const required = IS_FULL ? seen.done : seen.drawn;
    expect(DECLARED.filter((name) => !required.has(name))).toEqual([]);
  },
  300_000 + RUNS * 20_000,
);

interface Exported {
  recorded: Recorded;
  keepPersonalData: boolean;
  cuts: readonly number[];
}

/** Checks the file of a whole recording. */
type Check = (repro: Repro, of: Exported, at: RecordedSandbox) => Promise<void>;

async function expectExact(
  at: RecordedSandbox,
  exported: Exported,
  checks: readonly Check[],
): Promise<void> {
  const { recorded, keepPersonalData } = exported;
  const { inputs, digest } = recorded;
  if (!inputs.some(({ kind }) => kind === 'request')) return;
  const { repro, problem } = await exportWhole(at, recorded, { keepPersonalData });
  expect(problem).toBeNull();
  expect(answered(repro.inputs)).toEqual(answered(inputs));
  if (keepPersonalData && digest !== undefined) expect(repro.end.digest).toBe(digest);
  for (const check of checks) await check(repro, exported, at);
}

async function expectReproduced(repro: Repro): Promise<void> {
  expect((await replayFile(repro)).divergence).toEqual([]);
}

async function expectSameAgain(repro: Repro): Promise<void> {
  expect((await exportAgain(repro)).inputs).toEqual(repro.inputs);
}

async function expectPrefixes(repro: Repro, exported: Exported): Promise<void> {
  for (const last of cutsOf(exported)) await expectReproduced(prefixOf(repro, last));
}

async function expectMiddleStarts(
  repro: Repro,
  exported: Exported,
  at: RecordedSandbox,
): Promise<void> {
  const { recorded, keepPersonalData } = exported;
  for (const cut of cutsOf(exported)) {
    const later = await exportWhole(at, recorded, { keepPersonalData, start: cut });
    const start = startOf(later.repro);
    expect({ start, problem: later.problem }).toEqual({ start, problem: null });
    if (start > 1) middleStarts += 1;
    // Replacements count values in the order in which they come.
    if (!keepPersonalData) continue;
    expect(comparable(later.repro.inputs)).toEqual(
      comparable(repro.inputs.filter((each) => numberOf(each) >= start)),
    );
    expect(later.repro.end.digest).toBe(repro.end.digest);
  }
}

const CHECKS: readonly Check[] = [
  expectReproduced,
  expectSameAgain,
  expectPrefixes,
  expectMiddleStarts,
];

/** Numbers of acts at which a file is cut. */
function cutsOf({ recorded: { inputs }, cuts }: Exported): number[] {
  const acts = inputs.filter((each) => each.kind === 'act');
  return cuts.map((cut) => acts[Math.floor(cut * acts.length)]?.n ?? 1);
}

/** The places of requests with a response. */
function answered(inputs: readonly InputRecord[]): (string | undefined)[] {
  const places = placesOf(inputs);
  return listedInputs(inputs)
    .filter((input) => input.kind === 'request' && input.response)
    .map((input) => places.get(input));
}

/** The number of an act, of the first act of a request, or of the act before which a read is. */
function numberOf(input: InputRecord): number {
  return input.kind === 'act' ? input.n : (input.acts[0] ?? input.after + 1);
}

function startOf({ inputs }: Repro): number {
  return inputs.find((each) => each.kind === 'act')?.n ?? 1;
}

/** A file that starts in the middle has all counters of its first act, and its snapshots may have another size. */
function comparable(inputs: readonly InputRecord[]): unknown {
  const first = inputs.find((each) => each.kind === 'act');
  const all = inputs.map((each) => (each === first ? { ...first, counters: {} } : each));
  return JSON.parse(JSON.stringify(all).replace(/(\\"size_bytes\\":)\d+/g, '$10'));
}

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
