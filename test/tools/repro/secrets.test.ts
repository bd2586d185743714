import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import type { InProcessSandbox } from '../../../src/index.ts';
import { systemRuntime } from '../../../src/kernel/runtime.ts';
import { linesOfRepro, readRepro } from '../../../src/tools/repro/repro-lines.ts';
import { bodyOf, vectorNamed, wellFormed } from '../../signing/vector-file.ts';
import { checkoutFor, PAYING, submit } from '../../support/checkout.ts';
import { receiver } from '../../support/receiver.ts';
import { sandbox, sandboxOnDisk } from '../../support/sandbox.ts';
import { stateFolder } from '../../support/state-folder.ts';
import { replayedFile } from './recorded-sandbox.ts';

/** Everything that the request log of a folder holds. */
function storedIn(folder: string): string {
  const log = new Database(path.join(folder, 'requests.db'), { readonly: true });
  const rows = log.prepare('SELECT * FROM requests').raw().all();
  log.close();
  return rows.map((row) => JSON.stringify(row).replaceAll('\\"', '"')).join('\n');
}

/** The text of a verified file that replays, and of the log that it was made from. */
async function textsOf(at: InProcessSandbox, folder: string) {
  const repro = await replayedFile(at);
  await at.close();
  return { repro, file: linesOfRepro(repro).join('\n'), stored: storedIn(folder) };
}

test('each mistake in signing gets the same response in a replay, without secrets and signatures', async () => {
  const otherSecret = 'dms_sandbox_other_00112233445566';
  const cases = wellFormed.slice(0, 20).flatMap(({ name, expected: { signature } }) => [
    { vector: name, signature: signature.slice(3) },
    { vector: name, signature: `v1=${signature.slice(3).toUpperCase()}` },
  ]);
  const dataDir = stateFolder();
  const now = () => 1_767_225_640_000;
  const at = await sandbox({ dataDir, rateLimits: false, runtime: { ...systemRuntime, now } });
  await at.control.post('/credentials', { key_id: 'dmk_other', secret: otherSecret });
  const { key_id, secret } = vectorNamed('secret-looks-like-hex');
  await at.control.post('/credentials', { key_id, secret });
  for (const { vector, signature } of cases) {
    const { request, ...signed } = vectorNamed(vector);
    const body = bodyOf({ ...signed, request });
    const headers = {
      'X-Service-Key-Id': signed.key_id,
      'X-Service-Timestamp': request.timestamp,
      'X-Service-Nonce': request.nonce,
      'X-Service-Signature': signature,
      'Content-Type': 'application/json',
    };
    const { method, target } = request;
    const withBody = body.length > 0 && method !== 'GET' && method !== 'HEAD';
    const init = { method, headers, ...(withBody && { body: Buffer.from(body) }) };
    expect((await at.fetch(target, init)).status).toBe(401);
  }
  const { repro, file, stored } = await textsOf(at, dataDir);
  expect(repro.requests).toHaveLength(cases.length + 2);
  const vectors = cases.map(({ vector }) => vectorNamed(vector));
  const never = [
    ...cases.map(({ signature }) => signature.slice(-40)),
    ...vectors.map(({ expected }) => expected.signature.slice(-40)),
    ...vectors.map((each) => each.secret),
    otherSecret,
    'whs_not_a_secret',
  ];
  expect(never.filter((text) => (file + stored).includes(text))).toEqual([]);
});

test('an unknown card number is in neither the log nor the file, and the checkout replays', async () => {
  const { dataDir, at } = await sandboxOnDisk();
  const session = await checkoutFor(at);
  const numbers = ['4539 1488 0343 6467', '4539-1488-0343-6467', '4539148803436467'];
  for (const card_number of numbers) {
    const response = await submit(at, session.checkout_url, { ...PAYING, card_number, cvc: '917' });
    expect(response.status).toBe(402);
  }
  expect((await submit(at, session.checkout_url, { ...PAYING, email: 'x' })).status).toBe(422);
  expect((await submit(at, session.checkout_url, PAYING)).status).toBe(303);
  const { file, stored } = await textsOf(at, dataDir);
  for (const text of [file, stored]) {
    expect(text).toContain('card_number=');
    expect(text).not.toMatch(/4539\W*1488|0343\W*6467|cvc=917/);
  }
});

test('a secret in the response to a fired webhook is in neither the log nor the file', async () => {
  const { dataDir, at } = await sandboxOnDisk();
  const secret = 'Webhook-Secret/of-the-receiver';
  const hook = await receiver((response) => void response.end(`your secret is ${secret}`));
  await at.control.put('/webhooks', { url: 'https://shop.example/hooks', secret });
  await at.control.post('/webhooks/fire', { ...FIRED, url: hook.url });
  const { file, stored } = await textsOf(at, dataDir);
  expect(hook.received).toHaveLength(1);
  expect(stored).toContain('your secret is');
  expect(file + stored).not.toContain(secret);
});

