import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config/read-config.ts';
import { VERSION } from '../../src/version.ts';
import { readCurlLine, verifyWords } from '../support/curl-line.ts';
import { orderBody } from '../support/orders.ts';
import { receiver } from '../support/receiver.ts';
import { newestLogged } from '../support/request-log.ts';
import { sandbox } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';
import { stateFolder } from '../support/state-folder.ts';
import { commandLine } from './command-line.ts';

const SECRET = 'dms_sandbox_local_not_a_secret';

test('a signed request: status on stderr, body on stdout', async () => {
  const run = commandLine(await sandbox());
  const { domain } = await seededListing();
  const found = await run(`request GET /api/partner/v1/pricing --query domain=${domain}`);
  expect(found.code).toBe(0);
  expect(found.stderr).toMatch(/^200 OK {2}\d+ ms\n$/);
  expect(JSON.parse(found.stdout)).toMatchObject({ domain });
  const missing = await run('request GET /api/partner/v1/pricing --query domain=none.example');
  expect(missing.code).toBe(1);
  expect(missing.stderr).toContain('404 Not Found');
  expect(JSON.parse(missing.stdout)).toMatchObject({ error: { code: 'not_found' } });
});

test('--json prints status, headers and body', async () => {
  const run = commandLine(await sandbox());
  const { json } = await run('request GET /api/partner/v1/orders --json');
  expect(json()).toMatchObject({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: { orders: [], next_cursor: null },
  });
  const head = await run('request HEAD /api/partner/v1/orders --json');
  expect(head.json()).toMatchObject({ status: 200, body: null });
});

test('--field prints one field of the response, and text without quotes', async () => {
  const run = commandLine(await sandbox());
  const { domain } = await seededListing();
  const get = `request GET /api/partner/v1/pricing --query domain=${domain} --field`;
  expect(await run(`${get} domain`)).toMatchObject({ code: 0, stdout: `${domain}\n` });
  expect((await run(`${get} buy_now_price_cents`)).stdout).toMatch(/^\d+\n$/);
  expect((await run(`${get} domain --json`)).json()).toBe(domain);
  const search = 'request GET /api/partner/v1/domains/search --query q=coffee --field';
  expect((await run(`${search} domains.0.domain`)).stdout).toMatch(/^\S+\.\S+\n$/);
  expect(JSON.parse((await run(`${search} domains.0`)).stdout)).toHaveProperty('price_cents');
});

test('--field exits 1 and prints nothing on stdout without that field, or if the request is rejected', async () => {
  const run = commandLine(await sandbox());
  const { domain } = await seededListing();
  const get = `request GET /api/partner/v1/pricing --query domain=${domain} --field`;
  const missing = await run(`${get} price`);
  expect(missing).toMatchObject({ code: 1, stdout: '' });
  expect(missing.stderr).toContain(
    'error: --field: the response has no price; it has domain, buy_now_price_cents, floor_price_cents, currency\n',
  );
  expect((await run(`${get} domain.length`)).stderr).toContain('it has no fields there');
  expect((await run(`${get} __proto__`)).code).toBe(1);
  const rejected = await run(
    'request GET /api/partner/v1/pricing --query domain=none.example --field domain',
  );
  expect(rejected).toMatchObject({ code: 1, stdout: '' });
  expect(rejected.stderr).toContain('"code":"not_found"');
  expect((await run(`${get} domain --curl`)).code).toBe(2);
});

test('an order from a file, byte for byte, with an Idempotency-Key that replays it', async () => {
  const cwd = stateFolder();
  const run = commandLine(await sandbox(), { cwd });
  const body = `${JSON.stringify(orderBody(await seededListing()), null, 4)}\n`;
  fs.writeFileSync(path.join(cwd, 'order.json'), body);
  const line = 'request POST /api/partner/v1/orders --data @order.json --idempotency-key k1';
  const first = await run(line);
  expect(first.stderr).toContain('201 Created');
  expect((await run(line)).stdout).toBe(first.stdout);
  const piped = await run(line.replace('@order.json', '@-'), { stdin: body });
  expect(piped.stdout).toBe(first.stdout);
});

