import fc from 'fast-check';
import { expect, test } from 'vitest';
import { malformedRequests, routesOf } from '../../../scripts/torture/malformed-requests.ts';
import { exchange } from '../../../scripts/torture/raw.ts';
import { differencesOf } from '../../../src/tools/repro/differences.ts';
import { magic, orderBody, requestOrder } from '../../support/orders.ts';
import { loggedIds } from '../../support/request-log.ts';
import { sandbox } from '../../support/sandbox.ts';
import { replayedFile } from './recorded-sandbox.ts';
import { message, sampleRequest } from './sample-repro.ts';

const SEED = Number(process.env.SANDLOT_TEST_SEED ?? 1);
const COUNT = 400;

test(`all that is logged of ${COUNT} malformed requests is exported, and the files replay`, async () => {
  const at = await sandbox({ port: 0, inventory: 5, rateLimits: false });
  const routes = routesOf(await at.control.get('/openapi.json', { api: 'partner' }));
  const requests = fc.sample(malformedRequests(at.url, routes), { seed: SEED, numRuns: COUNT });
  const logged = new Set<string>();
  await at.fetch('/_sandbox/credentials', { method: 'POST', body: 'x'.repeat(2 ** 20 + 1) });
  for (const [n, { bytes }] of requests.entries()) {
    await exchange(at.url, bytes, true);
    if (n % 50 !== 49) continue;
    for (const id of await loggedIds(at, { api: 'all', limit: 100 })) logged.add(id);
  }
  expect(logged.size).toBeGreaterThan(COUNT / 2);
  for (const keepPersonalData of [false, true]) {
    const { requests } = await replayedFile(at, { keepPersonalData, last: 1 });
    expect(new Set(requests.map(({ requestId }) => requestId))).toEqual(logged);
  }
}, 120_000);

test('requests rejected for their personal data, and a long list with it, replay without it', async () => {
  const at = await sandbox({ inventory: 5 });
  const emails = ['jané@b.com', 'jane@-b.com', 'Jane\t<jane@b.com>', 'jane\ud800@b.com'];
  const return_url = `https://shop.example/${'x'.repeat(1_900)}`;
  const buyer = { email: 'jane.doe@company.example', name: 'Jane' };
  for (const fields of [
    ...emails.map((email) => ({ buyer: { email } })),
    { buyer: { email: 'a@b.test', name: 'Jane Doe\n' } },
    { buyer: { email: 'a@b.test', name: 'Jane\tDoe' } },
    { buyer: { email: 'a@b.co', name: 'Zoë L' }, return_url: 'http://a.b/Jane Doe,Zo%C3%AB%20L' },
    ...Array<object>(20).fill({ buyer, return_url, cancel_url: return_url }),
  ])
    await requestOrder(at, orderBody(magic('held-order', 250_000), fields));
  // The log has only the beginning of the response.
  await at.call({ method: 'GET', target: '/api/partner/v1/orders' });
  await requestOrder(at, '{"email":"jane.elizabeth.doe@company.com",}');
  expect(JSON.stringify(await replayedFile(at, {}))).not.toMatch(/jan[eé]/i);
});

test('a rejected request with a long body replays, unless it is the target', async () => {
  const at = await sandbox({ inventory: 5 });
  await requestOrder(at, { domain: 'none.test', note: ' jane.doe@company.com'.repeat(4_000) });
  expect((await at.exportRepro()).summary.problem).toMatch(/another response to request 1 \(/);
  await at.fetch('/api/partner/v1/orders', { method: 'POST', body: 'x'.repeat(70_000) });
  const { requests } = await replayedFile(at, {});
  expect(requests).toHaveLength(2);
  // The log has only a part of the last address.
  expect(JSON.stringify(requests)).not.toContain('jane');
});

test('a response that is shorter than the beginning of a longer one differs', () => {
  const response = { ...message('x'.repeat(65_536)), altered: 'truncated' } as const;
  const record = sampleRequest(1, { response });
  const replayed = { ...record, response: message('x'.repeat(1_000)) };
  expect(differencesOf(record, replayed)).toHaveLength(1);
});

test('an export of two selections, of no request, with an unknown option, or after the sandbox has closed, says so', async () => {
  const at = await sandbox({ inventory: 5 });
  await expect(at.exportRepro({ last: 1, order: 'ord_1' })).rejects.toThrow('pass only one of');
  await expect(at.exportRepro({ requst: '' } as object)).rejects.toThrow('requst: unknown option');
  await expect(at.exportRepro({ last: 0 })).rejects.toThrow('last: must be at least 1');
  await at.close();
  await expect(at.exportRepro()).rejects.toThrow('the sandbox is closed');
});
