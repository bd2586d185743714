import { describe, expect, test } from 'vitest';
import type { Match } from '../../src/control/find-result.ts';
import { pageOf } from '../../src/control/object-pages.ts';
import { MENU } from '../../src/dashboard/pages/index.ts';
import type { InProcessSandbox } from '../../src/index.ts';
import { commandLine } from '../cli/command-line.ts';
import { listed, send } from '../support/calls.ts';
import { addFault } from '../support/faults.ts';
import { caseFor, checkoutSale, commissions, linkFor } from '../support/money.ts';
import { allEvents, mint, orderBody, orderFor, quoteFor, requestOrder } from '../support/orders.ts';
import { deliveriesOf, withAttempt, withReceiver } from '../support/receiver.ts';
import { loggedIds, newestLogged } from '../support/request-log.ts';
import { answered } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';

type Page = { results: Match[]; next_cursor: string | null };

const find = (at: InProcessSandbox, q: string, more: object = {}) =>
  at.control.get<Page>('/find', { q, ...more });
const typesOf = (results: Match[]) => [...new Set(results.map(({ type }) => type))];

/** A sale with its webhook, and the request of it. */
async function soldDomain() {
  const { at } = await withReceiver(200, { rateLimits: false });
  const listing = await seededListing(0);
  const quote = await quoteFor(at, listing.domain);
  const sale = orderBody(listing, { external_payment_ref: 'inv 4711', quote_id: quote.quote_id });
  const response = await requestOrder(at, sale, { idempotencyKey: 'key-17.shop' });
  const order = await answered<{ public_id: string }>(response, 201);
  await at.idle();
  const [[event], [delivery]] = [await allEvents(at), await deliveriesOf(at)];
  const request = await newestLogged(at);
  const nonce = request.request.headers.find(([name]) => /nonce/i.test(name))?.[1] ?? '';
  const ids = {
    order: order.public_id,
    event: event?.id ?? '',
    delivery: delivery?.delivery_id ?? '',
    request: request.request_id,
  };
  return { at, listing, quote, nonce, ids };
}

describe('an id', () => {
  test.each(['order', 'event', 'delivery', 'request'] as const)(
    'of a kind such as %s leads to its object, in HTTP, the command line and the page',
    async (type) => {
      const { at, ids } = await soldDomain();
      const id = ids[type];
      const page = await find(at, id);
      expect(page).toMatchObject({ results: [{ type, id, world: 'default' }], next_cursor: null });
      const { json } = await commandLine(at)(['find', id, '--json']);
      expect(json()).toEqual(page);
      const findPage = `${at.url}/_sandbox/dashboard/find?q=${id}`;
      const shown = await at.fetch(findPage, { redirect: 'manual' });
      expect(shown.status).toBe(302);
      expect(shown.headers.get('location')).toBe(page.results[0]?.href);
      const target = await at.fetch(`${at.url}${page.results[0]?.href}`);
      expect(target.status).toBe(200);
      expect(await target.text()).toContain(id);
    },
  );

  test('of a key, a quote, a nonce, an Idempotency-Key or a payment leads to its object', async () => {
    const { at, quote, nonce, ids } = await soldDomain();
    const first = async (q: string) => (await find(at, q)).results[0];
    expect(await first(at.credential.key_id)).toMatchObject({ type: 'credential' });
    expect((await find(at, quote.quote_id)).results).toMatchObject([
      { type: 'request', title: '201 POST /orders' },
      { type: 'request', title: '201 POST /quotes' },
    ]);
    for (const value of [nonce, 'key-17.shop']) {
      expect((await find(at, value)).results).toMatchObject([{ type: 'request', id: ids.request }]);
    }
    const other = orderBody(await seededListing(1), { external_payment_ref: 'inv 4711' });
    const key = await mint(at, { partner: 'other' });
    await requestOrder(at, other, { key, idempotencyKey: 'order-1' });
    await requestOrder(at, {}, { key, idempotencyKey: 'order-10' });
    expect(await first('order-1')).toMatchObject({ title: '201 POST /orders' });
    expect((await find(at, 'inv 4711')).results).toMatchObject([
      { type: 'order', title: expect.not.stringContaining(quote.domain) },
      { type: 'order', id: ids.order },
      ...[{ type: 'request' }, { type: 'request' }],
    ]);
  });

  test('of a link, partner, fault, refund or commission leads to what it belongs to', async () => {
    const at = await sandbox();
    const { transaction_id } = await checkoutSale(at);
    const { public_id } = await orderFor(at, await seededListing(0));
    const { link_id } = await linkFor(at);
    const refunds = await send(at, '/refunds', { public_id });
    const { refund_id } = await answered<{ refund_id: string }>(refunds, 201);
    const [{ commission_id } = { commission_id: '' }] = await commissions(at);
    const leadsTo = async (id: string, page: string) =>
      expect((await find(at, id)).results).toMatchObject([{ href: `/_sandbox/dashboard/${page}` }]);
    await leadsTo(link_id, `requests?text=${link_id}`);
    await leadsTo('ptr_local', 'credentials');
    const { fault_id } = await addFault(at, { effect: { code: 'conflict' } });
    await leadsTo(fault_id, 'faults');
    await leadsTo(refund_id, `orders/${public_id}`);
    await leadsTo(commission_id, `transactions/${transaction_id}`);
  });

  test('of a kind that has a page for each item leads to it', () => {
    const lists = MENU.flatMap(({ pages }) => pages).filter(({ detail }) => detail);
    const ids = ['req_1', 'dlv_1', 'ord_1', 'cs_1', 'txn_1', 'brk_1', 'stm_1', 'pay_1'];
    const paths = ids.map((id) => pageOf(id)?.path);
    expect(paths).toEqual(lists.map(({ path }, n) => `${path}/${ids[n]}`));
  });

  test('of another world says which one', async () => {
    const at = await sandbox();
    await at.control.post('/worlds', { name: 'w' });
    const key = await mint(at, { world: 'w', partner: 'p' });
    const { case_id: id } = await caseFor(at, 'cased.example', key);
    expect((await find(at, id)).results).toMatchObject([
      { type: 'brokerage', id, world: 'w', href: `/_sandbox/dashboard/brokerage/${id}?world=w` },
    ]);
  });

  test('that no world has finds the requests that name it', async () => {
    const { at } = await soldDomain();
    expect((await find(at, 'ord_0000000none')).results).toEqual([]);
    await at.call({ method: 'GET', target: '/api/partner/v1/orders/ord_0000000none' });
    const [id] = await loggedIds(at);
    expect((await find(at, 'ord_0000000none')).results).toMatchObject([{ type: 'request', id }]);
  });
});

