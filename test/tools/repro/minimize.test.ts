import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { failedStepOf } from '../../../src/requests/trace.ts';
import type { Repro } from '../../../src/tools/repro/format.ts';
import { mapIds, noteIds } from '../../../src/tools/repro/renamed-ids.ts';
import { readRepro } from '../../../src/tools/repro/repro-lines.ts';
import { mint, quoteFor, requestOrder } from '../../support/orders.ts';
import { sandbox } from '../../support/sandbox.ts';
import { isRunning } from '../../support/sandlot-process.ts';
import { seededListing } from '../../support/seeded-listings.ts';
import { folderWith } from './folder-with.ts';
import { message, sampleRequest } from './sample-repro.ts';

const io = { interruption: () => new AbortController().signal };

interface Result {
  before: number;
  after: number;
  stopped: string | null;
  outcome: string;
}

/** The file of an order for an expired quote, between quotes for another domain. */
async function record(noise: number): Promise<Repro> {
  const at = await sandbox({ rateLimits: false });
  const [{ domain }, other] = await Promise.all([seededListing(1), seededListing(2)]);
  const quoteOthers = async () => {
    for (let n = 0; n < noise; n += 1) await quoteFor(at, other.domain);
  };
  await at.control.post('/snapshots', { name: 'before' });
  await at.control.post('/reset');
  await at.control.delete('/snapshots/before');
  await quoteOthers();
  const { quote_id } = await quoteFor(at, domain);
  await quoteOthers();
  await at.control.post('/clock/advance', { by: '3h' });
  await quoteOthers();
  await requestOrder(at, { long: 'x'.repeat(70_000), quote_id: 'a', external_payment_ref: 'b' });
  expect((await requestOrder(at, { quote_id, external_payment_ref: 'pi_1' })).status).toBe(422);
  return readRepro((await at.exportRepro()).bytes);
}

const recordedWith: Record<number, Promise<Repro>> = {};

/** A folder with such a file. */
async function expiredQuote(noise = 10) {
  recordedWith[noise] ??= record(noise);
  const { cwd, run } = folderWith({ 'bug.repro.gz': await recordedWith[noise] }, io);
  return { cwd, run, names: () => fs.readdirSync(cwd).toSorted() };
}

test('an expired quote between others is cut to the inputs that cause it', async () => {
  const { cwd, run } = await expiredQuote();
  const minimized = await run('repro minimize bug.repro.gz --json');
  expect(minimized).toMatchObject({ code: 0 });
  const result = minimized.json<Result>();
  expect(result).toMatchObject({ stopped: null, file: 'bug.min.repro.gz' });
  expect(result.outcome).toContain('422 quote_expired');
  expect(result.before).toBeGreaterThan(30);
  // The quote and the order, which keeps the time at which it ran.
  expect(result.after).toBe(2);

  const read = async (name: string) => readRepro(fs.readFileSync(path.join(cwd, name)));
  const [before, after] = await Promise.all([read('bug.repro.gz'), read('bug.min.repro.gz')]);
  expect(after.requests.map(({ n }) => n)).toEqual([1, 2]);
  const outcomeOf = ({ head, requests }: typeof before) => {
    const target = requests.find(({ n }) => n === head.target);
    return [target?.code, target && failedStepOf(target.trace)?.check];
  };
  expect(outcomeOf(after)).toEqual(outcomeOf(before));
  expect(after.state.filter(({ table }) => table === 'quotes')).toHaveLength(1);
  expect(fs.statSync(path.join(cwd, 'bug.min.repro.gz')).size).toBeLessThan(6_000);

  // The order names only a quote_id.
  const { domain } = await seededListing(1);
  expect((await run('repro show bug.min.repro.gz')).stdout).toMatch(
    new RegExp(`#\\d+ ✗ .* 422 quote_expired +POST /orders +${domain} `),
  );
  expect(await run('repro replay bug.min.repro.gz')).toMatchObject({ code: 0 });
  const again = (await run('repro minimize bug.min.repro.gz --json')).json<Result>();
  expect(again.after).toBe(result.after);
});

test('--while decides with the exit code of a command', async () => {
  const { run } = await expiredQuote(3);
  for (const [command, size, outcome] of [
    ['grep -q quote_expired', 4, '422 quote_expired'],
    ['test -f', 1, '400 validation_error'],
  ] as const) {
    const minimized = await run(`repro minimize bug.repro.gz --json --force --while '${command}'`);
    expect(minimized).toMatchObject({ code: 0 });
    expect(minimized.json<Result>().after).toBeLessThanOrEqual(size);
    expect(minimized.json<Result>().outcome).toContain(outcome);
    expect(await run('repro replay bug.min.repro.gz')).toMatchObject({ code: 0 });
  }
});

test.each([
  ['max-time', '--max-time 1ms', {}],
  ['interrupted', '', { interruption: () => AbortSignal.abort() }],
])('%s writes the best so far, which replays', async (stopped, option, more) => {
  const { run } = await expiredQuote(3);
  const minimized = await run(`repro minimize bug.repro.gz --json ${option}`, more);
  expect(minimized).toMatchObject({ code: 0 });
  expect(minimized.json<Result>()).toMatchObject({ stopped });
  expect(await run('repro replay bug.min.repro.gz')).toMatchObject({ code: 0 });
});

