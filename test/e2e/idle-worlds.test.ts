import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { command } from '../support/command-server.ts';
import { emptyDirectory, ROOT, startProcess, underLimit } from '../support/sandlot-process.ts';

const posixTest = test.skipIf(process.platform === 'win32');
const SMALL = ['--inventory', '10'];
/** An open world holds three descriptors. */
const WORLDS = 200;

posixTest(
  'more worlds than descriptors start, and more than can be open at once are used and created',
  async () => {
    const cwd = emptyDirectory();
    const worlds = path.join(cwd, '.sandlot/worlds');
    const first = await startProcess(cwd, ...SMALL);
    expect((await command(cwd, ['worlds', 'create', 'w0'])).status).toBe(0);
    await first.end('SIGTERM');
    for (let n = 1; n < WORLDS; n += 1) {
      fs.copyFileSync(path.join(worlds, 'w0.db'), path.join(worlds, `w${n}.db`));
    }
    const [program, args] = underLimit('-n 512', ['start', '--detach', '--port', '0', '--json']);
    const started = spawnSync(program, args, { cwd, encoding: 'utf8' });
    expect(started.stderr).toBe('');
    const { url, worlds: names } = JSON.parse(started.stdout) as { url: string; worlds: string[] };
    expect(names).toHaveLength(WORLDS + 1);
    const statuses = new Set<number>();
    for (let n = 0; n < 120; n += 4) {
      const some = [0, 1, 2, 3].map((more) =>
        fetch(`${url}/_sandbox/clock/freeze?world=w${n + more}`, { method: 'POST' }),
      );
      for (const response of await Promise.all(some)) statuses.add(response.status);
    }
    for (let n = 0; n < 20; n += 1) {
      const init = { method: 'POST', body: JSON.stringify({ name: `new${n}` }) };
      statuses.add((await fetch(`${url}/_sandbox/worlds`, init)).status);
    }
    expect([...statuses]).toEqual([200, 201]);
    expect((await command(cwd, ['stop'])).status).toBe(0);
  },
);

/** Calls POST /worlds with ever more free descriptors, and prints what came of each call. */
const SCRIPT = `
import fs from 'node:fs';
import { createSandbox } from ${JSON.stringify(path.join(ROOT, 'dist/index.mjs'))};
const at = await createSandbox({ dataDir: 'state', inventory: 10, port: false });
const call = (name) => at.fetch('/_sandbox/worlds', { method: 'POST', body: JSON.stringify({ name }) });
await call('w0');
const calls = [];
for (let free = 0; free < 8; free += 1) {
  const taken = [];
  try {
    for (;;) taken.push(fs.openSync('/dev/null'));
  } catch {}
  for (let n = 0; n < free; n += 1) fs.closeSync(taken.pop());
  const { status } = await call('w-' + free);
  for (const each of taken) fs.closeSync(each);
  calls.push({ name: 'w-' + free, status });
}
await at.close();
console.log(JSON.stringify(calls));
`;

posixTest('a world that is rejected for lack of descriptors leaves no file', () => {
  const cwd = emptyDirectory();
  const script = path.join(cwd, 'script.mjs');
  fs.writeFileSync(script, SCRIPT);
  const args = ['-c', 'ulimit -n 100 && exec "$0" "$@"', process.execPath, script];
  const { stdout } = spawnSync('sh', args, { cwd, encoding: 'utf8' });
  const calls = JSON.parse(stdout) as { name: string; status: number }[];
  const made = calls.filter(({ status }) => status === 201).map(({ name }) => name);
  // Some were rejected while the file was made, and some when it was opened in its place.
  expect(made.length).toBeGreaterThan(0);
  expect(made.length).toBeLessThan(6);
  const files = fs.readdirSync(path.join(cwd, 'state/worlds'));
  expect(files.filter((name) => !/\.closed$|^id-series$/.test(name)).toSorted()).toEqual(
    ['default', 'w0', ...made].map((name) => `${name}.db`).toSorted(),
  );
});
