import { expect, test } from 'vitest';
import { TestRandom } from '../../../scripts/torture/random.ts';
import { createSandbox } from '../../../src/index.ts';
import { minimize } from '../../../src/tools/repro/minimize.ts';
import { replayFile } from '../../../src/tools/repro/replay-file.ts';
import { readRepro, writeRepro } from '../../../src/tools/repro/repro-lines.ts';
import { PLANTED_BUGS, PLANTED_IN, type PlantedBug, plant, targetIn } from './planted-bugs.ts';

/** Each of the 20 bugs, among 100 to 400 other requests, as the specification asks. */
const IS_FULL = process.env.SANDLOT_TEST_BUGS !== undefined;
const SEED = Number(process.env.SANDLOT_TEST_SEED ?? 1);
const SOME = ['quote used twice', 'fault: connection closed', 'scope missing'];
const BUGS = PLANTED_BUGS.filter(({ name }) => IS_FULL || SOME.includes(name));
const DELAYED = PLANTED_BUGS.filter(({ name }) => name.startsWith('fault: delay'));

async function recorded(bug: PlantedBug, operations: number) {
  const at = await createSandbox({ port: false, ...PLANTED_IN, ...bug.options });
  try {
    await plant(at, bug, { operations, seed: SEED });
    const whole = readRepro((await at.exportRepro({ last: 1 })).bytes);
    const target = whole.requests.find(({ n }) => n === targetIn(whole, bug));
    const request = target?.requestId ?? '';
    return { whole, target, upTo: readRepro((await at.exportRepro({ request })).bytes) };
  } finally {
    await at.close();
  }
}

test(
  `${BUGS.length} bugs among other requests are cut to a median of 8 or fewer, which replay and cannot be cut again`,
  async () => {
    const sizes: number[] = [];
    for (const bug of BUGS) {
      const random = new TestRandom('minimized', bug.name, SEED);
      const { whole } = await recorded(bug, IS_FULL ? random.between(100, 400) : 100);
      const options = { isStopped: () => false, madeAt: 0 };
      const start = process.cpuUsage();
      const first = await minimize(whole, { ...options, target: targetIn(whole, bug) });
      const { user, system } = process.cpuUsage(start);
      expect((user + system) / 1e6, `CPU seconds of ${bug.name}`).toBeLessThan(10);
      expect(first.outcome).toContain(bug.shows);
      expect(whole.requests.length).toBeGreaterThan(40);
      const file = readRepro(writeRepro(first.repro));
      expect((await replayFile(file)).divergence, bug.name).toEqual([]);
      const again = await minimize(file, { ...options, target: file.head.target });
      expect(again.repro.requests.length, bug.name).toBe(first.repro.requests.length);
      sizes.push(first.repro.requests.length);
    }
    const median = sizes.toSorted((a, b) => a - b)[Math.floor(sizes.length / 2)];
    expect(median, sizes.join()).toBeLessThanOrEqual(8);
  },
  60_000 * BUGS.length,
);

test.each(DELAYED)(
  'a file whose target waited for an injected delay has what ran meanwhile, and replays',
  async (bug) => {
    const { target, upTo } = await recorded(bug, 10);
    expect(upTo.head.target).toBe(target?.n);
    expect(upTo.head.problem).toBeNull();
    expect(upTo.requests).toHaveLength((target?.n ?? 0) + 1);
    expect((await replayFile(upTo)).divergence).toEqual([]);
  },
);
