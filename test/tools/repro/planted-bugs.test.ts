import { expect, test } from 'vitest';
import { createSandbox } from '../../../src/index.ts';
import type { RequestRecord } from '../../../src/tools/repro/format.ts';
import { minimize } from '../../../src/tools/repro/minimize.ts';
import { listedInputs } from '../../../src/tools/repro/places.ts';
import { readRepro, writeRepro } from '../../../src/tools/repro/read-repro.ts';
import { replayFile } from '../../../src/tools/repro/replay-file.ts';
import { requestsOf } from '../../../src/tools/repro/select.ts';
import { PLANTED_BUGS, PLANTED_IN, plant, targetIn } from './planted-bugs.ts';

/** `npm run torture -- minimized` plants all of them. */
const PLANTED = ['quote used twice', 'fault: connection closed', 'scope missing', 'after a reset'];

test.each(PLANTED)(
  '%s, among 100 others: a few inputs stay, which replay and cannot be cut again',
  async (title) => {
    const bug = PLANTED_BUGS.find(({ name }) => name.includes(title));
    if (!bug) throw new Error('no such bug');
    const at = await createSandbox({ port: false, ...PLANTED_IN, ...bug.options });
    await plant(at, bug, { operations: 100, seed: 1 });
    const repro = await readRepro((await at.exportRepro()).bytes);
    await at.close();
    const options = { keep: [], isStopped: () => false, madeAt: 0 };
    const first = await minimize(repro, { ...options, target: targetIn(repro, bug) });
    expect(first.outcome).toContain(bug.shows);
    expect(listedInputs(repro.inputs).length).toBeGreaterThan(40);
    expect(listedInputs(first.repro.inputs).length).toBeLessThanOrEqual(3);
    // Also over a reset that is cut.
    const recorded = new Map(
      requestsOf(repro.inputs).map((each) => [each.request_id, idsIn(each)]),
    );
    for (const request of requestsOf(first.repro.inputs)) {
      expect(idsIn(request)).toEqual(recorded.get(request.request_id));
    }
    const file = await readRepro(writeRepro(first.repro));
    for (let n = 0; n < 5; n += 1) expect((await replayFile(file)).result).toBe('reproduced');
    const again = await minimize(file, { ...options, target: file.head.target });
    expect(again.outcome).toBe(first.outcome);
    expect(listedInputs(again.repro.inputs)).toEqual(listedInputs(first.repro.inputs));
  },
);

function idsIn({ target, response }: RequestRecord): string[] {
  const text = JSON.stringify(response ?? {});
  return [target, ...(text.match(/(?:public_id|quote_id|key_id)[^,]*/g) ?? [])];
}
