import { execFile } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { sandbox } from '../support/sandbox.ts';
import { emptyDirectory, ROOT } from '../support/sandlot-process.ts';
import { missingPrograms } from '../support/shared-deployment.ts';

const runs = missingPrograms().every((name) => name !== 'curl' && name !== 'socat');

let folder: string;
let processes: Record<'p1' | 'p2' | 'p3', InProcessSandbox>;

beforeEach(async () => {
  folder = emptyDirectory();
  fs.cpSync(path.join(ROOT, 'docs/shared'), folder, { recursive: true });
  const options = { port: 0, inventory: 0, defaultCredential: false };
  processes = {
    p1: await sandbox(options),
    p2: await sandbox(options),
    p3: await sandbox(options),
  };
  const lines = Object.entries(processes).map(([name, { url }]) => {
    fs.writeFileSync(path.join(folder, `${name}.token`), 'token');
    return `${name} ${new URL(url).port}\n`;
  });
  fs.writeFileSync(path.join(folder, 'processes'), lines.join(''));
});

/** Runs routes.sh. */
function routes(...args: string[]): Promise<{ code: number; stderr: string }> {
  return new Promise((resolve) => {
    execFile('sh', ['routes.sh', ...args], { cwd: folder }, (error, _stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stderr }),
    );
  });
}

function read(map: 'keys' | 'worlds'): string[] {
  return fs
    .readFileSync(path.join(folder, `${map}.map`), 'utf8')
    .split('\n')
    .filter(Boolean);
}

async function team(name: 'p1' | 'p2' | 'p3', world: string, key_id: string): Promise<void> {
  const { control } = processes[name];
  await control.post('/worlds', { name: world });
  await control.in(world).post('/credentials', { key_id, secret: `of ${name}`.replace(' ', '-') });
}

test.skipIf(!runs)('each key ID and world has the route of its process', async () => {
  await team('p1', 'a', 'key-a');
  await team('p3', 'c', 'key-c');
  expect(await routes()).toEqual({ code: 0, stderr: '' });
  expect(read('keys')).toEqual(['key-a p1', 'key-c p3']);
  expect(read('worlds')).toEqual(['a p1', 'c p3']);
  expect(await routes('c')).toEqual({ code: 0, stderr: '' });
  expect(read('keys')).toEqual(['key-a p1', 'key-c moving']);
  expect(read('worlds')).toEqual(['a p1', 'c moving']);
});

test.skipIf(!runs)(
  'a key ID or world that a second process takes stays with the first',
  async () => {
    await team('p2', 'victim', 'key-v');
    await routes();
    await team('p1', 'victim', 'key-v');
    await team('p3', 'other', 'key-o');
    const both = {
      code: 0,
      stderr: [
        'routes.sh: world victim is in p1 p2; it stays with p2\n',
        'routes.sh: key ID key-v is in p1 p2; it stays with p2\n',
      ].join(''),
    };
    for (const held of [[], ['victim'], []]) {
      expect(await routes(...held)).toEqual(both);
      const to = held.length > 0 ? 'moving' : 'p2';
      expect(read('keys')).toEqual([`key-v ${to}`, 'key-o p3']);
      expect(read('worlds')).toEqual([`victim ${to}`, 'other p3']);
    }
    // It goes to the second when the first has it no longer.
    await processes.p2.control.delete('/worlds/victim');
    expect(await routes()).toEqual({ code: 0, stderr: '' });
    expect(read('keys')).toEqual(['key-v p1', 'key-o p3']);
  },
);

test.skipIf(!runs)('a key ID that two processes take at once has no route', async () => {
  await team('p2', 'a', 'key');
  await team('p3', 'b', 'key');
  expect(await routes()).toEqual({
    code: 0,
    stderr: 'routes.sh: key ID key is in p2 p3; it has no route until only one has it\n',
  });
  expect(read('keys')).toEqual([]);
  expect(read('worlds')).toEqual(['a p2', 'b p3']);
});

test.skipIf(!runs)('a process that does not respond keeps its routes', async () => {
  await team('p2', 'a', 'key-a');
  await routes();
  await processes.p2.close();
  await team('p1', 'b', 'key-a');
  const { code, stderr } = await routes();
  expect(code).toBe(0);
  expect(stderr).toContain('routes.sh: p2 does not respond; its routes stay as they are');
  expect(stderr).toContain('key ID key-a is in p1 p2; it stays with p2');
  expect(read('keys')).toEqual(['key-a p2']);
});

test.skipIf(!runs)('a name with other characters has no route and ends no command', async () => {
  await team('p2', 'a', 'key-a');
  // As a key ID of an older version is.
  fs.writeFileSync(path.join(folder, 'p3.claims'), 'keys b aa;quit\nkeys b key-b\n');
  await processes.p3.close();
  const { stderr } = await routes();
  expect(stderr).toContain('a name in p3 has other characters than letters, digits, _ and -');
  expect(read('keys')).toEqual(['key-a p2', 'key-b p3']);
});

test.skipIf(!runs).each([
  ['takes over all routes', (line: string) => versionFor(line), 0],
  ['rejects a commit', (line: string) => errorFor(line) || versionFor(line), 1],
  ['rejects a version', () => 'Unknown map identifier.\n', 1],
])('routes.sh exits as HAProxy %s', async (_what, respond, code) => {
  const received: string[] = [];
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      for (const line of String(data).split('\n').filter(Boolean)) {
        received.push(line);
        socket.write(`> ${respond(line)}`);
        if (line === 'quit' || line.startsWith('prepare')) socket.end();
      }
    });
  });
  await new Promise<void>((resolve) =>
    server.listen(path.join(folder, 'haproxy.sock'), () => resolve()),
  );
  onTestFinished(() => void server.close());
  await team('p2', 'a', 'key-a');
  const result = await routes();
  expect(result.code).toBe(code);
  const commands = ['add map @7 keys.map key-a p2', 'commit map @7 keys.map'];
  expect(received.slice(0, 2)).toEqual(['prepare map keys.map', expect.any(String)]);
  if (received.includes('prompt')) expect(received).toEqual(expect.arrayContaining(commands));
  if (code === 1) expect(result.stderr).toContain('HAProxy has not taken over keys.map: ');
  else expect(result.stderr).toBe('');
});

function versionFor(line: string): string {
  return line.startsWith('prepare') ? 'New version created: 7\n\n' : '\n';
}

function errorFor(line: string): string {
  return line.startsWith('commit') ? 'Version number out of range.\n' : '';
}
