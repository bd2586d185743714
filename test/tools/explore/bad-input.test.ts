import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { CommandLineIo } from '../../../src/cli/io.ts';
import { ControlClient } from '../../../src/client/control-client.ts';
import { systemRuntime } from '../../../src/kernel/runtime.ts';
import { App } from '../../../src/tools/explore/app.ts';
import { Processes } from '../../../src/tools/explore/processes.ts';
import { freePorts } from '../../support/ports.ts';
import { emptyDirectory } from '../../support/sandlot-process.ts';
import { NODE } from './apps.ts';
import { explore, lineOf, openWorkload, sell, serve } from './explore.ts';

let cwd: string;
beforeEach(() => {
  cwd = emptyDirectory();
});
const json = (...args: string[]) => explore(['--json', ...args], { cwd });
async function expectWrongUsage(message: RegExp, ...args: string[]): Promise<void> {
  const { code, err, out } = await json(...args);
  expect(err).toMatch(message);
  expect(code).toBe(2);
  expect(JSON.parse(out)).toMatchObject({ error: { code: expect.any(String) } });
}
async function expectNotMeasured(message: RegExp | string, ...args: string[]) {
  const { code, report, err } = await json('--settle', '0s', ...args);
  expect(report.error?.message).toMatch(message);
  expect([code, report.error?.code]).toEqual([3, 'not_measured']);
  return { output: report.error?.output, err };
}
/** Leaves a file, so that a test sees that it was started. */
const WORKLOAD = ['--', 'touch', 'started'];
const READY = ['--ready', 'http://127.0.0.1:9/'];

