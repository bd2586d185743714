import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { ReplayResult } from '../../../src/index.ts';
import type { InputRecord } from '../../../src/tools/repro/format.ts';
import { readRepro, writeRepro } from '../../../src/tools/repro/read-repro.ts';
import { requestsOf } from '../../../src/tools/repro/select.ts';
import { type CommandLineOptions, commandLine } from '../../cli/command-line.ts';
import { quoteFor } from '../../support/orders.ts';
import { sandbox } from '../../support/sandbox.ts';
import { seededListing } from '../../support/seeded-listings.ts';
import { stateFolder } from '../../support/state-folder.ts';
import { folderWith } from './folder-with.ts';
import { sampleRepro } from './sample-repro.ts';

/** A command line beside a sandbox with a quote, in a folder of its own. */
async function beside(io: CommandLineOptions = {}) {
  const at = await sandbox();
  await quoteFor(at, (await seededListing(1)).domain);
  const cwd = stateFolder();
  const names = () => fs.readdirSync(cwd).toSorted();
  return { at, cwd, names, run: commandLine(at, { cwd, ...io }) };
}

test('repro export writes a file, which repro replay reproduces without a sandbox', async () => {
  const { run, cwd, names } = await beside();
  const exported = await run('repro export bug.repro.gz');
  expect(exported).toMatchObject({ code: 0, stderr: '' });
  expect(exported.stdout).toMatch(
    /^Replayed 1 input twice: all responses match the recording\.\nWrote bug\.repro\.gz \(/,
  );
  expect(names()).toEqual(['bug.repro.gz']);
  const replayed = await commandLine(undefined, { cwd })('repro replay bug.repro.gz');
  expect(replayed).toMatchObject({ code: 0, stderr: '' });
  expect(replayed.stdout).toContain('Reproduced: the responses to 1 input match.');
});

test('repro export asks for --force before it overwrites a file, and names it by default', async () => {
  const { run, cwd, names } = await beside();
  fs.writeFileSync(path.join(cwd, 'bug.repro.gz'), 'mine');
  const rejected = await run('repro export bug.repro.gz');
  expect(rejected).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('file: bug.repro.gz exists'),
  });
  expect(fs.readFileSync(path.join(cwd, 'bug.repro.gz'), 'utf8')).toBe('mine');
  expect(await run('repro export bug.repro.gz --force')).toMatchObject({ code: 0 });
  expect(await run('repro export')).toMatchObject({ code: 0 });
  expect(names()).toEqual(['bug.repro.gz', 'sandlot-default-newest.repro.gz']);
});

test('repro export --domain is about the last request that names it', async () => {
  const { run, names } = await beside();
  const { domain } = await seededListing(1);
  const exported = await run(`repro export --domain ${domain} --json`);
  expect(exported.code).toBe(0);
  expect(exported.json()).toMatchObject({ target: '#1 POST /api/partner/v1/quotes 201' });
  expect(names()).toEqual([`sandlot-default-${domain}.repro.gz`]);
  expect(await run('repro export --domain none.example')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('domain: no recorded request names none.example'),
  });
});

