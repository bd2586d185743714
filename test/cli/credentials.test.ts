import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import type { Minted } from '../support/orders.ts';
import { sandbox } from '../support/sandbox.ts';
import { commandLine } from './command-line.ts';

test('minted as asked, shown with its secret by name, listed without', async () => {
  const run = commandLine(await sandbox());
  const made = (
    await run('credentials create --scopes search,buy --partner acme --no-affiliate --json')
  ).json<Minted>();
  expect(made).toMatchObject({
    partner: 'acme',
    scopes: ['search', 'buy'],
    environment: 'SANDBOX',
    affiliate: false,
    approved: true,
  });
  expect((await run(`credentials show ${made.key_id}`)).stdout).toContain(made.secret);
  const list = (await run('credentials list', { isTTY: true, columns: 80 })).stdout;
  expect(list).toContain(made.key_id);
  expect(list).not.toContain(made.secret);
});

test('--format env and shell give lines that name the sandbox and the key', async () => {
  const shop = await sandbox();
  const run = commandLine(shop);
  const env = await run('credentials create --key-id k1 --secret s1 --format env');
  expect(env.stdout).toBe(`SANDLOT_URL=${shop.url}\nSANDLOT_KEY_ID=k1\nSANDLOT_SECRET=s1\n`);
  await run('credentials revoke dmk_sandbox_local');
  const create = 'credentials create --key-id dmk_sandbox_local --format shell --secret';
  const shell = await run([...create.split(' '), "a'b$c"]);
  for (const lines of [shell.stdout, (await run('status')).stdout.split('\n\n')[1]]) {
    const script = `${lines}printf '%s|%s' "$SANDLOT_KEY_ID" "$SANDLOT_SECRET"`;
    const printed = execFileSync('sh', ['-c', script], { encoding: 'utf8' });
    expect(printed).toBe("dmk_sandbox_local|a'b$c");
  }
  const json = await run('credentials create --format json');
  expect(json.json()).toMatchObject({ world: 'default' });
});

test('a LIVE credential needs approval, and the command that approves it is printed', async () => {
  const run = commandLine(await sandbox());
  const { json, stderr } = await run('credentials create --env live --json');
  const { key_id: id, approved } = json<Minted>();
  expect(approved).toBe(false);
  expect(stderr).toContain(`sandlot credentials approve ${id}`);
  expect((await run('credentials list')).stdout).toMatch(/ LIVE, not approved /);
  expect((await run(`request GET /api/partner/v1/orders --as ${id}`)).code).toBe(1);
  expect((await run(`credentials approve ${id}`)).stdout).toBe(`Approved ${id} for LIVE\n`);
  expect((await run(`request GET /api/partner/v1/orders --as ${id}`)).code).toBe(0);
});
