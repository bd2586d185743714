import fs from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { createContext } from '../../src/cli/context.ts';
import { type CommandLineIo, readEnvironment } from '../../src/cli/io.ts';
import type { Fetch } from '../../src/client/fetch.ts';
import { findStartedIn, writeServerRecord } from '../../src/server/record.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { serverFor } from '../support/server.ts';
import { stateFolder } from '../support/state-folder.ts';
import { commandLine, nobodyThere } from './command-line.ts';

const serverIn = (workingDir: string) =>
  serverFor(
    { ephemeral: true, port: 0, inventory: 20 },
    { tools: TOOLS, workingDir, onStop: () => {} },
  );

/** A command line in folder `b`, where the sandbox of folder `a` listens on the default port, here and on another machine. */
async function besideOther() {
  const [a, b] = [stateFolder(), stateFolder()];
  fs.writeFileSync(path.join(b, 'names.csv'), 'domain,price_cents\nnew.example,1000\n');
  const serverA = await serverIn(a);
  const changes: string[] = [];
  const redirected: Fetch = (url, init) => {
    const { origin, pathname, search } = new URL(url);
    if (init?.method !== 'GET') changes.push(origin);
    const base = origin.endsWith(':4010') ? serverA.url : origin;
    return fetch(`${base}${pathname}${search}`, init as RequestInit);
  };
  return { a, b, serverA, changes, run: commandLine(undefined, { cwd: b, fetch: redirected }) };
}

const DISCARDING = [
  'stop',
  'reset',
  'requests clear',
  'worlds delete w1',
  'snapshots restore s1',
  'inventory import names.csv --mode replace',
];

test.each(DISCARDING)(
  '%s is refused for the sandbox of another folder: exit 2 with both addresses, nothing changed',
  async (line) => {
    const { a, b, serverA, run, changes } = await besideOther();
    const expectRefused = async (says: string, env = {}) => {
      const { code, stderr } = await run(line, { env });
      expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
      expect(changes).toEqual([]);
    };
    const alone = `is the sandbox of ${a}, and no sandbox runs in ${b}; nothing was changed.`;
    await expectRefused(`http://127.0.0.1:4010 (the default address) ${alone}`);
    const serverB = await serverIn(b);
    await expectRefused(
      `${serverA.url} (SANDLOT_URL) is the sandbox of ${a}, and the sandbox of ${b} is at ${serverB.url}`,
      { SANDLOT_URL: serverA.url },
    );
    await serverB.close();
    // A record that a kill has left, whose pid another process has.
    const record = { url: serverA.url, pid: process.ppid, started_at: '2026-03-02T09:00:00.000Z' };
    writeServerRecord(record, { startedIn: path.join(b, '.sandlot') });
    await expectRefused(`started-${process.ppid}.json) ${alone}`);
  },
);

test('a command that discards state reaches the sandbox that --url names, from any folder', async () => {
  const { run, changes } = await besideOther();
  expect((await run('reset --url http://127.0.0.1:4010')).code).toBe(0);
  expect(changes).toEqual(['http://127.0.0.1:4010']);
});

test('commands reach the sandbox in memory that was started in their folder, not the one on the default port', async () => {
  const { b, run, changes } = await besideOther();
  const serverB = await serverIn(b);
  const { code, sandboxLine } = await run('reset');
  expect(code).toBe(0);
  expect(sandboxLine).toBe(`sandbox: ${serverB.url}\n`);
  expect(changes).toEqual([serverB.url]);
  expect((await run('status --json')).json()).toMatchObject({ url: serverB.url });
});

test('a command that changes something prints the address and another folder on stderr; one that reads does not', async () => {
  const { a, run } = await besideOther();
  const created = await run('worlds create w1 --json');
  expect(created.json()).toMatchObject({ name: 'w1' });
  expect(created.sandboxLine).toBe(`sandbox: http://127.0.0.1:4010, started in ${a}\n`);
  const quote = await run(`request POST /api/partner/v1/quotes --data '{"domain":"a.test"}'`);
  expect(quote.sandboxLine).toContain('http://127.0.0.1:4010');
  for (const line of ['worlds list', 'request GET /api/partner/v1/orders', 'idle']) {
    expect((await run(line)).sandboxLine, line).toBeUndefined();
  }
});

