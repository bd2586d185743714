import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ControlClient } from '../../../src/client/control-client.ts';
import { type Key, sendSigned, signPartnerRequest } from '../../../src/client/partner-client.ts';
import { readRepro } from '../../../src/tools/repro/repro-lines.ts';
import { emptyDirectory } from '../../support/sandlot-process.ts';
import { makeTemporaryFolder, REMOVAL } from '../../support/temporary-folder.ts';
import { type Behavior, explore, openWorkload, type Report, sell } from './explore.ts';

let sale: string[];
let behavior: Behavior;
const FAULT = { kind: 'call.lost_after', point: 'postOrder#1 auto-complete.test' };
const ONLY = ['--only', 'call.lost_after', 'postOrder', '--settle', '0s'];

let cwd: string;
beforeEach(() => {
  cwd = emptyDirectory();
  behavior = 'wrong';
});
const json = (...args: string[]) => explore(['--json', ...args], { cwd });

/** What a search found, and the folder in which it ran. */
let found: Report;
const folder = makeTemporaryFolder('sandlot-test-');
afterAll(() => fs.rmSync(folder, REMOVAL));

/** Searches, and finds that the domain is sold twice. */
beforeAll(async () => {
  sale = await openWorkload((send) => sell(send, behavior));
  const { code, err, report } = await explore(['--json', ...ONLY, ...sale], { cwd: folder });
  expect(code, err).toBe(1);
  expect(report.findings).toMatchObject([
    { property: 'traffic.sold_twice', rate: '3 of 3', faults: [FAULT] },
  ]);
  expect(report.findings[0]?.story.join()).toMatch(/closed ord_0000001\S+ +← fault,.* 201 ord_0/);
  found = report;
});

/** Copies the finding into the folder of this test. */
function find(): { file: string; report: Report } {
  fs.cpSync(folder, cwd, { recursive: true });
  return { file: path.join('.sandlot/explore', `${found.findings[0]?.id}.json`), report: found };
}

describe('a finding', () => {
  test('is saved with the output of the commands and the repro', () => {
    const { file, report } = find();
    const saved: unknown = JSON.parse(fs.readFileSync(path.join(cwd, file), 'utf8'));
    const workload = sale.slice(1);
    expect(saved).toMatchObject({ property: 'traffic.sold_twice', faults: [FAULT], workload });
    const log = fs.readFileSync(path.join(cwd, file.replace(/json$/, 'log')), 'utf8');
    expect(log).toContain('# workload (exit code 0)');
    const repro = fs.readFileSync(path.join(cwd, file.replace(/json$/, 'repro.gz')));
    expect(repro.subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]));
    expect(report.findings[0]?.run_again).toBe(`sandlot explore --replay ${file}`);
    for (const made of ['.sandlot', '.sandlot/explore', file])
      expect(fs.statSync(path.join(folder, made)).mode & 0o077, made).toBe(0);
  });

  test.each<[string, 'search' | 'replay' | 'changed replay', Behavior, number]>([
    ['FAILS', 'search', 'wrong', 1],
    ['FIXED', 'search', 'fixed', 0],
    ['FIXED', 'replay', 'fixed', 0],
    ['ERROR', 'replay', 'closed', 3],
    ['FAILS', 'changed replay', 'wrong', 1],
  ])('%s in a %s if the workload is %s', async (status, where, name, code) => {
    const { file, report } = find();
    behavior = name;
    // It has the options of the search, and its workload, unless it is given another.
    const replay = ['--replay', file];
    const changed = [...replay, ...sale, 'again'];
    const args = { search: [...ONLY, ...sale], replay, 'changed replay': changed };
    const next = await json(...args[where]);
    const saved = [{ id: report.findings[0]?.id, property: 'traffic.sold_twice', status }];
    expect(next.report).toMatchObject({ saved, findings: [] });
    expect(next.code).toBe(code);
  });

  test('of another workload is another file', async () => {
    find();
    await json(...ONLY, ...sale, 'again');
    const files = fs.readdirSync(path.join(cwd, '.sandlot/explore'));
    expect(files.filter((name) => name.endsWith('.json'))).toHaveLength(2);
  });

  test('is replayed with the options of the search, and with those of the command line instead', async () => {
    const { file } = find();
    const content = fs.readFileSync(path.join(cwd, file), 'utf8');
    const options = { settle: 0, reset: 'touch searched', check: 'touch checked' };
    fs.writeFileSync(path.join(cwd, file), JSON.stringify({ ...JSON.parse(content), options }));
    const { out, code } = await explore(['--replay', file, '--reset', 'touch given'], { cwd });
    expect(out).toMatch(/^FAILS traffic.sold_twice .*\nReplayed in /m);
    expect(code).toBe(1);
    expect(fs.readdirSync(cwd).sort()).toEqual(['.sandlot', 'checked', 'given']);
  });

  test.each([
    ['ERROR', 'state.known', ['--state', stateThen('')]],
    ['FIXED', 'state.known', ['--state', `sleep 0.3; ${stateThen('')}`, '--settle', '200ms']],
    ['ERROR', 'workload.passes', []],
  ])('%s of %s if it is last evaluated with %j', async (status, property, options) => {
    const { file } = find();
    behavior = 'fixed';
    const content = fs.readFileSync(path.join(cwd, file), 'utf8');
    fs.writeFileSync(path.join(cwd, file), content.replace('traffic.sold_twice', property));
    const { report } = await json('--replay', file, ...options);
    expect(report.saved).toMatchObject([{ status, sentence: expect.stringMatching(/\w\.$/) }]);
  });

  test.each<[string, Behavior, string[]]>([
    ['state.same_sale', 'fixed', ['--state', stateThen('other.test')]],
    ['traffic.unheard', 'given up', []],
  ])('of %s tells the story of the order', async (property, name, options) => {
    behavior = name;
    const { report } = await json(...options, ...ONLY, ...sale);
    expect(report.findings).toMatchObject([{ property, faults: [FAULT] }]);
    expect(report.findings[0]?.story.join()).toContain('ord_0000001');
  });
});