const V1 = '/api/partner/v1';
const SECRET = 'dms_sandbox_local_not_a_secret';
const OWN = 'Own-Secret.of-the-shop';
const FIRED = { type: 'order.recorded', secret: 'whsec_fired_once' };
const inHex = (mark: string, text: string) =>
  text.replace(/./g, (char) => mark + char.charCodeAt(0).toString(16));
const inBase64 = (text: string) => Buffer.from(text).toString('base64');

test('a secret in Unicode escapes is in neither the log nor the file, which replays', async () => {
  const { dataDir, at } = await sandboxOnDisk();
  const body = `{"url":"https://a.example/","secret":"${inHex('\\u00', OWN)}"}`;
  await at.call({ method: 'PUT', target: '/api/partner/webhooks', body });
  const { file, stored } = await textsOf(at, dataDir);
  for (const spelled of [OWN, inHex('\\u00', OWN), inBase64(OWN)])
    expect(file + stored).not.toContain(spelled);
});

test.each([
  ['base64', inBase64(`x ${SECRET}`)],
  ['base64 after other letters', `token${inBase64(SECRET)}`],
  ['percent escapes', inHex('%', SECRET)],
  ['percent escapes of percent escapes', encodeURIComponent(inHex('%', SECRET))],
  ['UTF-16', SECRET.split('').join('\0')],
  ['JSON escapes', inHex('\\u00', SECRET)],
  ['base64 of JSON escapes', inBase64(inHex('\\u00', SECRET))],
])('a secret in %s stays in the log, and no file is written', async (_how, encoded) => {
  const at = await sandbox();
  await at.call({ method: 'POST', target: `${V1}/quotes`, body: { domain: encoded } });
  await expect(at.exportRepro()).rejects.toThrow(
    /^request 1 \(req_\w+\) would contain a secret, so no file was written/,
  );
});

test.each(['wh"one\\sec/+=&%42<>~', 'pin\\ned%41secret_01234', 'pin"ned%41secret_012345'])(
  'the secret %s is in neither the log nor a file, as a label, in a path and in a fault',
  async (secret) => {
    const { dataDir, at } = await sandboxOnDisk();
    await at.control.post('/credentials', { key_id: 'dmk_pinned', secret });
    await at.control.put('/webhooks', { url: 'https://receiver.example/hook', secret });
    const link = { kind: 'generic', label: secret };
    const { status } = await at.call({ method: 'POST', target: `${V1}/links`, body: link });
    expect(status).toBe(201);
    const encoded = encodeURIComponent(secret);
    const path = `/orders/${encoded}`;
    const fault = { match: { path }, effect: { status: 503 } };
    await expect(at.control.post('/faults', fault)).rejects.toThrow('effect.status');
    await at.call({ method: 'GET', target: V1 + path });
    await at.call({ method: 'GET', target: `${V1}/orders?cursor=${encoded}` });
    await replayedFile(at, { keepPersonalData: true });
    const { file, stored } = await textsOf(at, dataDir);
    const [inJson = ''] = JSON.stringify(secret).slice(1, -1).split('\n');
    for (const spelled of [secret, inJson, inJson.replaceAll('\\', '\\\\'), encoded])
      expect(file + stored).not.toContain(spelled);
  },
);

test('a webhook secret that is a word does not stop an export', async () => {
  const at = await sandbox();
  await at.control.put('/webhooks', { url: 'https://shop.example/hooks', secret: 'keyboard' });
  await at.call({ method: 'GET', target: '/api/partner/v1/domains/search?q=keyboard' });
  expect((await at.exportRepro()).summary).toMatchObject({ verified: true, problem: null });
});

test('a search for an address gives other results without it, which are not compared', async () => {
  const at = await sandbox();
  await at.call({ method: 'GET', target: `${V1}/domains/search?q=jane+cloud@data.com` });
  for (const keepPersonalData of [false, true])
    expect((await at.exportRepro({ last: 1, keepPersonalData })).summary.problem).toBeNull();
});

test('what a receiver responded is in no file, also in one that is not verified', async () => {
  const at = await sandbox();
  const hook = await receiver((response) => void response.end('Thanks, jane@shop.example'));
  await at.control.post('/webhooks/fire', { ...FIRED, url: hook.url });
  await at.call({ method: 'POST', target: `${V1}/quotes`, body: { domain: 'x'.repeat(70_000) } });
  const { bytes, summary } = await at.exportRepro({ last: 1 });
  expect(summary.verified).toBe(false);
  const file = linesOfRepro(await readRepro(bytes)).join('\n');
  expect(file).toContain('response 1');
  expect(file).not.toMatch(/Thanks|jane@shop/);
  const kept = await readRepro((await at.exportRepro({ keepPersonalData: true })).bytes);
  expect(linesOfRepro(kept).join('\n')).toContain('jane@shop.example');
});
