import { execFileSync } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Config } from '../../src/config/schema.ts';
import { ControlClient, type Key } from '../../src/index.ts';
import { describeExposure } from '../../src/server/exposure.ts';
import { DEFAULT_DATA_DIR, findServerOf } from '../../src/server/record.ts';
import { command } from '../support/command-server.ts';
import { mint } from '../support/orders.ts';
import { sandbox } from '../support/sandbox.ts';
import { emptyDirectory, sandlot } from '../support/sandlot-process.ts';
import { serverFor } from '../support/server.ts';

const TOKEN = '16 letters exact';
const SMALL = ['--inventory', '20'];
const OPEN = ['--host', '0.0.0.0', '--port', '0', ...SMALL];

const withToken = (token = TOKEN) => ({ ...process.env, SANDLOT_CONTROL_TOKEN: token });

/** Starts beyond loopback, as a process of its own that is stopped when the test ends. */
function startOpen(cwd: string, args: string[] = [], env: NodeJS.ProcessEnv = withToken()) {
  const started = sandlot(cwd, ['start', '--detach', '--json', ...OPEN, ...args], env);
  if (started.status !== 0) return { ...started, running: undefined };
  onTestFinished(async () => {
    await command(cwd, ['stop'], withToken());
  });
  return { ...started, running: JSON.parse(started.stdout) as Status };
}

/** Starts beyond loopback in this process. */
async function openHere(cwd: string, settings: Config = {}) {
  const open = { host: '0.0.0.0', port: 0, inventory: 20, control_token: TOKEN, ...settings };
  const server = await serverFor({ ...open, data_dir: path.join(cwd, DEFAULT_DATA_DIR) });
  return { ...server, says: describeExposure(open, server.sandbox.status().seed).join('\n') };
}

interface Status {
  url: string;
  pid: number;
  credential: Key | null;
}

function controlOf(url: string, token: string | undefined = TOKEN): ControlClient {
  return new ControlClient({ baseUrl: url, fetch, token });
}

