import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseConfig } from '../../src/config/read-config.ts';
import type { Config } from '../../src/config/schema.ts';
import { DEFAULT_DATA_DIR } from '../../src/server/record.ts';
import { command } from '../support/command-server.ts';
import { freePorts } from '../support/ports.ts';
import { BIN, emptyDirectory, ROOT, sandlot, startProcess } from '../support/sandlot-process.ts';
import { serverFor } from '../support/server.ts';

const SMALL = ['--inventory', '50'];

/** Starts a server in this process, with its state in a folder, and closes it after the test. */
function startHere(cwd: string, settings: Config = {}) {
  const data_dir = path.join(cwd, DEFAULT_DATA_DIR);
  return serverFor({ port: 0, inventory: 10, ...settings, data_dir });
}

test('a second start on the same state says who holds it, the first goes on, and SIGTERM ends it with 0 and one clean file', async () => {
  const cwd = emptyDirectory();
  const server = await startProcess(cwd, ...SMALL);
  const dataDir = path.join(cwd, DEFAULT_DATA_DIR);
  const second = await command(cwd, ['start', '--port', '0', '--data-dir', dataDir]);
  expect(second.status).toBe(1);
  expect(second.stderr).toContain(
    `pid ${server.child.pid} at ${server.url}; stop it with \`sandlot stop --url ${server.url}\``,
  );
  expect(await (await fetch(`${server.url}/_sandbox/health`)).json()).toEqual({ status: 'ok' });
  expect(await server.end('SIGTERM')).toBe(0);
  expect(fs.readdirSync(path.join(cwd, '.sandlot/worlds'))).toEqual(['default.db', 'id-series']);
  expect(fs.existsSync(path.join(cwd, '.sandlot/server.json'))).toBe(false);
  expect(fs.readFileSync(path.join(cwd, '.sandlot/.gitignore'), 'utf8')).toBe('*\n');
});

test('a port in use is an error that says who listens there', async () => {
  const { port } = new URL((await startHere(emptyDirectory())).url);
  const second = await command(emptyDirectory(), ['start', '--ephemeral', '--port', port]);
  expect(second.status).toBe(1);
  expect(second.stderr).toContain(`port ${port} is in use by sandlot with pid ${process.pid}`);
});

test('start --detach returns when ready, a second one leaves its log alone, and status and stop find it by the folder', async () => {
  const cwd = emptyDirectory();
  const detached = ['start', '--detach', '--port', '0'];
  const asked = ['--seed', 'one', '--inventory', '5', '--frozen-at', '2026-01-05T09:00:00Z'];
  const started = sandlot(cwd, [...detached, '--json', ...asked]);
  expect(started).toMatchObject({ status: 0, stderr: '' });
  const { url } = JSON.parse(started.stdout) as { url: string };
  const log = path.join(cwd, '.sandlot/server.log');
  const before = fs.readFileSync(log, 'utf8');
  const second = sandlot(cwd, detached);
  expect(second.status).toBe(1);
  expect(second.stderr).toMatch(/^error: the state in .* is in use by sandlot with pid \d+/);
  const after = fs.readFileSync(log, 'utf8');
  expect(after.startsWith(before)).toBe(true);
  expect(after).not.toContain('secret');
  const status = await command(cwd, ['status', '--json']);
  const rate_limits = { search: 60, write: 20, reporting: 30, default: 120 };
  expect(JSON.parse(status.stdout)).toMatchObject({ url, rate_limits });
  const stopped = await command(cwd, ['stop', '--json']);
  expect(JSON.parse(stopped.stdout)).toEqual({ stopped: true, url });
  expect((await command(cwd, ['status', '--url', url])).status).toBe(3);

  // The state has its own seed, inventory and clock.
  const others = ['--seed', 'two', '--inventory', '6', '--frozen-at', '2027-01-05'];
  const folder = path.join(fs.realpathSync(cwd), '.sandlot');
  const warning = `warning: --seed (it is one), --inventory (it is 5), --frozen-at (the clock is frozen at 2026-01-05T09:00:00.000Z): ignored, because the state in ${folder} has its own; start with another --data-dir or --ephemeral, or delete that folder\n`;
  expect(sandlot(cwd, [...detached, ...others])).toMatchObject({ status: 0, stderr: warning });
  expect((await command(cwd, ['stop'])).status).toBe(0);
});

test('an invalid configuration file is reported with line and reason before anything starts', async () => {
  const cwd = emptyDirectory();
  const file = path.join(cwd, 'sandlot.config.json');
  fs.writeFileSync(file, '{\n  // a comment is fine\n  "port": 0,\n  "sead": "x"\n}\n');
  const { status, stderr } = await command(cwd, ['start', '--config', file]);
  expect(status).toBe(2);
  expect(stderr).toContain('sandlot.config.json:4: sead: unknown setting');
  expect(fs.readdirSync(cwd)).toEqual(['sandlot.config.json']);
  // Only the server reads the lines of an inventory file.
  fs.writeFileSync(path.join(cwd, 'names.csv'), 'domain,price_cents\nbad\n');
  fs.writeFileSync(file, '{ "inventory_files": [{ "file": "names.csv" }] }');
  for (const start of [['start'], ['start', '--detach']]) {
    expect(sandlot(cwd, [...start, '--port', '0'])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^error: inventory_files: .*names\.csv: line 2: .*\nSee: /),
    });
  }
  fs.rmSync(file);
  fs.symlinkSync('missing.json', file);
  const unread = sandlot(cwd, ['exec', '--', 'true']);
  expect(unread.stderr).toContain('sandlot.config.json: cannot be read: file not found');
});