test('an endpoint that requires an Idempotency-Key gets a new one, printed on stderr', async () => {
  const at = await sandbox();
  const run = commandLine(at);
  const body = JSON.stringify(orderBody(await seededListing()));
  const post = ['request', 'POST', '/api/partner/v1/orders', '--data', body];
  const first = await run(post);
  expect(first.stderr).toMatch(/^Idempotency-Key: [\w-]{36}\n201 Created/);
  const [, key = ''] = /Idempotency-Key: (\S+)/.exec(first.stderr) ?? [];
  expect((await run([...post, '--idempotency-key', key])).stdout).toBe(first.stdout);
  const curl = await run([...post, '--curl']);
  const [, other = ''] = /^Idempotency-Key: (\S+)\n$/.exec(curl.stderr) ?? [];
  expect(other).not.toBe(key);
  expect(curl.stdout).toContain(`'Idempotency-Key: ${other}'`);
  const quote = `{"domain":"${(await seededListing()).domain}"}`;
  const quoted = await run(['request', 'POST', '/api/partner/v1/quotes', '--data', quote]);
  expect(quoted.stderr).not.toContain('Idempotency-Key');
});

test('a request has the user agent of sandlot', async () => {
  const at = await sandbox();
  const run = commandLine(at);
  await run('request GET /api/partner/v1/orders');
  const { request } = await newestLogged(at);
  expect(request.headers).toContainEqual(['user-agent', `sandlot/${VERSION}`]);
});

test('any query is signed as it is sent', async () => {
  const run = commandLine(await sandbox());
  const search = '/api/partner/v1/domains/search';
  for (const q of ["it's", 'a+b c', '(x)!*', 'ü😀', '100%', 'a=b&c', '[x]{y}', '"']) {
    const { stderr } = await run(['request', 'GET', search, '--query', `q=${q}`, '--query', 'b=']);
    expect(stderr, q).toContain('200 OK');
  }
  expect((await run(`request GET "${search}?q=coffee shop"`)).code).toBe(0);
});

test('the key is that of --as, of the environment, or the default', async () => {
  const shop = await sandbox();
  const run = commandLine(shop);
  await run('credentials create --key-id k1 --secret s1');
  const keyOf = async (line: string, env = {}) =>
    /X-Service-Key-Id: (\S+)'/.exec((await run(`${line} --curl`, { env })).stdout)?.[1];
  const line = 'request GET /api/partner/v1/orders';
  expect(await keyOf(line)).toBe('dmk_sandbox_local');
  expect(await keyOf(`${line} --as k1`)).toBe('k1');
  expect(await keyOf(line, { SANDLOT_KEY_ID: 'k1' })).toBe('k1');
  const env = { SANDLOT_KEY_ID: 'k1', SANDLOT_SECRET: 's1' };
  expect((await run(line, { env })).code).toBe(0);
  expect((await run(line, { env: { ...env, SANDLOT_SECRET: 'wrong' } })).stderr).toContain('401');
  const unknown = await run(`${line} --as k2`);
  expect(unknown.code).toBe(1);
  expect(unknown.stderr).toContain('credential k2 not found');
  const inExec = { SANDLOT_KEY_ID: 'dmk_sandbox_local', SANDLOT_SECRET: SECRET };
  const toWorld = await run(`${line} --world w1`, { env: inExec });
  expect(toWorld.stderr).toContain('--world w1: a request goes to the world of its key');
});

test('--curl prints a request that the sandbox accepts and verify confirms, and sends nothing', async () => {
  const shop = await sandbox();
  const run = commandLine(shop);
  const body = `{"domain": "${(await seededListing()).domain}", "note": "it's"}`;
  const line = ['request', 'POST', '/api/partner/v1/quotes', '--data', body, '--query', 'x=it’s'];
  const { stdout: curl, stderr } = await run([...line, '--curl']);
  expect(stderr).toBe('');
  const { method, target, headers, body: sentBody = '' } = readCurlLine(curl);
  expect(Object.keys(headers)).toEqual([
    'Content-Type',
    'X-Service-Key-Id',
    'X-Service-Timestamp',
    'X-Service-Nonce',
    'X-Service-Signature',
  ]);
  expect((await shop.fetch(target, { method, headers, body: sentBody })).status).toBe(201);
  const verified = await run(verifyWords(curl));
  expect(verified.stdout).toContain('✓ the signature is valid');
  expect(verified.code).toBe(0);
  const changed = await run([...verifyWords(curl.replace('"note": ', '"note":')), '--json']);
  expect(changed.code).toBe(1);
  expect(changed.json()).toMatchObject({ valid: false });
});

