import { describe, expect, test } from 'vitest';
import { checkoutFor } from '../../support/checkout.ts';
import { addFault } from '../../support/faults.ts';
import { magic, mint, mintIn, orderBody, quoteFor, requestOrder } from '../../support/orders.ts';
import { receiver, register, withReceiver } from '../../support/receiver.ts';
import { loggedIds } from '../../support/request-log.ts';
import { sandbox } from '../../support/sandbox.ts';
import { contradicted, get, HELD, item, order, reportOf, request } from './observed.ts';

const NOTHING = { requests: 0, attempts: 0, worlds: [] };

describe('requests', () => {
  test('are evidence that names and links the logged request', async () => {
    const at = await sandbox();
    await get(at, '/orders', { count: 21 });
    const { status, count, evidence } = await item(at, 'call.getOrders');
    expect({ status, count }).toEqual({ status: 'met', count: 21 });
    const ids = await loggedIds(at, { api: 'all' });
    expect(evidence.map(({ id }) => id)).toEqual(ids.slice(0, 5).reverse());
    for (const { id, href, text } of evidence) {
      expect(text).toBe('GET /orders → 200');
      expect(href).toBe(`/_sandbox/dashboard/requests/${id}`);
      expect((await at.fetch(href ?? '')).status).toBe(200);
    }
    for (const id of ['fresh_nonce', 'clock', 'secret_kept', 'known_fields']) {
      expect(await item(at, `request.${id}`)).toMatchObject({ status: 'met' });
    }
  });

  test('that fail before the check of the key belong to the world of the key', async () => {
    const at = await sandbox();
    const key = await mintIn(at, 'w1');
    const headers = { 'X-Service-Timestamp': '1' };
    for (let n = 0; n < 3; n += 1) {
      await request(at, { method: 'GET', target: '/orders', headers }, key);
    }
    expect(await item(at, 'request.clock', 'default')).toMatchObject({ status: 'unmet' });
    const { status, contradictions } = await item(at, 'request.clock', 'w1');
    expect(status).toBe('contradicted');
    expect(contradictions.map(({ href }) => href)).toEqual(
      contradictions.map(({ id }) => `/_sandbox/dashboard/requests/${id}?world=w1`),
    );
  });

  test.each([
    ['target', { method: 'GET', target: '/orders?status=SECRET' }],
    ['headers', { method: 'GET', target: '/orders', headers: { 'X-Debug': 'SECRET' } }],
    ['body', { method: 'POST', target: '/quotes', body: { domain: 'SECRET' } }],
  ])(
    'with the secret in the %s contradict request.secret_kept, and no output has it',
    async (_, given) => {
      const at = await sandbox();
      const { secret } = at.credential;
      await request(at, JSON.parse(JSON.stringify(given).replace('SECRET', secret)));
      expect(await contradicted(at)).toContain('request.secret_kept');
      expect(JSON.stringify(await reportOf(at))).not.toContain(secret);
    },
  );

  test('name their query in the evidence, with secrets redacted', async () => {
    const at = await sandbox();
    await get(at, `/availability?domain=active-site.test&x=${at.credential.secret}`);
    expect((await item(at, 'discovery.not_available')).evidence[0]?.text).toMatch(
      /^GET \/availability → 200, query domain=active-site.test&x=\[redacted\]$/,
    );
  });

  test('with a used quote are not about its domain, even if a line break precedes their body', async () => {
    const at = await sandbox();
    const { quote_id } = await quoteFor(at, HELD.domain);
    const body = `\n${JSON.stringify({ quote_id, external_payment_ref: 'r' })}`;
    for (const key of ['k1', 'k2']) {
      const headers = { 'Idempotency-Key': key };
      await request(at, { method: 'POST', target: '/orders', body, headers });
    }
    expect(await item(at, 'sale.quote_used')).toMatchObject({ status: 'met' });
    expect(await item(at, 'sale.not_available')).toMatchObject({ status: 'unmet' });
    await order(at, { domain: 'reserved.test', price: 100_000 }, 'k3');
    expect(await item(at, 'sale.not_available')).toMatchObject({ status: 'met' });
  });

  test('with another body under a used key contradict sale.key_per_sale, also for a magic domain', async () => {
    const at = await sandbox();
    for (const price of [HELD.price, 1]) await order(at, { ...HELD, price }, 'k');
    expect(await contradicted(at)).toEqual(['sale.key_per_sale']);
    expect(await item(at, 'retry.skips_4xx')).toMatchObject({ status: 'unmet' });
  });

  test('are evidence of request.body_bytes only if their body has more than ASCII', async () => {
    const at = await sandbox();
    for (const [count, note] of ['e', 'é'].entries()) {
      const body = { domain: HELD.domain, note };
      await request(at, { method: 'POST', target: '/quotes', body });
      expect((await item(at, 'request.body_bytes')).count).toBe(count);
    }
  });

  test('for a list that is longer than the log keeps are evidence of its first rows', async () => {
    const at = await sandbox();
    const listing = magic('held-order', HELD.price);
    const return_url = `https://shop.example/${'x'.repeat(1_900)}`;
    for (let n = 0; n < 40; n += 1) await requestOrder(at, orderBody(listing, { return_url }));
    await get(at, '/orders?limit=100');
    expect(await item(at, 'status.MANUAL_REVIEW')).toMatchObject({ status: 'met' });
  });

  test('with unknown fields contradict request.known_fields, and aliases do not', async () => {
    const at = await sandbox();
    const { domain, price: sale_price_cents } = HELD;
    const body = { domain, sale_price_cents, currency: 'USD', buyer: { email: 'a@b.co' } };
    const headers = { 'Idempotency-Key': 'k' };
    await request(at, { method: 'POST', target: '/orders', body, headers });
    expect(await contradicted(at)).toEqual([]);
    await get(at, '/orders?page=2');
    const { contradictions } = await item(at, 'request.known_fields');
    expect(contradictions.map(({ text }) => text)).toEqual([
      'GET /orders → 200, query: "page" is not a parameter of this endpoint and was ignored; it takes status, domain, from, to, cursor, limit, query page=2',
    ]);
  });
});