test('bad input is rejected in one sentence, and nothing is written', async () => {
  const { run, cwd, names } = await expiredQuote(1);
  fs.writeFileSync(path.join(cwd, 'there'), 'mine');
  for (const [options, text, code = 2] of [
    ['-o there', '--out: there exists'],
    ['-o -', '--out: cannot be -; pass the name of a file'],
    ['-o none/x.repro.gz', '--out: cannot write none/x.repro.gz: folder not found'],
    ["--while ''", '--while'],
    ["--while 'grep -q nothing_of_it'", '--while did not succeed for the whole file', 1],
    ['--while no-such-command-here', '--while: cannot start no-such-command-here'],
    ['--while ./there', '--while: cannot start ./there'],
    ['--max-time 10', '90s'],
    ['--max-time=-1s', '90s'],
    ['--target 1', ': a replay gives the target another outcome', 1],
    ['--target 7', ': a replay gives the target another outcome', 1],
    ['--target 9999', '--target: the file has no request 9999; its requests are 1 to '],
  ] as [string, string, number?][]) {
    const rejected = await run(`repro minimize bug.repro.gz ${options}`);
    expect({ options, ...rejected }).toMatchObject({ code, stderr: expect.stringContaining(text) });
  }
  expect(names()).toEqual(['bug.repro.gz', 'there']);
});

test('--target takes another request; a name that ends in .jsonl is not compressed', async () => {
  const { run, cwd } = await expiredQuote(3);
  const result = await run('repro minimize bug.repro.gz --json --target 2 -o small.jsonl');
  expect(result.json<Result>()).toMatchObject({ after: 1 });
  const smallest = fs.readFileSync(path.join(cwd, 'small.jsonl'));
  expect(String(smallest)).toMatch(/^\{"kind":"head"/);
  expect(readRepro(smallest).requests).toMatchObject([{ n: 1, method: 'POST' }]);
});

test('a request whose body is cut gets the new IDs, as the others', async () => {
  const at = await sandbox({ rateLimits: { write: 1 } });
  await mint(at);
  const key = await mint(at);
  for (const domain of ['x'.repeat(70_000), 'a.test'])
    await at.call({ method: 'POST', target: '/api/partner/v1/quotes', body: { domain } }, key);
  const { run } = folderWith({ 'bug.repro.gz': readRepro((await at.exportRepro()).bytes) }, io);
  expect(await run('repro minimize bug.repro.gz')).toMatchObject({ code: 0 });
});

test('a flaky --while leaves a file that replays', async () => {
  const { run, cwd } = await expiredQuote(1);
  const script = path.join(cwd, 'flaky.sh');
  const count = `n=$(cat "${cwd}/n" 2>/dev/null || echo 0); n=$((n + 1)); echo $n > "${cwd}/n"`;
  const text = `#!/bin/sh\n${count}\n[ $((n % 3)) -ne 0 ] && grep -q quote_expired "$1"\n`;
  fs.writeFileSync(script, text, { mode: 0o755 });
  const result = await run(['repro', 'minimize', 'bug.repro.gz', '--json', '--while', script]);
  expect(result).toMatchObject({ code: 0 });
  const { before, after } = result.json<Result>();
  expect(after).toBeLessThan(before);
  expect(await run('repro replay bug.min.repro.gz')).toMatchObject({ code: 0 });
});

test.each([
  ['max-time', ['--max-time', '1s'], {}],
  ['interrupted', [], { interruption: () => AbortSignal.timeout(1_000) }],
])(
  'a --while without a result (%s) is ended with what it started',
  async (reason, options, more) => {
    const { run, cwd } = await expiredQuote(1);
    const slow = `sh -c 'echo $$ > "${cwd}/pid"; sleep 600'; true`;
    const line = ['repro', 'minimize', 'bug.repro.gz', ...options, '--while', slow];
    const stderr = expect.stringContaining(`--while was ended before its result (${reason})`);
    expect(await run(line, more)).toMatchObject({ code: 1, stderr });
    const pid = Number(fs.readFileSync(path.join(cwd, 'pid'), 'utf8'));
    await expect.poll(() => isRunning(pid)).toBe(false);
  },
);

test.each([
  ['POST', '/_sandbox/clock/next', 200, 0],
  ['POST', '/_sandbox/faults', 201, 1],
])('of the response to %s %s with %i, %i new IDs are used', (method, target, status, expected) => {
  const response = (n: number) => message(JSON.stringify({ id: `flt_00000000000${n}` }));
  const call = sampleRequest(1, { api: 'control', method, target, status, response: response(1) });
  const ids = new Map<string, string>();
  noteIds(call, { ...call, response: response(2) }, ids);
  expect(ids.size).toBe(expected);
});

test('a later request gets the new IDs, each once, and the new tokens of URLs, but its own words', () => {
  const wordsOf = (n: number) => [`ord_00000000${n}`, `/checkout?pt=default.Token${n}`];
  const response = (words: string[], ...ns: number[]) =>
    message(JSON.stringify([...words, ...ns.flatMap(wordsOf)]));
  const own = ['shop24online.io', 'accounting', 'TRANSFER_COMPLETED', 'order.transfer_started'];
  const record = sampleRequest(1, { response: response(own, 3, 2) });
  const ids = new Map<string, string>();
  noteIds(record, { ...record, response: response(own.toReversed(), 2, 1) }, ids);
  const later = (n: number) =>
    sampleRequest(2, { target: `/checkout?pt=default.Token${n}`, request: response(own, n) });
  expect(mapIds(later(3), ids)).toEqual(later(2));
});