describe('exits with 2 and starts nothing:', () => {
  test.each([
    [['--only', 'call.lat'], /--only: unknown id call.lat;.*Did you mean call.late/],
    [['--skip', 'postOrders#1'], /--skip: unknown id postOrders#1.*Did you mean postOrder/],
    [['--only', 'webhooks.*'], /--only: unknown id webhooks.*separated by spaces/],
    [['--only', ''], /--only.*must not be empty/],
    [['--settle', 'soon'], /--settle.*Expected a duration/],
    [['--client-timeout', '1h'], /--client-timeout.*at most 9m/],
    [['--client-timeout', '0s'], /--client-timeout/],
    [['--run-timeout', '-1s'], /--run-timeout/],
    [['--max-time', '0s'], /--max-time/],
    [['--max-time', '5'], /--max-time.*Expected a duration/],
    [['--webhook-url', '127.0.0.1:3000'], /--webhook-url.*Expected a URL/],
    [['--webhook-url', 'http://169.254.169.254/'], /--webhook-url: /],
    [['--app', 'touch started', '--ready', 'ftp://127.0.0.1/'], /--ready.*Expected a URL/],
    [['--app', 'touch started'], /--app: needs --ready/],
    [READY, /--ready: needs --app/],
    [['--restart-app'], /--restart-app: needs --app/],
    [['--catch-up', 'touch started'], /--catch-up: needs --app/],
    [['--port', '99999'], /--port/],
    [['--config', 'missing.json'], /missing.json/],
    [['--replay', 'missing.json'], /--replay: cannot read .*missing.json/],
  ])('%j', async (options, message) => {
    await expectWrongUsage(message, ...options, ...WORKLOAD);
    expect(fs.readdirSync(cwd)).toEqual([]);
  });

  test('no workload', () => expectWrongUsage(/command: is missing/, '--verbose'));

  const finding = {
    ...{ format: 1, id: 'exp_1', property: 'check', sentence: 'No.', workload: ['true'] },
    options: {},
    faults: [{ kind: 'call.error', point: 'postOrder#1 a.test' }],
  };
  const at = (kind: string, point: string) => ({ ...finding, faults: [{ kind, point }] });
  test.each([
    ['no JSON', '{"format": 1', /cannot read/],
    ['another format', { ...finding, format: 2 }, /it is not a finding: format/],
    ['no faults', { ...finding, faults: [] }, /it is not a finding: faults/],
    ['a NUL', { ...finding, workload: ['a\0b'] }, /it is not a finding: workload.0/],
    ['a wrong option', { ...finding, options: { ready: '/' } }, /not a finding: options.ready/],
    ['an unknown kind', at('call.eror', 'postOrder#1 a.test'), /call.eror cannot happen at post/],
    ['a point of no operation', at('call.error', 'constructor#1 a.test'), /at constructor#1 a/],
    ['a control character', at('call.error', 'postOrder#1 \u001b[2J'), /cannot happen/],
    ['a kind at another point', at('webhook.late', 'postOrder#1 a.test'), /late cannot happen/],
  ])('a finding with %s', async (_, content, message) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    fs.writeFileSync(path.join(cwd, 'exp_1.json'), text);
    for (const options of Object.entries({ '--findings': '.', '--replay': 'exp_1.json' }))
      await expectWrongUsage(message, ...options, ...WORKLOAD);
    expect(fs.readdirSync(cwd)).toEqual(['exp_1.json']);
  });

  test.each(['--list', '--pairs', '--only call.*'])('--replay with %s', async (other) => {
    fs.writeFileSync(path.join(cwd, 'exp_1.json'), JSON.stringify(finding));
    const options = ['--replay', 'exp_1.json', ...other.split(' ')];
    await expectWrongUsage(/--replay: cannot be used with/, ...options);
  });

  test.each(['file', 'file/below'])('no folder of findings: %s', async (folder) => {
    fs.writeFileSync(path.join(cwd, 'file'), '');
    await expectWrongUsage(/--findings: cannot use/, '--findings', folder, ...WORKLOAD);
    expect(fs.readdirSync(cwd)).toEqual(['file']);
  });
});

/** A shell command that writes 30 lines, and its last 20 lines. */
const WRITES = 'i=1; while [ $i -le 30 ]; do echo line $i; i=$((i+1)); done';
const LAST = Array.from({ length: 20 }, (_, at) => `line ${at + 11}`);

/** Options of an app that handles requests with this code. */
async function appOf(code: string): Promise<string[]> {
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}/`;
  const server = `require('node:http').createServer((request, response) => { ${code} })`;
  fs.writeFileSync(path.join(cwd, 'server.cjs'), `${server}.listen(${port})`);
  return ['--app', lineOf(NODE, 'server.cjs'), '--ready', url, '--webhook-url', url];
}

describe('exits with 3 and says why, with the last 20 lines:', () => {
  test.each([
    ['the workload fails', ['--', 'sh', '-c', `${WRITES}; exit 4`], /The workload fails/],
    ['a failing --reset', ['--reset', `${WRITES}; exit 4`, ...WORKLOAD], /--reset fails/],
    ['a failing --check', ['--check', `${WRITES}; exit 4`, ...WORKLOAD], /check does not hold/],
    ['a bad --state', ['--state', `${WRITES}; exit 4`, ...WORKLOAD], /--state: it exits with 4/],
    ['a state without JSON', ['--state', WRITES, ...WORKLOAD], /--state: it printed no JSON/],
    ['an app that exits', ['--app', `${WRITES}; exit 4`, ...READY, ...WORKLOAD], /exit code 4/],
  ])('%s', async (_, args, message) => {
    const { output, err } = await expectNotMeasured(message, ...args);
    expect(output).toEqual(LAST);
    expect(err).toContain(LAST.join('\n'));
  });

  test('the output of the command that fails, not of the app', async () => {
    const app = await appOf(`console.log('noise'); response.end();`);
    const failing = ['--catch-up', `${WRITES}; exit 4`, ...WORKLOAD];
    const { output } = await expectNotMeasured(/--catch-up fails/, ...app, ...failing);
    expect(output).toEqual(LAST);
  });

  const again = `'/_sandbox/events/' + JSON.parse(body).id + '/resend', { method: 'POST' }`;
  test.each([
    ['causes another', `fetch(process.env.SANDLOT_URL + ${again})`, /come due after 3s/, '# app'],
    ['crashes', `console.log('bug'); process.exit(1)`, /The app ended by itself/, 'bug'],
  ])('an app that %s at a webhook', async (_, atWebhook, message, lastLine) => {
    const app = await appOf(`response.end(); request.on('data', (body) => { ${atWebhook} });`);
    const args = await openWorkload((send) => sell(send));
    const { output } = await expectNotMeasured(message, '--run-timeout', '3s', ...app, ...args);
    expect(output?.at(-1)).toContain(lastLine);
  });

  test('a clean run that takes too long', async () => {
    const args = ['--run-timeout', '100ms', '--', 'sleep', '1234'];
    const { output } = await expectNotMeasured(/The workload fails/, ...args);
    expect(output?.at(-1)).toMatch(/Killed after 100ms/);
  });

  test.each([
    ['no array', `echo '{}'`, /it must print an array of sales/],
    ['a wrong row', `echo '[{"order":1,"domain":"a.test"}]'`, /0.order/],
    ['over 1 MB', 'head -c 1100000 /dev/zero', /it printed more than 1 MB/],
  ])('a state that is %s', async (_, state, message) => {
    await expectNotMeasured(message, '--state', state, ...WORKLOAD);
  });

  test('a held order that is settled in the app', async () => {
    const row = '{"order":"ord_0000001nxftxtca4","domain":"held-order.test","status":"SETTLED"';
    const args = await openWorkload((send) => sell(send, 'held'));
    const state = ['--state', lineOf('echo', `[${row},"pending":null}]`)];
    await expectNotMeasured(/status of order ord_\w+ is SETTLED/, ...state, ...args);
  });

  test.each([200, 302, 404])('something that already gives %i at --ready', async (status) => {
    const headers = { Location: 'http://127.0.0.1:9/' };
    const port = await serve((_, response) => response.writeHead(status, headers).end());
    const url = `http://127.0.0.1:${port}/`;
    const app = ['--app', 'touch started', '--ready', url];
    await expectNotMeasured(`Something responds at ${url}`, ...app, ...WORKLOAD);
    expect(fs.readdirSync(cwd)).toEqual(['.sandlot']);
  });

  test('a port that is in use', async () => {
    const port = await serve((request) => request.destroy());
    await expectNotMeasured(`port ${port} is in use`, '--port', String(port), ...WORKLOAD);
  });

  test.each([[[]], [['--list']]])('nothing to explore %j', async (options) => {
    await expectNotMeasured(/nothing to explore/, ...options, ...WORKLOAD);
  });

  test('only the second clean run fails', async () => {
    const args = ['--', 'sh', '-c', 'test ! -e seen && touch seen'];
    await expectNotMeasured(/Does the app keep state in memory/, ...args);
  });
});

