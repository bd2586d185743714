import { describe, expect, test } from 'vitest';
import type { InProcessSandbox, Key } from '../../src/index.ts';
import { send, walked } from '../support/calls.ts';
import { checkoutSale, type Link, linkFor } from '../support/money.ts';
import { mintIn, orderFor } from '../support/orders.ts';
import { click } from '../support/referral.ts';
import { answered, invalid } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';
import { sharedWatched, watched } from '../support/unchanged.ts';

async function links(at: InProcessSandbox, key?: Key): Promise<Link[]> {
  return (await walked<Link>(at, '/links', 'links', key)).rows;
}

describe('a link', async () => {
  const shared = await sharedWatched();

  test.each([
    [{ kind: 'generic' }, {}],
    [{ kind: 'generic', label: 'footer' }, { label: 'footer' }],
    [
      { kind: 'domain', domain: ' HELD-ORDER.test. ', label: null },
      { domain: 'held-order.test', kind: 'domain' },
    ],
    [
      { kind: 'product', product: 'logo design', domain: null },
      { product: 'logo design', kind: 'product' },
    ],
  ])('created with %j has exactly the documented fields', async (body, differs) => {
    const at = await sandbox();
    const made = await answered<Link>(await send(at, '/links', body), 201);
    expect(made).toStrictEqual({
      link_id: expect.stringMatching(/^lnk_[0-9a-z]+$/),
      kind: 'generic',
      url: expect.stringMatching(/^http:\/\/localhost\/r\/[A-Za-z0-9]{10}$/),
      domain: null,
      product: null,
      label: null,
      clicks: 0,
      sales: 0,
      created_at: '2026-03-02T09:00:00.000Z',
      ...differs,
    });
    expect(await links(at)).toStrictEqual([made]);
  });

  test.each([
    ['kind', {}],
    ['kind', { kind: 'GENERIC' }],
    ['kind', { kind: 'banner' }],
    ['domain', { kind: 'domain' }],
    ['domain', { kind: 'domain', domain: null }],
    ['domain', { kind: 'domain', domain: 'nodots' }],
    ['domain', { kind: 'generic', domain: 'held-order.test' }],
    ['domain', { kind: 'product', product: 'logo', domain: 'held-order.test' }],
    ['product', { kind: 'product' }],
    ['product', { kind: 'product', product: ' ' }],
    ['product', { kind: 'generic', product: 'logo' }],
    ['product', { kind: 'domain', domain: 'held-order.test', product: 'logo' }],
    ['label', { kind: 'generic', label: '' }],
    ['label', { kind: 'generic', label: 'x'.repeat(201) }],
    ['label', { kind: 'generic', label: 5 }],
  ])('with an invalid %s is rejected and changes nothing: %j', async (field, body) => {
    const { at, rejected } = shared;
    expect(await rejected(() => send(at, '/links', body))).toMatchObject(invalid(field));
  });

  test('to a domain that is not listed, or sold, is not found and changes nothing', async () => {
    const { at, rejected } = await watched();
    await orderFor(at);
    for (const domain of [(await seededListing()).domain, 'nobody-lists-this.com']) {
      const response = await rejected(() => send(at, '/links', { kind: 'domain', domain }));
      expect(response).toMatchObject({ status: 404, code: 'not_found' });
    }
  });

  test('each has a url of its own, in every world', async () => {
    const at = await sandbox();
    const there = await mintIn(at, 'twin');
    const made = [];
    for (const key of [at.credential, at.credential, there]) made.push(await linkFor(at, { key }));
    expect(new Set(made.map(({ url }) => url)).size).toBe(3);
  });

  test('counts its clicks, and no other link’s', async () => {
    const at = await sandbox();
    const [first, second, third] = [await linkFor(at), await linkFor(at), await linkFor(at)];
    for (let n = 0; n < 3; n += 1) await click(at, first);
    await click(at, third);
    const counts = (await links(at)).map(({ link_id, clicks }) => [link_id, clicks]);
    expect(counts).toEqual([
      [third.link_id, 1],
      [second.link_id, 0],
      [first.link_id, 3],
    ]);
  });

  test('counts the sales that are not refunded', async () => {
    const at = await sandbox();
    const [busy, idle] = [await linkFor(at), await linkFor(at)];
    const sold = [];
    for (let n = 0; n < 3; n += 1) sold.push(await checkoutSale(at, { link_id: busy.link_id }));
    await checkoutSale(at);
    const sales = async () => (await links(at)).map((link) => [link.link_id, link.sales]);
    expect(await sales()).toEqual([
      [idle.link_id, 0],
      [busy.link_id, 3],
    ]);
    await at.control.post(`/transactions/${sold[0]?.transaction_id}/refund`);
    expect(await sales()).toEqual([
      [idle.link_id, 0],
      [busy.link_id, 2],
    ]);
  });
});
