import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { sandbox } from '../support/sandbox.ts';
import { stateFolder } from '../support/state-folder.ts';
import { commandLine } from './command-line.ts';

test('a domain is added, shown, repriced and removed', async () => {
  const run = commandLine(await sandbox());
  expect((await run('inventory add zebra.com --price 1,999.5 --keywords a,b')).stdout).toBe(
    'Listed zebra.com in SANDBOX at $1,999.50\n',
  );
  const { listings } = (await run('inventory list --prefix zebra --json')).json<{ listings: [] }>();
  expect(listings).toMatchObject([
    { price_cents: 199_950, floor_price_cents: 159_960, keywords: ['a', 'b'] },
  ]);
  expect((await run('inventory list --prefix zebra')).stdout).toMatch(/zebra\.com +\$1,999\.50/);
  expect((await run('inventory set-price zebra.com $1000')).stdout).toContain('$1,000.00');
  expect((await run('inventory remove zebra.com')).code).toBe(0);
  expect((await run('inventory list --prefix zebra')).stdout).toBe('no listings\n');
});

test.each(['csv', 'ndjson'])('a file is imported by its extension .%s', async (format) => {
  const cwd = stateFolder();
  const content = {
    csv: 'domain,price_cents\nzebra.com,100\n',
    ndjson: '{"domain":"zebra.com","price_cents":100}\n',
  }[format];
  fs.writeFileSync(path.join(cwd, `names.${format}`), content ?? '');
  const run = commandLine(await sandbox(), { cwd });
  const { stdout } = await run(`inventory import names.${format} --env LIVE --mode replace`);
  expect(stdout).toBe('LIVE: 1 added, 0 removed\n');
});

test('a bad line is named, on stderr and as JSON, and nothing is imported', async () => {
  const cwd = stateFolder();
  fs.writeFileSync(path.join(cwd, 'bad.csv'), 'domain,price_cents\na.com,1\nb,1\n');
  const run = commandLine(await sandbox(), { cwd });
  const { code, stdout, stderr } = await run('inventory import bad.csv');
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/line 3: domain: .*; nothing was imported/);
  const { error } = (await run('inventory import bad.csv --json')).json<{ error: object }>();
  expect(error).toMatchObject({ code: 'validation_error' });
  expect((await run('inventory list --prefix a.com')).stdout).toBe('no listings\n');
});

test('an import shows how far it is on a terminal, and nothing elsewhere', async () => {
  const cwd = stateFolder();
  fs.writeFileSync(path.join(cwd, 'names.csv'), 'domain,price_cents\nzebra.com,1\n');
  const run = commandLine(await sandbox(), { cwd });
  expect((await run('inventory import names.csv')).stderr).toBe('');
  const shown = await run('inventory import names.csv --mode replace', {
    isTTY: true,
    columns: 60,
  });
  expect(shown.stderr).toContain('100%');
  expect(shown.stderr.endsWith('\r\x1b[K')).toBe(true);
  expect(shown.stdout).toMatch(/^SANDBOX: 1 added, \d+ removed\n$/);
});