describe('other text', () => {
  test('that is a domain leads to its listing, orders, requests and deliveries', async () => {
    const { at, listing, ids } = await soldDomain();
    const { results } = await find(at, listing.domain);
    expect(typesOf(results)).toEqual(['listing', 'order', 'request', 'event', 'delivery']);
    expect(results.find(({ type }) => type === 'order')?.id).toBe(ids.order);
  });

  test('that is a domain leads to a rejected order that names only a quote of it', async () => {
    const at = await sandbox({ frozenAt: '1999-06-30' });
    const quotes = await Promise.all(
      [0, 1].map(async (n) => quoteFor(at, (await seededListing(n)).domain)),
    );
    await at.control.post('/clock/advance', { by: '11m' });
    for (const { quote_id } of quotes) {
      const sale = { quote_id, external_payment_ref: quote_id.slice(-8) };
      await answered(await requestOrder(at, sale), 422);
    }
    const [wanted] = quotes;
    const { results } = await find(at, wanted?.domain ?? '');
    expect(results.map(({ title }) => title)).toEqual([
      'listed in SANDBOX',
      '422 quote_expired POST /orders',
      '201 POST /quotes',
    ]);
    const where = `domain:${wanted?.domain} status:4xx`;
    expect(await at.control.get('/requests', { where })).toMatchObject({
      requests: [{ request_id: results[1]?.id, domain: wanted?.domain }],
      total: 1,
    });
  });

  test('is searched in requests, events and deliveries, page by page', async () => {
    const { at } = await soldDomain();
    const { results } = await find(at, 'order.recorded');
    const paged = await listed<Match>(at, 'results', '/find?q=order.recorded&limit=1');
    expect(paged).toEqual(results);
    expect(typesOf(results)).toEqual(['request', 'event', 'delivery']);
  });

  test('is searched in the last response of a delivery, as the list of deliveries shows it', async () => {
    const { at } = await withAttempt(503);
    // With a space, since times may end with 503 too.
    expect((await find(at, '"503 "')).results).toMatchObject([{ type: 'delivery' }]);
  });

  test('may have filters; a typing error in one is told', async () => {
    const { at, ids } = await soldDomain();
    const { results } = await find(at, `order:${ids.order} status:201 method:POST`);
    expect(results.map(({ type, id }) => [type, id])).toEqual([['request', ids.request]]);
    await expect(find(at, 'statsu:4xx')).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringContaining('q: "statsu" is not a filter. Did you mean status?'),
    });
    await expect(find(at, 'order:42')).rejects.toThrow(/; put text with a colon in double quotes/);
    await requestOrder(at, { note: 'nine"inch' }, { idempotencyKey: 'order:"42' });
    expect((await find(at, '"order:"42"')).results).toMatchObject([{ type: 'request' }]);
    expect((await find(at, 'nobody-wrote-this')).results).toEqual([]);
    await at.call({ method: 'GET', target: '/api/partner/v1/events?caf%C3%A9%20m%C3%BCnchen.de' });
    for (const q of ['café m', 'münchen.de', 'nine"inch']) {
      expect((await find(at, q)).results).toMatchObject([{ type: 'request' }]);
    }
  });
});
