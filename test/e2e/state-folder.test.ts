import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../support/command-server.ts';
import { BIN, emptyDirectory, sandlot } from '../support/sandlot-process.ts';
import { serverFor } from '../support/server.ts';

const SMALL = ['--inventory', '50'];

/** Path and mode of a folder and of all that is in it. */
function modesIn(folder: string): Record<string, string> {
  const names = ['', ...fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })];
  return Object.fromEntries(
    names.map((name) => {
      const { mode } = fs.statSync(path.join(folder, name));
      return [name || '.', (mode & 0o777).toString(8)];
    }),
  );
}

function expectPrivate(folder: string): void {
  const modes = modesIn(folder);
  const isFolder = (name: string) => fs.statSync(path.join(folder, name)).isDirectory();
  const expected = Object.keys(modes).map((name) => [name, isFolder(name) ? '700' : '600']);
  expect(modes).toEqual(Object.fromEntries(expected));
}

const startHere = (data_dir: string) => serverFor({ port: 0, inventory: 20, data_dir });

const START = ['start', '--detach', '--port', '0', ...SMALL];

test('the state folder and every file in it can be read by their owner only', async () => {
  const cwd = emptyDirectory();
  const state = path.join(cwd, '.sandlot');
  expect(sandlot(cwd, START).status).toBe(0);
  expect((await command(cwd, ['worlds', 'create', 'w1'])).status).toBe(0);
  expect((await command(cwd, ['snapshots', 'save', 's1'])).status).toBe(0);
  expect((await command(cwd, ['request', 'GET', '/api/partner/v1/orders'])).status).toBe(0);
  expect((await command(cwd, ['requests', 'list'])).status).toBe(0);
  expectPrivate(state);
  expect(Object.keys(modesIn(state))).toEqual(
    expect.arrayContaining([
      'lock',
      'server.json',
      'server.log',
      'worlds/default.db-wal',
      'worlds/w1.db',
      'snapshots/default/s1.db',
      'requests.db',
      'requests.db-wal',
    ]),
  );
  expect((await command(cwd, ['stop'])).status).toBe(0);
  expectPrivate(state);
});

test('a state folder that other users can enter is closed to them by the next start', async () => {
  const cwd = emptyDirectory();
  const state = path.join(cwd, '.sandlot');
  await (await startHere(state)).close();
  fs.chmodSync(state, 0o755);
  await startHere(state);
  expectPrivate(state);
});

test('a data dir that holds other things keeps its mode, and what sandlot makes in it is private and ignored by git, but nothing else', async () => {
  const cwd = emptyDirectory();
  fs.writeFileSync(path.join(cwd, 'package.json'), '{}');
  fs.chmodSync(cwd, 0o755);
  fs.chmodSync(path.join(cwd, 'package.json'), 0o644);
  await startHere(cwd);
  expect(fs.readFileSync(path.join(cwd, '.gitignore'), 'utf8')).toMatch(/^(?:\/[a-z.*-]+\n)+$/);
  expect(modesIn(cwd)).toMatchObject({
    '.': '755',
    'package.json': '644',
    worlds: '700',
    'worlds/default.db': '600',
    lock: '600',
  });
});

const file = (name: string, text: string) => (cwd: string) => {
  fs.mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
  fs.writeFileSync(path.join(cwd, name), text);
};
const DAMAGED = `SQLite format 3\0${'x'.repeat(5_000)}`;

const IN_THE_WAY: [what: string, prepare: (cwd: string) => void, dataDir: string, says: RegExp][] =
  [
    ['a file', file('state', 'x'), 'state', /EEXIST: .*state'; choose another folder/],
    ['below /proc', () => {}, '/proc/sandlot/state', /ENOENT: .*'\/proc\/sandlot/],
    ['a damaged lock', file('state/lock', DAMAGED), 'state', /lock cannot be used as the lock/],
    [
      'a damaged world',
      file('state/worlds/default.db', 'no database'),
      'state',
      /default\.db cannot be used: it is damaged/,
    ],
    ['a file as its worlds', file('state/worlds', ''), 'state', /E\w+: .*worlds'; choose another/],
  ];

test.each(IN_THE_WAY)('a start says what is wrong with its data dir: %s', async (...each) => {
  const [, prepare, dataDir, says] = each;
  const cwd = emptyDirectory();
  prepare(cwd);
  const folder = path.resolve(cwd, dataDir);
  const { status, stderr } = await command(cwd, ['start', '--port', '0', '--data-dir', folder]);
  expect(stderr).toMatch(says);
  expect(stderr).not.toMatch(/bug in sandlot|\n\s+at /);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(status).toBe(1);
});

test('a second sandbox in the same process leaves the state locked', async () => {
  const state = path.join(emptyDirectory(), 'state');
  await startHere(state);
  await expect(startHere(state)).rejects.toThrow('in use');
  const { stdout } = sandlot(emptyDirectory(), ['doctor', '--port', '0', '--data-dir', state]);
  expect(stdout).toContain(`${state}, in use by the sandbox with pid ${process.pid}`);
});

test('a working directory that was deleted is an error in one sentence', () => {
  const cwd = emptyDirectory();
  const script = 'rmdir "$PWD" && exec "$0" "$1" start --port 0';
  const options = { cwd, encoding: 'utf8' } as const;
  const { status, stderr } = spawnSync('sh', ['-c', script, process.execPath, BIN], options);
  expect(stderr).toBe('error: the working directory no longer exists; change to another one\n');
  expect(status).toBe(1);
});