describe('webhook attempts', () => {
  test('are evidence after their outcome is committed, valid and forged', async () => {
    const { at, hook } = await withReceiver();
    hook.response = (response, n) => void response.writeHead(n === 1 ? 401 : 200).end();
    await addFault(at, { webhook: { corrupt_signature: true }, times: 1 });
    await order(at, HELD, 'k');
    await at.idle();
    await at.control.post('/clock/advance', { by: '5s' });
    expect(await item(at, 'hook.rejects_forgery')).toMatchObject({
      status: 'met',
      evidence: [
        { kind: 'delivery', text: expect.stringMatching(/^forged order.recorded evt_\w+ → 401$/) },
        { href: expect.stringMatching(/^\/_sandbox\/dashboard\/deliveries\/dlv_/) },
      ],
    });
    expect(await item(at, 'event.order.recorded')).toMatchObject({ status: 'met', count: 1 });
    expect(await reportOf(at)).toMatchObject({ requests: 1, attempts: 2 });
  });

  test('that were dropped are failed attempts, which a read of the history makes up for', async () => {
    const { at } = await withReceiver();
    await addFault(at, { webhook: { drop: true } });
    await order(at, HELD, 'k');
    await at.idle();
    await get(at, '/events');
    expect(await item(at, 'history.caught_up')).toMatchObject({ status: 'met' });
    expect(await contradicted(at)).toEqual([]);
  });

  test('to the receiver of webhooks listen, and fired webhooks, are not observed', async () => {
    const { at, hook } = await withReceiver();
    hook.response = (response) => void response.writeHead(204, { Server: 'sandlot-listen' }).end();
    await order(at, HELD, 'k');
    await at.idle();
    hook.response = 204;
    const webhook = { type: 'order.settled', url: hook.url, secret: 's' };
    await at.control.post('/webhooks/fire', webhook).catch(() => {});
    expect(hook.received.length).toBeGreaterThan(0);
    expect(await reportOf(at)).toMatchObject({ attempts: 0 });
  });

  test('of a partner whose credentials are all left out are not observed', async () => {
    const at = await sandbox();
    const other = await mint(at, { partner: 'other', golive: false });
    const hook = await receiver(204);
    await register(at, hook.url, { key: other });
    await order(at, HELD, 'k', other);
    await at.idle();
    expect(hook.received).toHaveLength(1);
    expect(await reportOf(at)).toMatchObject(NOTHING);
  });
});

test('the page of an open checkout is evidence', async () => {
  const at = await sandbox();
  const { checkout_url } = await checkoutFor(at);
  await at.fetch('/checkout?pt=unknown');
  expect((await item(at, 'checkout.page_viewed')).count).toBe(0);
  await at.fetch(checkout_url);
  const href = expect.stringMatching(/^\/_sandbox\/dashboard\/requests\/req_/);
  const met = { status: 'met', evidence: [{ kind: 'request', href }] };
  expect(await item(at, 'checkout.page_viewed')).toMatchObject(met);
});

test('the result of a receiver test is evidence', async () => {
  const at = await sandbox();
  const url = 'http://user-facing.example/hook?token=1';
  await at.control.post('/golive/receiver-test', { url, failed: ['sig.forged'] });
  const text = 'webhooks test --url http://user-facing.example/hook: sig.forged failed';
  const { contradictions } = await item(at, 'hook.tested');
  expect(contradictions).toMatchObject([{ kind: 'request', text }]);
  const rejected = at.control.post('/golive/receiver-test', { url: 'x' });
  await expect(rejected).rejects.toThrow('url: must be');
});

describe('nothing is observed', () => {
  test('of requests that sandlot itself or its API reference sends', async () => {
    const at = await sandbox();
    await at.call({ method: 'GET', target: '/api/partner/v1/orders' });
    const headers = { Referer: `${at.url}/_sandbox/reference?api=partner` };
    await request(at, { method: 'GET', target: '/orders', headers });
    expect(await reportOf(at)).toMatchObject(NOTHING);
  });

  test('of credentials that are left out, or unknown, also if they are deleted before the report', async () => {
    const at = await sandbox();
    const key = await mint(at, { golive: false });
    expect(await at.control.get(`/credentials/${key.key_id}`)).toMatchObject({ golive: false });
    await get(at, '/orders', { key, count: 20 });
    await get(at, '/orders', { key: { key_id: 'dmk_unknown', secret: 's' } });
    expect(await reportOf(at)).toMatchObject(NOTHING);
    const counted = await mint(at, {});
    await get(at, '/orders', { key: counted });
    for (const { key_id } of [key, counted]) await at.control.delete(`/credentials/${key_id}`);
    expect(await reportOf(at)).toMatchObject({ requests: 1 });
  });
});
