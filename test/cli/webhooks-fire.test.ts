import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Fetch } from '../../src/client/fetch.ts';
import { verifyWebhook } from '../../src/signing/signature.ts';
import { orderFor } from '../support/orders.ts';
import { deadUrl, headerOf, type Receiver, receiver, register } from '../support/receiver.ts';
import { sandbox } from '../support/sandbox.ts';
import { stateFolder } from '../support/state-folder.ts';
import { commandLine } from './command-line.ts';

function signatureOf({ received: [first] }: Receiver): string {
  return (first && headerOf(first, 'X-Service-Signature')) ?? '';
}

const neverAsked: Fetch = () => {
  throw new Error('no sandbox may be asked');
};
const fire = (words: string) =>
  commandLine(undefined, { fetch: neverAsked })(`webhooks fire ${words}`);

test('with --url and --secret it needs no sandbox, and says that the event is not in the history', async () => {
  const secret = 'whsec_of_a_receiver';
  const hook = await receiver((response) => response.end(`thanks\n${secret}`));
  const { code, stdout, stderr } = await fire(
    `order.settled --url ${hook.url} --secret ${secret} --set data.order.status=REFUNDED --set data.order.sale_price_cents=100`,
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/✓ 200 in \d+ ms\nthanks \[redacted\]\n$/);
  const body = hook.received[0]?.body ?? '';
  expect(verifyWebhook(secret, body, signatureOf(hook))).toBe(true);
  const { id, ...event } = JSON.parse(body) as { id: string };
  expect(event).toMatchObject({
    type: 'order.settled',
    partner_id: 'ptr_local',
    data: { order: { status: 'REFUNDED', sale_price_cents: 100 } },
  });
  expect(stdout).toContain(`not in the event history: GET /events rejects ${id} as after_id`);
});

test('--times sends the same event again; --bad-signature is wrong', async () => {
  const hook = await receiver();
  await fire(`order.recorded --url ${hook.url} --secret s1 --times 3 --bad-signature`);
  expect(hook.received).toHaveLength(3);
  expect(new Set(hook.received.map((hit) => hit.body)).size).toBe(1);
  expect(verifyWebhook('s1', hook.received[0]?.body ?? '', signatureOf(hook))).toBe(false);
});

test('--bad-signature exits 0 if the receiver rejects the webhook, and 1 if it accepts it or is not there', async () => {
  const hook = await receiver(401);
  const line = 'order.recorded --secret s1 --bad-signature --url';
  const expectExit = async (exitCode: number, output: RegExp, url = hook.url) => {
    const { code, stdout, stderr } = await fire(`${line} ${url}`);
    expect([code, stdout + stderr]).toEqual([exitCode, expect.stringMatching(output)]);
  };
  await expectExit(0, /✓ rejected with 401 in \d+ ms\n$/);
  hook.response = 200;
  await expectExit(1, /✗ accepted with 200 in/);
  hook.response = (response, n) => response.writeHead(n % 2 === 0 ? 401 : 200).end();
  await expectExit(1, /accepted a webhook with a wrong/, `${hook.url} --times 2 --json`);
  await expectExit(1, /connection_refused.* did not respond, so/s, `${await deadUrl()} --json`);
});

test('an empty secret is rejected without a sandbox too, and nothing is sent', async () => {
  const hook = await receiver();
  const { code, stderr } = await fire(`order.settled --url ${hook.url} --secret ""`);
  expect(code).not.toBe(0);
  expect(stderr).toContain('secret');
  expect(hook.received).toEqual([]);
});

test('--data takes the data of the event from a file or stdin', async () => {
  const hook = await receiver();
  const cwd = stateFolder();
  fs.writeFileSync(path.join(cwd, 'data.json'), '{"order":{"public_id":"mine"}}');
  const run = commandLine(undefined, { fetch: neverAsked, cwd });
  const line = `webhooks fire order.recorded --url ${hook.url} --secret s1 --data`;
  await run(`${line} data.json`);
  await run(`${line} -`, { stdin: '{"order":{"public_id":"piped"}}' });
  const ids = hook.received.map((hit) => JSON.parse(hit.body).data.order.public_id);
  expect(ids).toEqual(['mine', 'piped']);
  const deep = `{"order":${'['.repeat(9_000)}${']'.repeat(9_000)}}`;
  const online = '--url http://127.0.0.1:1 webhooks fire order.recorded --data -';
  for (const stdin of ['[1]', deep]) expect((await run(online, { stdin })).code).toBe(2);
  expect((await run(`${line} none.json`)).code).toBe(2);
});

test('anything but 200 exits 1, and says what came instead', async () => {
  const hook = await receiver(503);
  const rejected = await fire(`order.settled --url ${hook.url} --secret s1 --json`);
  expect(rejected.code).toBe(1);
  expect(rejected.json()).toMatchObject({ ok: false, attempts: [{ outcome: 'status 503' }] });
  const failed = await fire(`order.settled --url ${await deadUrl()} --secret s1`);
  expect(failed.code).toBe(1);
  expect(failed.stdout).toContain('✗ connection_refused');
  const https = hook.url.replace('http:', 'https:');
  const { stdout } = await fire(`order.settled --url ${https} --secret s1`);
  expect(stdout).toMatch(
    /✗ tls_failed in .*\nThe receiver cannot be reached: .* NODE_EXTRA_CA_CERTS/,
  );
});

test('about an order, to the registered URL: the control API sends it', async () => {
  const shop = await sandbox();
  const hook = await receiver();
  const run = commandLine(shop);
  const { public_id: id } = await orderFor(shop);
  expect((await run(`webhooks fire order.refunded --order ${id}`)).code).toBe(1);
  await register(shop, hook.url);
  const { code, json } = await run(`webhooks fire order.refunded --order ${id} --json`);
  expect(code).toBe(0);
  expect(Object.keys(json<object>())).toEqual(['ok', 'url', 'event', 'attempts']);
  const body = hook.received[0]?.body ?? '';
  expect(JSON.parse(body).data.order).toMatchObject({ public_id: id, status: 'REFUNDED' });
  expect((await run(`orders show ${id}`)).stdout).toMatch(/^status +EXTERNALLY_PAID$/m);
});

test('--url after fire is the receiver; before it, the sandbox', async () => {
  const shop = await sandbox();
  const hook = await receiver();
  const { public_id: id } = await orderFor(shop);
  const line = `--url ${shop.url} webhooks fire order.settled --order ${id} --url ${hook.url} --secret s`;
  expect((await commandLine(undefined, { fetch: shop.fetch })(line)).code).toBe(0);
  expect(hook.received).toHaveLength(1);
});

test('offline and by the control API the result is the same', async () => {
  const hook = await receiver();
  const line = `webhooks fire order.settled --url ${hook.url} --json`;
  const offline = (await commandLine()(`${line} --secret s1`)).json<object>();
  const shop = await sandbox();
  await register(shop, hook.url);
  const online = (await commandLine(shop)(line)).json<object>();
  expect(Object.keys(offline)).toEqual(Object.keys(online));
  const [first, second] = hook.received.map((hit) => JSON.parse(hit.body) as object);
  expect(Object.keys(first ?? {})).toEqual(Object.keys(second ?? {}));
});