test('sign needs no sandbox for a key whose secret is known', async () => {
  const run = commandLine();
  expect((await run('sign GET /x --key-id other')).code).toBe(3);
  expect((await run('sign GET /x --key-id other --secret s')).stdout).toContain('other');
  expect((await run('sign GET /x')).stdout).toContain('dmk_sandbox_local');
  const env = { SANDLOT_KEY_ID: 'mine', SANDLOT_SECRET: 's' };
  expect((await run('sign GET /x', { env })).stdout).toContain('mine');
});

const PRICING = '/api/partner/v1/pricing?domain=a.com';

/** The signature that `sign` makes of a request. */
async function signatureOf(target: string): Promise<string> {
  const made = await commandLine()(`sign GET ${target} --timestamp 1772442000 --nonce n1 --json`);
  return made.json<{ headers: Record<string, string> }>().headers['X-Service-Signature'] ?? '';
}

/** A `verify` line about a signed request, with parts replaced. */
async function signedLine(parts: Record<string, string> = {}): Promise<string[]> {
  const all = {
    method: 'GET',
    path: PRICING,
    timestamp: '1772442000',
    nonce: 'n1',
    signature: await signatureOf(PRICING),
    secret: SECRET,
    ...parts,
  };
  return ['verify', ...Object.entries(all).flatMap(([name, value]) => [`--${name}`, value])];
}

test('verify explains what is wrong and how to fix it', async () => {
  const run = commandLine();
  const right = await run(await signedLine());
  expect(right.code).toBe(0);
  expect(right.stdout).toContain('✓ the signature is valid');
  const base = await signatureOf(PRICING);
  for (const [parts, code] of [
    [{ signature: base.replace('v1=', '') }, 'v1_missing'],
    [{ signature: base.toUpperCase().replace('V1=', 'v1=') }, 'signature_upper_case_hex'],
    [{ path: '/api/partner/v1/pricing' }, 'invalid_signature'],
    [{ signature: `v1=${'0'.repeat(64)}` }, 'invalid_signature'],
    [{ timestamp: '1772442000000' }, 'invalid_timestamp'],
    [{ timestamp: 'today' }, 'invalid_timestamp'],
    [{ path: '/api/partner/v1/pricing?domain=%zz' }, 'validation_error'],
  ] as const) {
    const wrong = await run([...(await signedLine(parts)), '--json']);
    expect(wrong.code, code).toBe(1);
    const problems = expect.arrayContaining([expect.objectContaining({ code })]);
    expect(wrong.json(), code).toMatchObject({ valid: false, problems });
  }
});

test('verify shows both canonical strings if the client signed another one', async () => {
  const signature = await signatureOf('/pricing?domain=a.com');
  const wrong = await commandLine()(await signedLine({ signature }));
  expect(wrong.code).toBe(1);
  expect(wrong.stdout).toContain('signed without its prefix');
  expect(wrong.stdout).toContain('canonical string:\n  GET\n  /api/partner/v1/pricing\n');
  expect(wrong.stdout).toContain('signed instead:\n  GET\n  /pricing\n');
});

test('JSON files with a byte order mark are read without it', async () => {
  const at = await sandbox();
  const cwd = stateFolder();
  const run = commandLine(at, { cwd });
  const write = (name: string, text: string) => fs.writeFileSync(path.join(cwd, name), text);
  write('data.json', '\ufeff{"order":{"public_id":"ord_9"}}');
  const hook = await receiver();
  const fire = `webhooks fire order.settled --url ${hook.url} --secret s --data data.json`;
  expect(await run(fire)).toMatchObject({ code: 0 });
  expect(hook.received[0]?.body).toContain('ord_9');
  write('inventory.jsonl', '\ufeff{"domain":"bom.example","price_cents":100}\n');
  expect(await run('inventory import inventory.jsonl')).toMatchObject({ code: 0 });
  write('sandlot.config.json', '\ufeff{"seed":"with a mark"}');
  expect(readConfig(path.join(cwd, 'sandlot.config.json'))).toMatchObject({ seed: 'with a mark' });
});