function startProcesses(): Processes {
  const io = { cwd, runtime: systemRuntime } as CommandLineIo;
  const processes = new Processes(process.env, io, 60_000);
  onTestFinished(() => processes.close());
  return processes;
}

test('a webhook that a killed app missed, because the workload moved the clock by a day, is no finding', async () => {
  const args = await openWorkload(async (send, url) => {
    await sell(send);
    await new ControlClient({ baseUrl: url, fetch }).post('/clock/advance', { by: '1d' });
    return (await send('GET', '/orders')).status === 200;
  });
  const only = ['--only', 'app.killed_after_ack', 'order.recorded', '--settle', '0s'];
  const { report } = await json(...(await appOf('response.end();')), ...only, ...args);
  expect(report.findings).toEqual([]);
  expect(report.kinds).toEqual({ 'app.killed_after_ack': { planned: 1, run: 1, acted: 1 } });
});

test('an app that does not respond with 2xx within 15 s is not ready', async () => {
  let now = 0;
  const runtime = { ...systemRuntime, monotonic: () => (now += 5_000) };
  const processes = startProcesses();
  const ready = 'http://127.0.0.1:9/';
  const fetch = async () => new Response('', { status: 503 });
  const app = new App({ command: 'sleep 1234', ready, processes, fetch, runtime });
  expect(await app.start()).toBe(`${ready} did not respond with 2xx within 15 s`);
});

test('a command that waits for all its children ends', async () => {
  const { code } = await startProcesses().run('waits', ['perl', '-e', '1 while wait > 0']);
  expect(code).toBe(0);
});

test('a kill ends a child that has left the group (where /proc tells it)', async () => {
  const processes = startProcesses();
  const leave = 'if (!fork) { setsid; print $$ } sleep 1234';
  const { kill } = processes.start('leaves', `perl -MPOSIX -e '$| = 1; ${leave}'`);
  await expect.poll(() => processes.log).toMatch(/\d$/);
  const { output } = await kill();
  await expect.poll(() => fs.existsSync(`/proc/${output}/exe`)).toBe(false);
});

test('a process that has left the group of its command keeps no pipe open', async () => {
  const pipes = () => process.getActiveResourcesInfo().filter((name) => name === 'PipeWrap');
  const before = pipes();
  const leave = 'if (fork) { wait; exit } setsid; if ($p = fork) { print $p; exit } sleep 1234';
  const { output } = await startProcesses().run('leaves', `perl -MPOSIX -e '${leave}'`);
  await expect.poll(pipes).toEqual(before);
  process.kill(Number(output));
});

test('an output that is cut begins with a whole line, because half a secret is not redacted', async () => {
  const { output } = await startProcesses().run('long', 'yes secret | head -n 20000');
  expect(output).toMatch(/^(?:secret\n){9000,}$/);
  const endless = `head -c 300000 /dev/zero | tr '\\0' x; printf secret`;
  expect((await startProcesses().run('endless', endless)).output).toBe('');
});

test('control characters in the output of commands are escaped', async () => {
  const writes = `printf '\\033[31mred\\007\\n'; exit 1`;
  const { out, err } = await explore(['--settle', '0s', '--check', writes, ...WORKLOAD], { cwd });
  expect(err).toContain('[31mred');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  expect(out + err).not.toMatch(/[\x00-\x08\x0b-\x1f]/);
});

test('secrets in the output of commands are redacted', async () => {
  const check =
    'env | grep SECRET > secrets; echo "$SANDLOT_SECRET $SANDLOT_WEBHOOK_SECRET"; exit 1';
  const args = await openWorkload((send) => sell(send));
  const { out, err } = await explore(['--settle', '0s', '--json', '--check', check, ...args], {
    cwd,
    env: { SANDLOT_WEBHOOK_SECRET: 'whsec_of_the_partner_17' },
  });
  const secrets = fs.readFileSync(path.join(cwd, 'secrets'), 'utf8').trim().split('\n');
  expect(secrets.length).toBeGreaterThanOrEqual(2);
  for (const secret of secrets) expect(out + err).not.toContain(secret.split('=')[1]);
});
