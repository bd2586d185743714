import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { ReproSummary } from '../../../src/index.ts';
import { DEFAULT_CREDENTIAL } from '../../../src/market/defaults.ts';
import { openRepro } from '../../../src/tools/repro/open-file.ts';
import { readRepro, writeRepro } from '../../../src/tools/repro/repro-lines.ts';
import { type CommandLineOptions, commandLine, nobodyThere } from '../../cli/command-line.ts';
import { checkoutFor, PAYING, submit } from '../../support/checkout.ts';
import { magic, orderBody, quoteFor, requestOrder } from '../../support/orders.ts';
import { loggedIds } from '../../support/request-log.ts';
import { sandbox } from '../../support/sandbox.ts';
import { seededListing } from '../../support/seeded-listings.ts';
import { stateFolder } from '../../support/state-folder.ts';
import { folderWith } from './folder-with.ts';
import { sampleRepro, sampleRequest } from './sample-repro.ts';

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
    /^Replayed 1 request: all responses match\.\nWrote bug\.repro\.gz \(/,
  );
  expect(names()).toEqual(['bug.repro.gz']);
  const replayed = await commandLine(undefined, { cwd })('repro replay bug.repro.gz');
  expect(replayed).toMatchObject({ code: 0, stderr: '' });
  expect(replayed.stdout).toContain('Reproduced: the responses to 1 request match.');
});

test('repro export asks for --force before it overwrites a file, and names it by default', async () => {
  const { run, cwd, names } = await beside();
  fs.writeFileSync(path.join(cwd, 'bug.repro.gz'), 'mine');
  const stderr = expect.stringContaining('<file>: bug.repro.gz exists');
  expect(await run('repro export bug.repro.gz')).toMatchObject({ code: 2, stderr });
  expect(fs.readFileSync(path.join(cwd, 'bug.repro.gz'), 'utf8')).toBe('mine');
  expect(await run('repro export bug.repro.gz --force')).toMatchObject({ code: 0 });
  expect(await run('repro export')).toMatchObject({ code: 0 });
  expect(names()).toEqual(['bug.repro.gz', 'sandlot-default-newest.repro.gz']);
});