test('a name that ends in .jsonl is not compressed, and - is stdout', async () => {
  const { run, cwd } = await beside();
  await run('repro export bug.jsonl');
  expect(fs.readFileSync(path.join(cwd, 'bug.jsonl'), 'utf8')).toMatch(/^\{"kind":"head"/);
  const { stdout, stderr } = await run('repro export -');
  expect(stdout.length).toBeGreaterThan(100);
  expect(stderr).toContain('Replayed 1 input');
});

test('a terminal gets no file', async () => {
  const { run } = await beside({ isTTY: true, columns: 80 });
  expect(await run('repro export -')).toMatchObject({ code: 2 });
});

test.each([
  ['--request req_none', 1, 'request req_none not found'],
  ['--request req_1 --last 3', 2, '--request and --last: pass only one of them'],
  ['--domain a.test --since 2h', 2, '--domain and --since: pass only one of them'],
  ['--since soon', 2, 'since: must be a duration such as 2h, or an ISO 8601 time'],
  ['--last 0', 2, ''],
])('repro export %s is rejected', async (options, code, message) => {
  const { run, names } = await beside();
  const rejected = await run(`repro export ${options}`);
  expect(rejected).toMatchObject({ code, stderr: expect.stringContaining(message) });
  expect(names()).toEqual([]);
});

test('without a sandbox, repro export exits 3', async () => {
  expect(await commandLine()('repro export')).toMatchObject({ code: 3 });
});

test('a diverging replay shows what came before, the differences, and what to do next', async () => {
  const { run, cwd, at } = await beside();
  await quoteFor(at, (await seededListing(2)).domain);
  await run('repro export bug.jsonl');
  const repro = await readRepro(fs.readFileSync(path.join(cwd, 'bug.jsonl')));
  const last = requestsOf(repro.inputs).at(-1);
  if (!last) throw new Error('no request');
  last.response = { status: 200, headers: [], body: { text: '{}' } };
  fs.writeFileSync(path.join(cwd, 'bug.jsonl'), writeRepro(repro, { compressed: false }));
  const { code, stdout, stderr } = await run('repro replay bug.jsonl');
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout).toMatch(/#1 .*201\n✗ +#2 .*diverged\n +recorded +replayed\n +status +200 +201\n/);
  expect(stdout).toContain('sandlot repro open bug.jsonl --at 1');
  const json = (await run('repro replay bug.jsonl --json')).json<ReplayResult>();
  expect(json.result).toBe('diverged');
  expect(json.divergence[0]).toEqual({
    ...{ input: '2', path: 'status', recorded: 200, replayed: 201 },
  });
});

test('a difference in the last act of a clock move is shown at the move', async () => {
  const { at } = await beside();
  await at.control.post('/clock/advance', { by: '1m' });
  const repro = readRepro((await at.exportRepro()).bytes);
  const last = repro.inputs.at(-1);
  if (last?.kind !== 'act') throw new Error('no act');
  last.now += 1;
  const { code, stdout } = await folderWith({ 'a.repro.gz': repro }).run('repro replay a.repro.gz');
  expect(code).toBe(1);
  expect(stdout).toMatch(/✗ +#2 .*\/clock\/advance .* diverged\n.*\n +clock /);
  expect(stdout).toContain(`Diverged at #${last.n} of ${last.n}.`);
});

test('a read that changes the state in this version diverges, and says so', async () => {
  const { at, run, cwd } = await beside();
  await at.call({ method: 'GET', target: '/api/partner/v1/orders' });
  const repro = await readRepro((await at.exportRepro()).bytes);
  const inputs = repro.inputs.flatMap((each): InputRecord[] => {
    if (each.kind === 'act') return each.n === 2 ? [] : [each];
    return each.method === 'GET' ? [{ ...each, acts: [], after: 1 }] : [each];
  });
  const head = { ...repro.head, target: '1.1', focus: ['1.1', '1.1'] as [string, string] };
  fs.writeFileSync(path.join(cwd, 'read.repro.gz'), writeRepro({ ...repro, head, inputs }));
  const { code, stdout } = await run('repro replay read.repro.gz');
  expect(code).toBe(1);
  expect(stdout).toContain('#1.1');
  expect(stdout).toContain('GET /api/partner/v1/orders changes the state, where it did not');
});

test('a file of another inventory names the version to use', async () => {
  const repro = sampleRepro();
  repro.head.sandlot = '0.0.7';
  const { run } = folderWith({ 'old.repro.gz': repro });
  expect(await run('repro replay old.repro.gz')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('run npx sandlot@0.0.7 repro replay old.repro.gz'),
  });
});

test.each(['show', 'replay', 'open'])(
  'repro %s of an unusable file exits 2 with one sentence',
  async (verb) => {
    const cwd = stateFolder();
    fs.writeFileSync(path.join(cwd, 'x'), 'hello');
    const { code, stderr } = await commandLine(undefined, { cwd })(`repro ${verb} x`);
    expect(code).toBe(2);
    expect(stderr).toContain('error: x: not a repro file: the first line is not a JSON object\n');
  },
);
