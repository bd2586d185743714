import fs from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { applyConfig } from '../../../src/config/apply-config.ts';
import { parseConfig } from '../../../src/config/read-config.ts';
import { openSandbox } from '../../../src/sandbox/sandbox.ts';
import { replayRepro } from '../../../src/tools/repro/api.ts';
import { readRepro } from '../../../src/tools/repro/repro-lines.ts';
import { commandLine } from '../../cli/command-line.ts';
import { checkoutFor, PAYING, submit } from '../../support/checkout.ts';
import { magic, mintIn, orderBody, orderFor, requestQuote } from '../../support/orders.ts';
import { answered } from '../../support/responses.ts';
import { sandbox, sandboxOnDisk } from '../../support/sandbox.ts';
import { stateFolder } from '../../support/state-folder.ts';
import { KEY, recordedSandbox, replayedFile } from './recorded-sandbox.ts';

type Shop = Awaited<ReturnType<typeof sandbox>>;

/** Exports a file that replays. @returns the requests in it, as methods and paths */
async function replayedIn(at: Pick<Shop, 'exportRepro'>, world?: string): Promise<string[]> {
  const { requests } = await replayedFile(at, { last: 1, ...(world && { world }) });
  return requests.map(({ method, target }) => `${method} ${target}`);
}

const QUOTE = 'POST /api/partner/v1/quotes';
const ORDERS = '/api/partner/v1/orders';

test.each<[begins: string, begin: (at: Shop) => Promise<unknown>]>([
  ['reset', (at) => at.control.post('/reset')],
  ['reset with the same ids', (at) => at.control.post('/reset', { same_ids: true })],
  [
    'restored',
    async (at) => {
      await at.control.post('/snapshots', { name: 's' });
      await orderFor(at, magic('held-order', 250_000));
      await at.control.post('/snapshots/s/restore');
    },
  ],
])('a world that was %s replays from there', async (_begins, begin) => {
  const at = await sandbox({ rateLimits: false });
  const body = JSON.stringify({ ...orderBody(magic('held-order', 250_000)), client_secret: 'a' });
  const order = (text: string) =>
    at.call({ method: 'POST', target: ORDERS, headers: { 'Idempotency-Key': 'k' }, body: text });
  await order(body);
  await at.control.post('/clock/resume');
  await orderFor(at, magic('auto-complete', 199_900));
  await expect(at.control.post('/before')).rejects.toThrow('no such endpoint');
  await begin(at);
  await requestQuote(at, 'reserved.test');
  // Only the first has the body of the key.
  const others = [body.replace('"a"', '"b"'), body.replace('@', '\\u0040'), ` ${body}`];
  for (const text of [body, ...others]) await order(text);
  // Moves no order.
  await expect(at.control.post('/clock/set', { to: '2020-01-01' })).rejects.toThrow('backward');
  await at.call({ method: 'GET', target: ORDERS });
  const orders = Array(4).fill(`POST ${ORDERS}`);
  const calls = [QUOTE, ...orders, 'POST /_sandbox/clock/set', `GET ${ORDERS}`];
  expect(await replayedIn(at)).toEqual(calls);
  await replayedFile(at, { keepPersonalData: true });
});

test('a forked world replays from the fork, and the requests of the other world stay in that', async () => {
  const at = await sandbox({ rateLimits: false });
  await orderFor(at, magic('auto-complete', 199_900));
  await at.control.post('/worlds', { name: 'w2', fork: 'default' });
  const w2 = at.control.in('w2');
  await w2.post('/clock/advance', { by: '1h' });
  // A replay has neither the world of this key nor the endpoint of another tool.
  await expect(w2.post('/credentials', { key_id: KEY.key_id })).rejects.toThrow('already exists');
  await expect(w2.post('/golive/receiver-test')).rejects.toThrow('url: is required');
  // A key determines the world, so this one is in the file of the default world.
  await expect(w2.post(`/credentials/${KEY.key_id}/approve`)).rejects.toThrow('without approval');
  // This is in the file of the default world, but its message names a world that is not.
  await expect(at.control.in('w9').post('/reset')).rejects.toThrow('existing worlds: default, w2');
  const calls = ['clock/advance', 'credentials', 'golive/receiver-test'];
  expect(await replayedIn(at, 'w2')).toEqual(
    calls.map((path) => `POST /_sandbox/${path}?world=w2`),
  );
  expect(await replayedIn(at)).not.toContain('POST /_sandbox/clock/advance?world=w2');
});

test('a fork of a deleted world replays, also imported under another name', async () => {
  const at = await sandbox({ rateLimits: false });
  await orderFor(at, magic('auto-complete', 199_900), await mintIn(at, 'w1'));
  await at.control.post('/worlds', { name: 'w2', fork: 'w1' });
  await at.control.delete('/worlds/w1');
  const body = await (await at.fetch('/_sandbox/worlds/w2/export')).bytes();
  await answered(await at.fetch('/_sandbox/worlds/import?name=w3', { method: 'POST', body }), 201);
  for (const name of ['w2', 'w3']) {
    await at.control.in(name).post('/clock/advance', { by: '1h' });
    expect(await replayedIn(at, name)).toEqual([`POST /_sandbox/clock/advance?world=${name}`]);
  }
});