describe('beyond loopback, start', () => {
  test('without a control token, or with a short one, says what is needed and starts nothing', async () => {
    for (const env of [withToken(''), withToken('only 15 letters')]) {
      const cwd = emptyDirectory();
      const { status, stderr } = await command(cwd, ['start', '--detach', ...OPEN], env);
      expect(status).toBe(2);
      expect(stderr).toMatch(/control_token: .*at least 16 characters/);
      expect(stderr).not.toContain('15 letters');
      expect(fs.readdirSync(cwd)).toEqual([]);
    }
  });

  test('creates no credential and no key that anyone knows, says so, and is found', async () => {
    const keys: Key[] = [];
    // Not every machine knows its own name.
    const name = await lookup(os.hostname()).then(os.hostname, () => '0.0.0.0');
    for (const host of ['0.0.0.0', name]) {
      const cwd = emptyDirectory();
      const { url, sandbox, says, close } = await openHere(cwd, { host });
      expect(findServerOf(path.join(cwd, DEFAULT_DATA_DIR))).toBeDefined();
      expect(sandbox.status().credential).toBeNull();
      expect(says).toMatch(/control API requires the control token/);
      expect(says).toMatch(/no default credential/);
      expect(says).toMatch(/system's random source/);
      const control = controlOf(url);
      expect(await control.get('/credentials')).toMatchObject({ credentials: [] });
      keys.push(await control.post<Key>('/credentials', { partner: 'acme' }));
      await control.post('/worlds', { name: 'w' });
      keys.push(await control.in('w').post<Key>('/credentials', { partner: 'acme' }));
      await close();
      const withIgnoredSeed = await openHere(cwd, { host, seed: 'another' });
      expect(withIgnoredSeed.says).toMatch(/system's random source/);
      keys.push(await controlOf(withIgnoredSeed.url).post<Key>('/credentials', {}));
    }
    expect(new Set(keys.flatMap(({ key_id, secret }) => [key_id, secret])).size).toBe(12);
  });

  test('with --default-credential and --seed makes the well-known ones, and says so', async () => {
    const wellKnown = ['--default-credential', '--seed', 'sandlot'];
    const { running, stderr } = startOpen(emptyDirectory(), wellKnown);
    expect(running?.credential).toMatchObject({ key_id: 'dmk_sandbox_local' });
    expect(stderr).toMatch(/secret is public/);
    expect(stderr).toMatch(/keys follow from --seed/);
    const key = await controlOf(running?.url ?? '').post<Key>('/credentials', {});
    expect(key.secret).toBe((await mint(await sandbox())).secret);
  });

  test('does not open a state of a loopback address as if its keys were secret', async () => {
    const cwd = emptyDirectory();
    const onLoopback = await openHere(cwd, { host: '127.0.0.1' });
    await controlOf(onLoopback.url).post('/credentials', {});
    await onLoopback.close();
    const reason = /keys of world default follow from the default seed.*--seed/;
    await expect(openHere(cwd)).rejects.toThrow(reason);
    await expect(openHere(cwd, { seed: 'another' })).rejects.toThrow(reason);
    const asked = await openHere(cwd, { seed: 'sandlot' });
    expect(asked.sandbox.status().credential).toBeNull();
    const list = await controlOf(asked.url).get('/credentials');
    expect(list).toMatchObject({ credentials: [{}] });
  });
});

describe('the control token', () => {
  /** The arguments of every process of this machine. */
  const allArguments = () => execFileSync('ps', ['-A', '-ww', '-o', 'args='], { encoding: 'utf8' });

  test.each<[string, (cwd: string) => { args: string[]; env: NodeJS.ProcessEnv }]>([
    ['in an argument', () => ({ args: ['--control-token', TOKEN], env: withToken('another one') })],
    [
      'in a file',
      (cwd) => {
        fs.writeFileSync(path.join(cwd, 'token'), `${TOKEN}\n`);
        return { args: ['--control-token-file', 'token'], env: withToken('') };
      },
    ],
  ])('%s is required by the server and in no process list', async (_where, give) => {
    const cwd = emptyDirectory();
    const { args, env } = give(cwd);
    const { running } = startOpen(cwd, args, env);
    expect(running).toBeDefined();
    if (os.platform() !== 'win32') expect(allArguments()).not.toContain(TOKEN);
    await expect(controlOf(running?.url ?? '', 'wrong').get('/status')).rejects.toMatchObject({
      status: 401,
    });
    expect(await controlOf(running?.url ?? '').get('/status')).toMatchObject({ pid: running?.pid });
    expect(fs.readFileSync(path.join(cwd, '.sandlot/server.log'), 'utf8')).not.toContain(TOKEN);
    expect(fs.readFileSync(path.join(cwd, '.sandlot/server.json'), 'utf8')).not.toContain(TOKEN);
    const status = ['status', '--json', ...(args[0]?.endsWith('-file') ? args : [])];
    expect(
      (await command(cwd, status, args[0]?.endsWith('-file') ? env : withToken())).status,
    ).toBe(0);
  });

  test('in the environment guards the sandbox of exec, and nothing beside the command shows it', () => {
    const script = `
      const { execFileSync } = require('node:child_process');
      fetch(process.env.SANDLOT_URL + '/_sandbox/status').then(({ status }) => {
        console.log(JSON.stringify({
          status,
          token: process.env.SANDLOT_CONTROL_TOKEN,
          args: execFileSync('ps', ['-A', '-ww', '-o', 'args='], { encoding: 'utf8' }),
        }));
      });`;
    const words = ['exec', ...SMALL, '--', process.execPath, '-e', script];
    const { stdout } = sandlot(emptyDirectory(), words, withToken());
    const seen = JSON.parse(stdout) as { status: number; token: string; args: string };
    expect(seen).toMatchObject({ status: 401, token: TOKEN });
    expect(seen.args).not.toContain(TOKEN);
  });

  test.each([
    [['--control-token', 'a', '--control-token-file', 'token'], /pass either this or/],
    [['--control-token-file', 'nowhere'], /cannot read nowhere: file not found/],
    [['--control-token-file', 'empty'], /empty is empty/],
    [['--control-token-file', 'two-lines'], /control token: must be one line of ASCII/],
    [['--control-token', 'Schlüssel'], /control token: must be one line of ASCII/],
  ])('given as %j is wrong usage', async (args, message) => {
    const cwd = emptyDirectory();
    fs.writeFileSync(path.join(cwd, 'empty'), '\n');
    fs.writeFileSync(path.join(cwd, 'two-lines'), `${TOKEN}\nnext`);
    for (const name of ['start', 'status']) {
      const { status, stderr } = await command(cwd, [name, ...args]);
      expect(status).toBe(2);
      expect(stderr).toMatch(message);
      expect(stderr).not.toContain(TOKEN);
    }
  });
});
