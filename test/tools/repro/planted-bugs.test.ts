import { expect, test } from 'vitest';
import { createSandbox } from '../../../src/index.ts';
import { minimize } from '../../../src/tools/repro/minimize.ts';
import { readRepro, writeRepro } from '../../../src/tools/repro/read-repro.ts';
import { replayFile } from '../../../src/tools/repro/replay-file.ts';
import { PLANTED_BUGS, PLANTED_IN, plant, targetIn } from './planted-bugs.ts';

/** `npm run torture -- minimized` plants all of them. */
const PLANTED = ['quote used twice', 'fault: delay', 'fault: connection closed', 'scope missing'];

test.each(PLANTED)(
  '%s, among 100 others: a few requests stay, which replay and cannot be cut again',
  async (title) => {
    const bug = PLANTED_BUGS.find(({ name }) => name.includes(title));
    if (!bug) throw new Error('no such bug');
    const at = await createSandbox({ port: false, ...PLANTED_IN, ...bug.options });
    await plant(at, bug, { operations: 100, seed: 1 });
    const repro = await readRepro((await at.exportRepro({ last: 1 })).bytes);
    await at.close();
    const options = { isStopped: () => false, madeAt: 0 };
    const first = await minimize(repro, { ...options, target: targetIn(repro, bug) });
    expect(first.outcome).toContain(bug.shows);
    expect(repro.requests.length).toBeGreaterThan(40);
    expect(first.repro.requests.length).toBeLessThanOrEqual(4);
    const file = readRepro(writeRepro(first.repro));
    expect((await replayFile(file)).divergence).toEqual([]);
    const again = await minimize(file, { ...options, target: file.head.target });
    expect(again.outcome).toBe(first.outcome);
    expect(again.repro.requests.length).toBe(first.repro.requests.length);
  },
);

test('a file whose target waited for an injected delay has what ran meanwhile, and replays', async () => {
  const bug = PLANTED_BUGS.find(({ name }) => name.startsWith('fault: delay'));
  if (!bug) throw new Error('no such bug');
  const at = await createSandbox({ port: false, ...PLANTED_IN });
  await plant(at, bug, { operations: 10, seed: 1 });
  const whole = readRepro((await at.exportRepro({ last: 1 })).bytes);
  const delayed = whole.requests.find(({ n }) => n === targetIn(whole, bug));
  const repro = readRepro((await at.exportRepro({ request: delayed?.request_id ?? '' })).bytes);
  await at.close();
  expect(repro.head.target).toBe(delayed?.n);
  expect(repro.head.problem).toBeNull();
  expect(repro.requests).toHaveLength((delayed?.n ?? 0) + 1);
  expect((await replayFile(repro)).divergence).toEqual([]);
});
