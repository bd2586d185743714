import { expect, test } from 'vitest';
import { exportFile } from '../../../src/tools/repro/export.ts';
import type { InputRecord } from '../../../src/tools/repro/format.ts';
import { lastActNumber } from '../../../src/tools/repro/places.ts';
import { readRepro } from '../../../src/tools/repro/read-repro.ts';
import type { Recordings } from '../../../src/tools/repro/recording/recordings.ts';
import { replayFile } from '../../../src/tools/repro/replay-file.ts';
import { toRecordedRepro } from '../../../src/tools/repro/run-export.ts';
import { type SelectedInputs, selectInputs } from '../../../src/tools/repro/select.ts';
import type { SeededListing } from '../../support/seeded-listings.ts';
import { recordedSandbox } from './recorded-sandbox.ts';
import { sampleAct, sampleRequest } from './sample-repro.ts';
import { exportAgain, exportWhole, prefixOf } from './whole-export.ts';

const NOW = { reason: null, madeAt: 0 };
const QUOTE = { method: 'POST', target: '/api/partner/v1/quotes' };

/** Records three sales. @param pause of sandbox time before each */
async function recorded({ pause }: { pause?: string } = {}) {
  const at = await recordedSandbox({ frozenAt: Date.UTC(2026, 2, 2, 9) });
  const found = await at.call({ method: 'GET', target: '/api/partner/v1/domains/search?q=a' });
  const { domains } = (await found.json()) as { domains: SeededListing[] };
  for (const { domain, price_cents, currency } of domains.slice(0, 3)) {
    if (pause) await at.control.post('/clock/advance', { by: pause });
    await at.call({ ...QUOTE, body: { domain } });
    const body = {
      domain,
      expected_price: price_cents,
      currency,
      buyer: { email: 'jane@company.com', name: 'Jane Doe' },
    };
    const headers = { 'Idempotency-Key': domain };
    const target = '/api/partner/v1/orders';
    expect((await at.call({ method: 'POST', target, body, headers })).status).toBe(201);
  }
  const { recordings } = at.recorded;
  const selected = selectInputs(recordings, {}, NOW);
  const own = { world: 'default', madeAt: 0, secrets: [], worldNames: [] };
  return (start: number, { keepPersonalData = false } = {}) => {
    const focus: SelectedInputs['focus'] = [selected.target, selected.target];
    const recordedPart = toRecordedRepro(recordings, { ...selected, start, focus }, own);
    return exportFile(recordedPart, keepPersonalData);
  };
}

function numberOf(input: InputRecord): number {
  return input.kind === 'act' ? input.n : (input.acts[0] ?? input.after);
}

function withoutCounters(input: InputRecord): InputRecord {
  return input.kind === 'act' ? { ...input, counters: undefined } : input;
}

test('a file that starts in the middle gives the same outputs as one that starts at the beginning', async () => {
  const exportFrom = await recorded();
  const whole = await readRepro((await exportFrom(1)).bytes);
  for (const start of [3, 5]) {
    const { bytes, summary } = await exportFrom(start);
    expect(summary.problem).toBeNull();
    const repro = await readRepro(bytes);
    const expected = whole.inputs.filter((each) => numberOf(each) >= start);
    // Its first act has all counters.
    expect(repro.inputs.map(withoutCounters)).toEqual(expected.map(withoutCounters));
    expect(repro.inputs.slice(2)).toEqual(expected.slice(2));
    expect(JSON.stringify(repro)).not.toContain('company.com');
    expect(await replayFile(repro)).toMatchObject({ result: 'reproduced' });
  }
});

test('a file does not start between a snapshot and a request that it decides, also one without an act', async () => {
  const at = await recordedSandbox();
  const read = () => at.call({ method: 'GET', target: '/api/partner/v1/orders' });
  const readAfter = async (rejected: Promise<unknown>) => {
    await expect(rejected).rejects.toThrow('snapshot');
    await read();
  };
  await read();
  await at.control.post('/snapshots', { name: 's' });
  await readAfter(at.control.post('/snapshots', { name: 's' }));
  await readAfter(at.control.post('/snapshots/other/restore'));
  await read();
  const [recording] = at.recordings();
  if (!recording) throw new Error('nothing is recorded');
  const inputs = at.inputs(recording);
  const started: number[] = [];
  for (let start = 2; start <= lastActNumber(inputs); start += 1) {
    const whole = { recording, inputs };
    const { repro, problem } = await exportWhole(at, whole, { keepPersonalData: false, start });
    expect({ start, problem }).toEqual({ start, problem: null });
    started.push(repro.inputs.find((each) => each.kind === 'act')?.n ?? 0);
  }
  // The snapshot is saved in act 2, and the last rejection is after act 4.
  expect(started).toEqual([2, 6, 6, 6, 6]);
});

test('a file that starts after idempotency keys have expired ends with the rows of the whole recording', async () => {
  const exportFrom = await recorded({ pause: '24h' });
  const keepAll = { keepPersonalData: true };
  const whole = await readRepro((await exportFrom(1, keepAll)).bytes);
  const last = lastActNumber(whole.inputs);
  const repro = await readRepro((await exportFrom(last, keepAll)).bytes);
  expect(repro.inputs.map(numberOf)).toEqual([last, last]);
  expect(repro.end.digest).toBe(whole.end.digest);
});

test('every prefix of a file replays', async () => {
  const exportFrom = await recorded();
  const repro = await readRepro((await exportFrom(1)).bytes);
  for (let last = 0; last <= lastActNumber(repro.inputs); last += 1) {
    expect(await replayFile(prefixOf(repro, last))).toMatchObject({ result: 'reproduced' });
  }
});

/** A recording of inputs that are only counted. */
function counted(inputs: InputRecord[]): Recordings {
  const recording = { id: 1, began: 0, ended: null };
  return { list: () => [recording], inputs: () => inputs } as unknown as Recordings;
}

test('a file of a long recording may start shortly before the selection', () => {
  const inputs = Array.from({ length: 1_500 }, (_, at) => sampleRequest(at + 1)).flat();
  const { start, focus, target } = selectInputs(counted(inputs), { last: 1 }, NOW);
  expect({ start, focus, target }).toEqual({
    start: 1_250,
    focus: ['1500', '1500'],
    target: '1500',
  });
});

test('a request whose response comes after the target has none in the file', () => {
  const [first, firstAct] = sampleRequest(1, { acts: [1, 3] });
  const second = sampleRequest(2);
  const later = sampleAct(3, { cause: { type: 'request', of: 1, part: 2 } });
  const inputs = [first, firstAct, ...second, later];
  const { inputs: selected } = selectInputs(counted(inputs), { last: 1 }, NOW);
  expect(selected).toEqual([{ ...first, acts: [1], response: undefined }, firstAct, ...second]);
});

test('exporting the inputs of a file again gives the same input lines', async () => {
  const exportFrom = await recorded();
  const repro = await readRepro((await exportFrom(1)).bytes);
  expect((await exportAgain(repro)).inputs).toEqual(repro.inputs);
});