test('repro export --domain is about the last request that names it, or its checkout', async () => {
  const { run, names, at } = await beside();
  const { domain } = await seededListing(1);
  const { checkout_url } = await checkoutFor(at, { domain });
  await at.control.delete('/requests');
  await submit(at, checkout_url, { ...PAYING, email: '' });
  const exported = await run(`repro export --domain ${domain.toUpperCase()}. --json`);
  expect(exported.json<ReproSummary>().target).toMatch(/^#1 POST \/checkout\?pt=default.* 422$/);
  expect(names()).toEqual([`sandlot-default-${domain}.repro.gz`]);
});

test('repro export --order finds a request whose response was lost', async () => {
  const { run, at } = await beside();
  await requestOrder(at, orderBody(magic('lost-response', 139_900))).catch(() => 'lost');
  const { orders } = await at.control.get<{ orders: { public_id: string }[] }>('/orders');
  const exported = await run(`repro export --order ${orders[0]?.public_id} --json`);
  expect(exported.json()).toMatchObject({ target: '#2 POST /api/partner/v1/orders closed' });
});

test('a name that ends in .jsonl is not compressed, and - is stdout', async () => {
  const { run, cwd } = await beside();
  await run('repro export bug.jsonl');
  expect(fs.readFileSync(path.join(cwd, 'bug.jsonl'), 'utf8')).toMatch(/^\{"kind":"head"/);
  const { stdout, stderr } = await run('repro export -');
  expect(stdout.length).toBeGreaterThan(100);
  expect(stderr).toContain('Replayed 1 request');
});

test('repro open serves the state after a request on a free port, with a frozen clock', async () => {
  const { run, at } = await beside();
  for (const by of ['1m', '2m']) await at.control.post('/clock/advance', { by });
  const [newest] = await loggedIds(at, { api: 'all' });
  await run(`repro export bug.repro.gz --request ${newest}`);
  const stderr = expect.stringContaining(
    '--at: the file has no request 999; its requests are 1 to 3',
  );
  expect(await run('repro open bug.repro.gz --at 999')).toMatchObject({ code: 2, stderr });
  const ended = { interruption: () => AbortSignal.abort() };
  const before = await run("repro open bug.repro.gz --at '#0' --json", ended);
  expect(before.json()).toMatchObject({ at: 0, inputs: 3 });
  const stop = new AbortController();
  let documents: Promise<unknown> | undefined;
  const onStdout = (text: string) => {
    const { url } = JSON.parse(text) as { url: string };
    const read = async (path: string) => (await fetch(`${url}/_sandbox/${path}`)).json();
    documents = Promise.all(['status', 'golive'].map(read));
    void documents.finally(() => stop.abort());
  };
  const interruption = () => stop.signal;
  const opened = await run('repro open bug.repro.gz --at 2 --json', { interruption, onStdout });
  expect(opened.code).toBe(0);
  const { url, ...result } = opened.json<{ url: string }>();
  const credentials = [{ key_id: DEFAULT_CREDENTIAL.keyId, secret: DEFAULT_CREDENTIAL.secret }];
  expect(result).toMatchObject({ at: 2, inputs: 3, diverged: null, credentials });
  const status = { url, env: { SANDLOT_URL: url }, clock: { frozen: true } };
  expect(await documents).toMatchObject([status, { requests: 0 }]);
});

test.each([
  ['--request req_none', 1, 'request req_none not found'],
  ['--request req_1 --last 3', 2, 'request: pass only one of'],
  ['--domain a.test --since 2h', 2, 'pass only one of'],
  ['--order pricing', 2, 'order: must be an ID: ord_…'],
  ['--order ord_/../../bug', 2, 'order: must be an ID: ord_…'],
  ['none/x.gz', 2, '<file>: cannot write none/x.gz: folder not found'],
  [`--domain ${'a.'.repeat(100)}test`, 1, 'domain: no request in the log names a.a.'],
  ['--domain pricing', 2, 'domain: must be a host name with at least two labels'],
  ['--since soon', 2, 'since: must be a duration such as 2h, or an ISO 8601 time'],
  ['--since 2026-03-02T09:00:00.001Z', 1, 'since: nothing was requested since 2026-03-02'],
  ['--last 0', 2, ''],
])('repro export %s is rejected', async (options, code, message) => {
  const { run, names } = await beside();
  await run('request GET /api/partner/v1/pricing?domain=coffee.com');
  const rejected = await run(`repro export ${options}`);
  expect(rejected).toMatchObject({ code, stderr: expect.stringContaining(message) });
  expect(names()).toEqual([]);
});

test('without a sandbox, repro export exits 3 and writes nothing', async () => {
  const cwd = stateFolder();
  const headers = { 'Content-Type': 'application/gzip' };
  const cut = new Response(new ReadableStream({ pull: () => expect.unreachable() }), { headers });
  for (const fetch of [nobodyThere, async () => new Response('<html>'), async () => cut]) {
    const run = commandLine(undefined, { cwd, fetch });
    expect(await run('repro export --url http://127.0.0.1:4010')).toMatchObject({ code: 3 });
  }
  expect(fs.readdirSync(cwd)).toEqual([]);
});

test('a diverging replay shows what came before, the differences, and what to do next', async () => {
  const { run, cwd, at } = await beside();
  await quoteFor(at, (await seededListing(2)).domain);
  const file = path.join(cwd, 'a $& b.jsonl');
  await run("repro export 'a $& b.jsonl'");
  const repro = readRepro(fs.readFileSync(file));
  repro.head.target = 5;
  const [, last = sampleRequest(2)] = repro.requests;
  Object.assign(last, { n: 5, status: 200 });
  last.response.body = '['.repeat(50_000) + ']'.repeat(50_000);
  fs.writeFileSync(file, writeRepro(repro, { compressed: false }));
  const { code, stdout, stderr } = await run("repro replay 'a $& b.jsonl'");
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout).toMatch(
    /#1 .* 201 .*\n#5 ✗ .* 200 .*\n\nDIFFERS +RECORDED +REPLAYED\nstatus +200 +201\n/,
  );
  expect(stdout).toContain("sandlot repro open 'a $& b.jsonl' --at 1");
  const json = (await run("repro replay 'a $& b.jsonl' --json")).json();
  const first = { input: '5', path: 'status', recorded: 200, replayed: 201 };
  expect(json).toMatchObject({ result: 'diverged', divergence: { 0: first } });
  const minimized = await run("repro minimize 'a $& b.jsonl'");
  expect(minimized.stderr).toContain("5 differs; run sandlot repro replay 'a $& b.jsonl'");
});

test('a file of another inventory names the version to use', async () => {
  const repro = sampleRepro();
  repro.base = [{ kind: 'base', table: 'counters', values: { name: 'ord', value: 1 } }];
  repro.head.sandlot = '0.0.7';
  const { run } = folderWith({ 'old.repro.gz': repro });
  const stderr = expect.stringContaining('another inventory from the seed; use sandlot 0.0.7');
  expect(await run('repro replay old.repro.gz')).toMatchObject({ code: 1, stderr });
});

test('a file of a log that has lost requests opens with the others, and says that it does not replay', async () => {
  const at = await sandbox({ requestLog: 100, rateLimits: false });
  const { domain } = await seededListing(1);
  for (let n = 0; n < 110; n += 1) await quoteFor(at, domain);
  const { bytes, summary } = await at.exportRepro();
  const problem = 'the request log lacks requests since the world began, dropped or in progress';
  expect(summary).toMatchObject({ verified: false, problem });
  const repro = readRepro(bytes);
  const { run } = folderWith({ 'a.repro.gz': repro });
  const stderr = expect.stringContaining(problem);
  expect(await run('repro replay a.repro.gz')).toMatchObject({ code: 1, stderr });
  // More than the log of another sandbox keeps by default.
  const requests = Array(101).fill(repro.requests).flat();
  const { sandbox: opened } = await openRepro({ ...repro, requests });
  const world = opened.worlds.require('default');
  expect(opened.requests.count(world, undefined)).toBe(10_100);
  expect(world.store.client.prepare('SELECT count(*) FROM quotes').pluck().get()).toBe(110);
  await opened.close();
});

test.each(['show', 'replay', 'open'])(
  'repro %s of an unusable file exits 2 with one sentence',
  async (verb) => {
    const cwd = stateFolder();
    fs.writeFileSync(path.join(cwd, 'x'), 'hello');
    const reason = 'not a repro file: the first line is not a head of format "sandlot-repro"';
    const stderr = expect.stringContaining(`error: x: ${reason}\n`);
    const rejected = await commandLine(undefined, { cwd })(`repro ${verb} x`);
    expect(rejected).toMatchObject({ code: 2, stderr });
  },
);