test('configured credentials and webhooks exist from the start, and follow the file', async () => {
  const cwd = emptyDirectory();
  for (const secret of ['first-secret', 'second-secret']) {
    const text = JSON.stringify({
      credentials: [{ key_id: 'dmk_pinned', secret, partner: 'acme', scopes: ['search'] }],
      webhooks: [{ partner: 'acme', url: 'http://127.0.0.1:9/', secret: 'whsec' }],
    });
    const server = await startHere(cwd, parseConfig(text, 'my.json'));
    const response = await fetch(`${server.url}/_sandbox/credentials/dmk_pinned`);
    expect(await response.json()).toMatchObject({ secret, partner: 'acme', scopes: ['search'] });
    await server.close();
  }
});

test('start prints its address under a process manager that has a channel to it', async () => {
  const child = spawn(process.execPath, [BIN, 'start', '--port', '0', '--ephemeral', ...SMALL], {
    cwd: emptyDirectory(),
    stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [printed] = await once(child.stdout ?? child, 'data');
  expect(String(printed)).toMatch(/^● sandlot .* at http:/);
});

test('init writes a configuration that start takes as it is', async () => {
  const cwd = emptyDirectory();
  expect((await command(cwd, ['init'])).status).toBe(0);
  expect((await command(cwd, ['init'])).status).toBe(2);
  expect(await (await startProcess(cwd)).end('SIGHUP')).toBe(0);
});

test('a signal that arrives twice, as Ctrl-C does below npm, lets the server finish what is in flight', async () => {
  const { url, child } = await startProcess(emptyDirectory(), '--ephemeral', ...SMALL);
  const isOpen = () => fetch(`${url}/_sandbox/health`).then(Boolean, () => false);
  const reset = http.request(`${url}/_sandbox/reset`, { method: 'POST' });
  reset.write('{');
  expect(await isOpen()).toBe(true);
  const exit = once(child, 'exit');
  child.kill('SIGINT');
  await expect.poll(isOpen).toBe(false);
  child.kill('SIGINT');
  expect(await once(reset.end('}'), 'response')).toMatchObject([{ statusCode: 200 }]);
  expect(await exit).toEqual([0, null]);
});

test('on a Node.js that is too old, command and createSandbox() say so in one sentence, not hidden behind code', () => {
  const pretend =
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, napi: '9', node: '20.20.2' } });";
  const stderrOf = (use: string) => {
    const { status, stderr } = spawnSync(process.execPath, ['-e', pretend + use, '--', 'start']);
    expect(status).toBe(1);
    return String(stderr);
  };
  const sentence = 'sandlot needs Node.js 22.14 or newer; this is Node.js 20.20.2.\n';
  expect(stderrOf(`require(${JSON.stringify(BIN)})`)).toBe(sentence);
  const index = JSON.stringify(path.join(ROOT, 'dist/index.cjs'));
  const [code, error] = stderrOf(`require(${index}).createSandbox()`).split('\nError: ');
  expect(error?.startsWith(sentence)).toBe(true);
  expect(code?.length).toBeLessThan(300);
});

test('exec uses a free port, not that of the configuration file, hands address, key and control token on, and exits as the command does', () => {
  const cwd = emptyDirectory();
  const port = 4019;
  fs.writeFileSync(path.join(cwd, 'sandlot.config.json'), `{ "port": ${port}, "inventory": 10 }`);
  const script = `printenv SANDLOT_URL SANDLOT_KEY_ID SANDLOT_SECRET && ${JSON.stringify(process.execPath)} ${JSON.stringify(BIN)} idle && exit 42`;
  const args = ['exec', '--control-token', 'tok', '--', 'sh', '-c', script];
  const { status, stdout } = sandlot(cwd, args);
  expect(status).toBe(42);
  expect(stdout).toMatch(/^http:\S+\ndmk_sandbox_local\ndms_\w+\n/);
  expect(stdout).not.toContain(`:${port}`);
  expect(fs.readdirSync(cwd)).toEqual(['sandlot.config.json']);
});

test('of a server killed with -9, stop and wait ignore the record, and the state is free for the next start', async () => {
  const [killed, other] = [emptyDirectory(), emptyDirectory()];
  const [port = 0] = await freePorts(1);
  const first = await startProcess(killed, ...SMALL, '--port', String(port));
  await first.end('SIGKILL');
  const second = await startHere(other, { port });
  // What runs at the default address, to which it turns, is that of another folder.
  expect((await command(killed, ['stop'])).status).not.toBe(0);
  expect((await fetch(`${second.url}/_sandbox/health`)).status).toBe(200);
  const waiting = command(killed, ['wait', '--ready', '--timeout', '1m']);
  expect((await startHere(killed)).url).not.toBe(first.url);
  expect((await waiting).status).toBe(0);
});

test('a detached server in memory leaves nothing behind, whether it was stopped or could not start', async () => {
  const cwd = emptyDirectory();
  // A second -d that reached the detached process would start another one there, and so on.
  const start = (port: string, killIf = `process.argv.includes('-dd')`) => {
    const NODE_OPTIONS = `--import=data:text/javascript,process.env.SANDLOT_DETACHED&&${killIf}&&process.kill(process.pid,9)`;
    const args = ['start', '-dd', '--ephemeral', '--json', '--port', port, ...SMALL];
    return sandlot(cwd, args, { ...process.env, NODE_OPTIONS });
  };
  const { port } = new URL(JSON.parse(start('0').stdout).url);
  expect(start(port).stderr).toContain(`port ${port}`);
  expect(start('0', 'true').stderr).toMatch(/ended with exit code \d/);
  expect((await command(cwd, ['stop'])).status).toBe(0);
  await expect.poll(() => fs.readdirSync(cwd)).toEqual([]);
});