test('a folder that could not be checked is checked before the next change, or never without a token', async () => {
  const write = vi.fn();
  const there: Fetch = async () => Response.json({ working_dir: '/a' });
  const fetch = vi.fn(there).mockImplementationOnce(nobodyThere);
  const io = { stdout: { write }, stderr: { write }, cwd: '/b', fetch } as unknown as CommandLineIo;
  const contextOf = () => createContext({}, io, readEnvironment({}), [], 'changes');
  const { beforeChange } = contextOf();
  await expect(beforeChange()).rejects.toThrow('no sandbox responds');
  await beforeChange();
  await beforeChange();
  const error = { code: 'missing_credentials', message: 'Authorization: missing' };
  fetch.mockResolvedValue(Response.json({ error }, { status: 401 }));
  await contextOf().beforeChange();
  const line = 'sandbox: http://127.0.0.1:4010';
  expect(write.mock.calls).toEqual([[`${line}, started in /a\n`], [`${line}\n`]]);
});

test('a sandbox on another machine that SANDLOT_URL names has no folder here', async () => {
  const { run } = await besideOther();
  expect((await run('reset', { env: { SANDLOT_URL: 'http://sandlot:4010' } })).code).toBe(0);
});

test('the folder of a stopped sandbox in memory has nothing of it left', async () => {
  const folder = stateFolder();
  const server = await serverIn(folder);
  const own = `started-${process.pid}.json`;
  expect(fs.readdirSync(path.join(folder, '.sandlot'))).toEqual(['.gitignore', own]);
  await server.close();
  expect(fs.readdirSync(folder)).toEqual([]);
});

test('of several sandboxes that were started in a folder, the newest that runs is found', () => {
  const folder = stateFolder();
  const add = (minute: number, pid: number, where: 'dataDir' | 'startedIn' = 'startedIn') => {
    const url = `http://127.0.0.1:400${minute}`;
    const record = { pid, url, started_at: `2026-03-02T09:0${minute}Z` };
    return writeServerRecord(record, { [where]: folder });
  };
  const found = () => findStartedIn(folder)?.url;
  const ENDED = 2 ** 22 + 1;
  const removeFirst = add(1, process.pid, 'dataDir');
  const removeSecond = add(2, process.ppid);
  expect(found()).toBe('http://127.0.0.1:4002');
  removeSecond();
  expect(found()).toBe('http://127.0.0.1:4001');
  removeFirst();
  add(1, ENDED, 'dataDir');
  expect(found()).toBeUndefined();
  add(3, process.pid);
  add(4, ENDED);
  // As while another sandbox writes its record.
  const reading = vi.spyOn(fs, 'readFileSync').mockReturnValue('');
  const removeNewest = add(5, process.ppid);
  reading.mockRestore();
  expect(fs.readdirSync(folder)).not.toContain(`started-${ENDED}.json`);
  expect(found()).toBe('http://127.0.0.1:4005');
  const copy = stateFolder();
  fs.cpSync(folder, copy, { recursive: true });
  expect(findStartedIn(copy)).toBeUndefined();
  removeNewest();
  expect(found()).toBe('http://127.0.0.1:4003');
});

test('a sandbox in a folder that cannot be written is served without a record', () => {
  const file = path.join(stateFolder(), 'file');
  fs.writeFileSync(file, '');
  const record = { url: 'http://127.0.0.1:4010', pid: 1, started_at: '2026-03-02T09:00:00.000Z' };
  writeServerRecord(record, { startedIn: path.join(file, '.sandlot') })();
  expect(fs.readFileSync(file, 'utf8')).toBe('');
});
