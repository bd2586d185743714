import { expect, test } from 'vitest';
import { runExport } from '../../src/repro/job.ts';
import { readRepro } from '../../src/repro/read-repro.ts';
import { fromReproInput } from '../../src/repro/recorded-inputs.ts';
import { jobOf } from '../../src/repro/recorded-job.ts';
import { replayFile } from '../../src/repro/replay-file.ts';
import { type Selected, selectInputs } from '../../src/repro/select.ts';
import type { RecordedInput } from '../../src/requests/recording.ts';
import type { Recordings } from '../../src/requests/recordings.ts';
import { recordedSandbox } from '../support/recorded-sandbox.ts';
import type { SeededListing } from '../support/seeded-listings.ts';

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
  const { recordings } = at.sandbox.requests.of(at.world);
  const selected = selectInputs(recordings, {}, null);
  const own = { world: 'default', madeAt: 0, secrets: [], worldNames: [] };
  return (start: number, options = {}) => {
    const focus: Selected['focus'] = [selected.target, selected.target];
    return runExport(jobOf(recordings, { ...selected, start, focus }, options, own));
  };
}

test('a file that starts in the middle gives the same outputs as one that starts at the beginning', async () => {
  const exportFrom = await recorded();
  const whole = await readRepro((await exportFrom(1)).bytes);
  for (const start of [3, 5]) {
    const { bytes, summary } = await exportFrom(start);
    expect(summary.problem).toBeNull();
    const repro = await readRepro(bytes);
    expect(repro.inputs).toEqual(whole.inputs.filter(({ n }) => n >= start));
    expect(JSON.stringify(repro)).not.toContain('company.com');
    expect(await replayFile(repro)).toMatchObject({ result: 'reproduced' });
  }
});

test('a file that starts after idempotency keys have expired ends with the rows of the whole recording', async () => {
  const exportFrom = await recorded({ pause: '24h' });
  const keepAll = { keepPersonalData: true };
  const whole = await readRepro((await exportFrom(1, keepAll)).bytes);
  const last = whole.inputs.at(-1)?.n ?? 0;
  const repro = await readRepro((await exportFrom(last, keepAll)).bytes);
  expect(repro.inputs.map(({ n }) => n)).toEqual([last]);
  expect(repro.end.digest).toBe(whole.end.digest);
});

test('every prefix of a file replays', async () => {
  const exportFrom = await recorded();
  const repro = await readRepro((await exportFrom(1)).bytes);
  for (const count of repro.inputs.keys()) {
    const prefix = {
      ...repro,
      inputs: repro.inputs.slice(0, count + 1),
      end: { kind: 'end' as const },
    };
    expect(await replayFile(prefix)).toMatchObject({ result: 'reproduced' });
  }
});

/** A recording of inputs that are only counted. */
function counted(inputs: RecordedInput[]): Recordings {
  const recording = { id: 1, began: 0, ended: null, last: null };
  return { list: () => [recording], inputs: () => inputs } as unknown as Recordings;
}

const request = (n: number) =>
  ({
    kind: 'request',
    n,
    at: n,
    target: '',
    body: Buffer.alloc(0),
    response: 'closed',
  }) as unknown as RecordedInput;
const step = (n: number, label: string, fields: object) =>
  ({
    kind: 'step',
    n,
    at: n,
    label,
    of: null,
    delivery: null,
    ...fields,
  }) as unknown as RecordedInput;

test('a file of a long recording may start shortly before the selection', () => {
  const inputs = Array.from({ length: 1_500 }, (_, at) => request(at + 1));
  const { start, focus, target } = selectInputs(counted(inputs), { last: 1 }, null);
  expect({ start, focus, target }).toEqual({ start: 1_250, focus: [1_500, 1_500], target: 1_500 });
});

test('a request whose response comes after the target has none in the file', () => {
  const inputs = [request(1), request(2), step(3, 'continue', { of: 1 })];
  const { inputs: selected } = selectInputs(counted(inputs), { last: 1 }, null);
  expect(selected).toEqual([{ ...request(1), response: null }, request(2)]);
});

test('exporting the inputs of a file again gives the same input lines', async () => {
  const exportFrom = await recorded();
  const repro = await readRepro((await exportFrom(1)).bytes);
  const { head, inputs } = repro;
  if (head.base.type !== 'seed') throw new Error('no seed');
  const { seed, inventory, created_at: createdAt, id_series: idSeries } = head.base;
  const { bytes } = await runExport({
    ...{ world: 'default', start: 1, target: head.target, focus: head.focus },
    base: { kind: 'seed', seed, inventory, createdAt, idSeries },
    settings: {
      baseUrl: head.base_url,
      rateLimits: { ...head.settings.rate_limits } as Record<string, number | null>,
      lastSeries: head.settings.last_id_series,
      frozenAt: head.settings.frozen_at,
      defaultCredential: head.settings.default_credential,
    },
    inputs: inputs.map(fromReproInput),
    ...{ keepPersonalData: false, secrets: [], worldNames: [], fileName: 'x', compressed: true },
    madeAt: 0,
  });
  expect((await readRepro(bytes)).inputs).toEqual(inputs);
});