test('what a configuration file adds is in the base, also after a restart, and a changed file begins another base', async () => {
  const faults = [{ match: { path: '/quotes', first: 1 }, effect: { code: 'internal_error' } }];
  const dataDir = stateFolder();
  const quote = { method: 'POST', target: '/api/partner/v1/quotes', body: { domain: 'x.test' } };
  for (const [more, status, requests] of [
    [{ faults }, 500, 2],
    [{ faults }, 409, 4],
    [{}, 409, 2],
  ] as const) {
    const config = parseConfig(JSON.stringify({ credentials: [SHOP], ...more }), 'sandlot.json');
    const at = await recordedSandbox({ dataDir, seedDefaults: (tx) => applyConfig(tx, config) });
    await at.control.post('/faults', { ...faults[0], effect: { status: 409 } });
    expect((await at.call(quote, SHOP)).status).toBe(status);
    expect(await replayedIn(at)).toHaveLength(requests);
    await at.close();
  }
});

const SHOP = { partner: 'Shop', key_id: 'dmk_shop', secret: 'shop_secret_0123456789' };

const LINKS = '/api/partner/v1/links';

test('a clean restart keeps the requests; after a kill, the repro begins again, and says so', async () => {
  const link = async (at: Shop, nonce: string) =>
    (await at.call({ method: 'POST', target: LINKS, body: { kind: 'generic' }, nonce })).status;
  const { dataDir, at: first } = await sandboxOnDisk({ rateLimits: { default: 1 } });
  expect([await link(first, 'a'), await link(first, 'b')]).toEqual([201, 429]);
  await first.close();
  const second = await sandbox({ dataDir, publicUrl: 'http://a.test', rateLimits: { default: 2 } });
  expect([await link(second, 'a'), await link(second, 'b')]).toEqual([201, 201]);
  const killed = stateFolder();
  // Its last request is not in the log yet.
  fs.cpSync(dataDir, killed, { recursive: true });
  expect(await replayedIn(second)).toEqual(Array(4).fill(`POST ${LINKS}`));
  const request = readRepro((await second.exportRepro()).bytes).requests[0]?.requestId ?? '';
  await second.close();

  // Neither of these forgets the kill.
  await commandLine()(['doctor', '--port', '0', '--data-dir', killed]);
  await expect(openSandbox({ dataDir: killed, randomKeys: () => true })).rejects.toThrow('Nothing');
  const third = await sandbox({ dataDir: killed, rateLimits: false });
  await expect(third.exportRepro({ request })).rejects.toThrow(
    /^request: req_\w+ is not among those since .* or the sandbox was killed/,
  );
  const since = /^nothing has been requested since .* the sandbox was killed .* log is off$/;
  for (const selection of [{}, { since: '1h' }])
    await expect(third.exportRepro(selection)).rejects.toThrow(since);
  await requestQuote(third, 'held-order.test');
  expect(await replayedIn(third)).toEqual([QUOTE]);
});

test.each([
  [0, { inputs: 1, problem: null }],
  [1, { inputs: 2, problem: expect.stringMatching(/^the request log lacks requests/) }],
])('after a log of %i, no file lacks requests unsaid', async (requestLog, summary) => {
  const { dataDir, at: first } = await sandboxOnDisk({ rateLimits: false });
  await requestQuote(first, 'held-order.test');
  await first.close();
  const second = await sandbox({ dataDir, rateLimits: false, requestLog });
  await requestQuote(second, 'held-order.test');
  await expect(second.control.post('/before')).rejects.toThrow('no such endpoint');
  await second.close();
  const third = await sandbox({ dataDir, rateLimits: false });
  await requestQuote(third, 'reserved.test');
  expect((await third.exportRepro()).summary).toMatchObject(summary);
});

test('a hosted checkout replays without its secret and personal data, and a replay shows where a page differs', async () => {
  const at = await sandbox();
  const description = 'The secret=a name,\u3000ada@company.com';
  await at.control.post('/inventory', { domain: 'a.com', price_cents: 100_00, description });
  await at.control.delete('/requests'); // The base then contains this inventory.
  const return_url = 'https://shop.example/?token=dms_sandbox_local_not_a_secret';
  const { checkout_url } = await checkoutFor(at, { domain: 'a.com', return_url });
  // Of a form this long, the log has only the beginning.
  await submit(at, checkout_url, { ...PAYING, name: 'x'.repeat(5_000) });
  await submit(at, checkout_url, { ...PAYING, email: 'ada@' });
  const { bytes, summary } = await at.exportRepro({ last: 1 });
  expect(summary.problem).toBeNull();
  expect(await replayRepro(bytes)).toMatchObject({ result: 'reproduced' });
  const file = gunzipSync(bytes).toString();
  expect(file).toContain('https://shop.example/?token=redacted');
  const { divergence } = await replayRepro(Buffer.from(file.replace('like name@', 'as name@')));
  const recorded = expect.stringMatching(/The secret=a name,buyer-\d.* as name@/);
  expect(divergence).toMatchObject([{ path: 'body', recorded }]);
});