/** A `--state` that is right but the third time, after the two clean runs: it has another domain, or is empty. */
function stateThen(domain: string): string {
  const print = (name: string) => `echo '[{"order":"ord_0000001nxftxtca4","domain":"${name}"}]'`;
  const then = domain === '' ? '' : `else ${print(domain)};`;
  return `echo >> runs; if [ $(wc -l < runs) -ne 3 ]; then ${print('auto-complete.test')}; ${then} fi`;
}

test('--list prints the plan that the search runs', async () => {
  const args = ['--only', 'call.error', 'call.lost_before', '--settle', '0s'];
  const list = await explore(['--list', ...args, ...sale], { cwd });
  expect(list.code).toBe(0);
  const { report } = await json(...args, ...sale);
  expect(list.out).toBe(`${report.plan.join('\n')}\n`);
  expect(report).toMatchObject({ planned: 4, run: 4, not_run: null });
});

test('a repeated read is no point, nor is a call that is rejected before faults match, which counts and is shown', async () => {
  const args = await openWorkload(async (send, url) => {
    const post = () => fetch(`${url}/api/partner/v1/quotes`, { method: 'POST' });
    await post();
    for (const name of ['%C3%A9.test', 'xn--9ca.test']) await send('GET', `/domains/${name}`);
    const { status } = await send('GET', '/pricing?domain=auto-complete.test');
    for (let n = 0; status !== 200 && n < 60; n += 1) await post();
    return true;
  });
  const { report } = await json('--only', 'call.error', '--settle', '0s', ...args);
  expect(report.points).toEqual(['showDomain#1 xn--9ca.test', 'showPricing#1 auto-complete.test']);
  expect(JSON.stringify(report)).toContain('traffic.unheard (no order is read)');
  expect(report.findings).toMatchObject([{ property: 'traffic.endless_retry' }]);
  expect(report.findings[0]?.sentence).toContain('The run called postQuote 61 times.');
  expect(JSON.stringify(report.findings)).toContain('POST /quotes → 401 missing_credentials');
});

test('what the workload does in a world of its own is not judged', async () => {
  const args = await openWorkload(async (send, url) => {
    await send('GET', '/pricing?domain=auto-complete.test');
    const control = new ControlClient({ baseUrl: url, fetch });
    await control.post('/worlds', { name: 'other' });
    const key = await control.post<Key>('/credentials?world=other', {});
    const buyer = { email: 'a@shop.example' };
    const sale = { domain: 'sold-meanwhile.test', expected_price: 149_900, currency: 'USD' };
    const headers = { 'Idempotency-Key': 'k', 'User-Agent': 'shop' };
    const target = '/api/partner/v1/orders';
    const order = { method: 'POST', target, body: { ...sale, buyer }, headers };
    for (let n = 0; n < 4; n += 1)
      await sendSigned(fetch, signPartnerRequest(url, key, order, Date.now()));
    return true;
  });
  const { report } = await json('--only', 'call.error', '--settle', '0s', ...args);
  expect(report).toMatchObject({ run: 1, notes: [] });
});

test('a quote that expires may be unknown', async () => {
  const statuses: number[] = [];
  const args = await openWorkload(async (send) => {
    const data = { quote_id: 'unknown', external_payment_ref: 'pay-1' };
    statuses.push((await send('POST', '/orders', { data, key: 'first' })).status);
    return true;
  });
  await json('--only', 'clock.quote_expired', '--settle', '0s', ...args);
  expect(statuses).toEqual([400, 400, 400]);
});

test('neither a control token of the configuration is needed, nor one for its host', async () => {
  const file = path.join(cwd, 'config.json');
  for (const config of [{ control_token: 'a token of the server' }, { host: '0.0.0.0' }]) {
    fs.writeFileSync(file, JSON.stringify(config));
    expect((await json('--config', file, '--list', ...sale)).code).toBe(0);
  }
});

test('two searches print the same JSON but for times', async () => {
  const { report } = await json(...ONLY, ...sale);
  expect({ ...report, duration_ms: 0 }).toEqual({ ...found, duration_ms: 0 });
});

test('a finding is reported although the workload has removed or replaced its folder', async () => {
  const search = ['--findings', 'kept', ...ONLY, ...sale];
  const replaced = await json('--reset', 'rm -rf kept; touch kept', ...search);
  expect(replaced.out).toContain('impossible, because not saved: it is not a folder');
  fs.rmSync(path.join(cwd, 'kept'));
  const { code, report } = await json('--reset', 'rm -rf kept', ...search);
  expect(fs.readdirSync(path.join(cwd, 'kept'))).toContain(`${report.findings[0]?.id}.json`);
  expect([replaced.code, code]).toEqual([1, 1]);
});

test('a --reset that fails in the middle of the search keeps what was found', async () => {
  // Two clean runs come first, and the run of the finding is repeated twice.
  const reset = 'echo >> resets; test $(wc -l < resets) -le 5';
  const only = ['--only', 'postOrder', 'call.lost_after', 'clock.*'];
  const { code, report } = await json('--reset', reset, '--settle', '0s', ...only, ...sale);
  expect(report.error?.message).toMatch(/--reset fails/);
  expect(report.findings).toHaveLength(1);
  expect(report).toMatchObject({ run: 1, not_run: { why: 'not measured' } });
  expect(code).toBe(3);
});

test('a pair of which one fault breaks one property is a finding of the other, with the repro of a run that broke it', async () => {
  let runs = 0;
  const data = { domain: 'auto-complete.test', expected_price: 199_900, currency: 'USD' };
  const args = await openWorkload(async (send) => {
    runs += 1;
    await send('GET', '/pricing?domain=auto-complete.test');
    // The runs of the pair are 5, 10 and 11, and those of its first fault alone 6 to 8.
    for (const key of [5, 10].includes(runs) ? ['a', 'b', 'c'] : ['a'])
      await send('POST', '/orders', { data: { ...data, buyer: { email: 'a@shop.example' } }, key });
    return runs < 5 || runs > 8;
  });
  const options = ['--pairs', '--workload-must-pass', '--only', 'call.error', '--settle', '0s'];
  const { findings } = (await json(...options, ...args)).report;
  expect(findings).toMatchObject([
    { property: 'workload.passes', rate: '3 of 3', faults: { length: 1 } },
    { property: 'traffic.sold_twice', rate: '2 of 3', faults: { length: 2 } },
  ]);
  const file = path.join(cwd, '.sandlot/explore', `${findings[1]?.id}.repro.gz`);
  const { state } = readRepro(fs.readFileSync(file));
  expect(state.filter(({ table }) => table === 'orders')).toHaveLength(2);
});

test('a search that has no time left says how long it takes, and what was not run', async () => {
  const args = ['--max-time', '1ms', '--only', 'call.late', '--client-timeout', '9m', ...sale];
  const { report } = await json(...args);
  expect(report).toMatchObject({ run: 0, not_run: { count: 2, why: 'time' } });
  expect((await explore(args, { cwd })).out).toContain('Plan: 2 faults, about 18m');
});

/** A workload that calls the control API before it sells a domain. */
function saleAfter(target: string, data: object): Promise<string[]> {
  return openWorkload(async (send, url) => {
    await new ControlClient({ baseUrl: url, fetch }).post(`/${target}`, data);
    return sell(send);
  });
}

test.each([
  ['worlds', { name: 'other' }],
  ['snapshots', { name: 'before' }],
  ['credentials', { key_id: 'dmk_shop', secret: 'dms_shop_0123456789' }],
])('what the workload creates in /%s is removed before the next run', async (target, data) => {
  const { code, report } = await json(...ONLY, ...(await saleAfter(target, data)));
  expect(report.findings).toMatchObject([{ property: 'traffic.sold_twice', faults: [FAULT] }]);
  expect(code).toBe(1);
});

test('a reset by the workload removes the fault, so that nothing is measured', async () => {
  const { code, report } = await json(...ONLY, ...(await saleAfter('reset', {})));
  expect(report.kinds).toEqual({ 'call.lost_after': { planned: 1, run: 0, acted: 0 } });
  expect(report.error?.message).toMatch(/The fault is gone. Does your test reset/);
  expect(report.findings).toEqual([]);
  expect(code).toBe(3);
});
