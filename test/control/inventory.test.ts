import { describe, expect, test } from 'vitest';
import { ask, got } from '../support/calls.ts';
import { mintLive, orderFor } from '../support/orders.ts';
import { rejection } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';
import { found } from '../support/search.ts';
import { seededListing } from '../support/seeded-listings.ts';
import { sharedWatched } from '../support/unchanged.ts';

interface Row {
  domain: string;
  status: string;
  price_cents: number;
  floor_price_cents: number;
}
interface Listed {
  listings: Row[];
  next_cursor: string | null;
}

const rejects = (call: Promise<unknown>, code: string) =>
  expect(call).rejects.toMatchObject({ code });

const BREW = { domain: 'zebrabrewpilot.com', price_cents: 199_900 };

describe('a domain that is added', async () => {
  const shared = await sharedWatched();

  test('returns the whole listing', async () => {
    const at = await sandbox();
    expect(
      await at.control.post('/inventory', { ...BREW, domain: ' ZebraBrewPilot.com. ' }),
    ).toEqual({
      domain: 'zebrabrewpilot.com',
      available: true,
      price_cents: 199_900,
      currency: 'USD',
      tld: 'com',
      length: 14,
      category: 'Other',
      keywords: [],
      description: '',
      floor_price_cents: 159_920,
      environment: 'SANDBOX',
      status: 'listed',
    });
    const { listings } = await at.control.get<Listed>('/inventory', { limit: 1 });
    const [listed] = listings;
    expect(await at.control.get('/inventory/zebrabrewpilot.com')).toEqual(listed);
  });

  test('is found by its words, its keywords and its category, and sold', async () => {
    const at = await sandbox({ rateLimits: false });
    await at.control.post('/inventory', { ...BREW, keywords: ['quokka'], category: 'Wombatry' });
    for (const q of ['zebrabrewpilot', 'zebra', 'quokka', 'wombatry', 'zebrabrewpilot.com']) {
      expect(await found(at, q), q).toContain(BREW.domain);
    }
    const order = await orderFor(at, { ...BREW, currency: 'USD' });
    expect(order.domain).toBe(BREW.domain);
    const { listings } = await at.control.get<Listed>('/inventory', { status: 'sold' });
    expect(listings).toMatchObject([{ domain: BREW.domain, available: false, status: 'sold' }]);
  });

  test('to LIVE is for sale there, and nowhere else', async () => {
    const at = await sandbox({ rateLimits: false });
    const live = await mintLive(at);
    await at.control.post('/inventory', { ...BREW, environment: 'LIVE' });
    expect(await found(at, 'zebra', live)).toEqual([BREW.domain]);
    expect(await found(at, 'zebrabrewpilot')).toEqual([]);
    await orderFor(at, { ...BREW, currency: 'USD' }, live);
    await rejects(at.control.get(`/inventory/${BREW.domain}`), 'not_found');
  });

  test.each([
    ['a name twice', { domain: 'held-order.test', price_cents: 1 }, 'conflict', 'held-order.test'],
    ['no name', { price_cents: 1 }, 'validation_error', 'domain: is required'],
    ['no host name', { domain: 'x', price_cents: 1 }, 'validation_error', 'domain: '],
    ['no price', { domain: 'a.com' }, 'validation_error', 'price_cents: is required'],
    ['nothing for a price', { domain: 'a.com', price_cents: 0 }, 'validation_error', 'more than 0'],
    ['half a cent', { domain: 'a.com', price_cents: 1.5 }, 'validation_error', 'whole number'],
    ['too much', { domain: 'a.com', price_cents: 1e13 }, 'validation_error', 'at most'],
    ['euros', { domain: 'a.com', price_cents: 1, currency: 'EUR' }, 'validation_error', 'USD'],
    [
      'a floor over the price',
      { domain: 'a.com', price_cents: 100, floor_price_cents: 101 },
      'validation_error',
      'floor_price_cents: must not be more than the price',
    ],
    [
      'a comma in a keyword',
      { domain: 'a.com', price_cents: 100, keywords: ['a,b'] },
      'validation_error',
      'comma',
    ],
  ])('is rejected with %s, and nothing is added', async (_what, body, code, words) => {
    const rejected = await shared.controlRejected(() => shared.at.control.post('/inventory', body));
    expect(rejected.code).toBe(code);
    expect(rejected.message).toContain(words);
  });
});

describe('the list', () => {
  test('is filtered by status, top-level domain, beginning and environment, and paged', async () => {
    const at = await sandbox({ inventory: 0 });
    for (const domain of ['ab1.com', 'ab2.net', 'abz.com', 'b.com', 'x.co.uk']) {
      await at.control.post('/inventory', { domain, price_cents: 1_000 });
    }
    const names = async (query: Record<string, string | number>) =>
      (await at.control.get<Listed>('/inventory', query)).listings.map(({ domain }) => domain);
    expect(await names({ q: 'AB' })).toEqual(['abz.com', 'ab2.net', 'ab1.com']);
    expect(await names({ q: 'ab', tld: '.com' })).toEqual(['abz.com', 'ab1.com']);
    expect(await names({ tld: 'co.uk' })).toEqual(['x.co.uk']);
    expect(await names({ environment: 'LIVE' })).toEqual([]);
    expect(await names({ status: 'sold' })).toEqual([]);
    const first = await at.control.get<Listed>('/inventory', { q: 'ab', limit: 2 });
    const cursor = first.next_cursor ?? '';
    expect(await names({ q: 'ab', limit: 2, cursor })).toEqual(['ab1.com']);
    await rejects(names({ environment: 'LIVE', cursor }), 'validation_error');
  });
});

describe('a listing that is changed', () => {
  test('has the new price at once, and a floor in proportion', async () => {
    const at = await sandbox();
    await at.control.post('/inventory', { ...BREW, floor_price_cents: 99_950 });
    const path = `/inventory/${BREW.domain}`;
    expect(await at.control.patch(path, { price_cents: 100_000 })).toMatchObject({
      price_cents: 100_000,
      floor_price_cents: 50_000,
    });
    expect(await got(at, `/pricing?domain=${BREW.domain}`)).toMatchObject({
      buy_now_price_cents: 100_000,
      floor_price_cents: 50_000,
    });
    await rejects(at.control.patch(path, { floor_price_cents: 100_001 }), 'validation_error');
    await rejects(at.control.patch(path, {}), 'validation_error');
    await rejects(at.control.patch('/inventory/no.com', { price_cents: 1 }), 'not_found');
  });

  test('to sold is off the market, and to listed on it again', async () => {
    const at = await sandbox({ rateLimits: false });
    const { domain } = await seededListing();
    await at.control.patch(`/inventory/${domain}`, { status: 'sold' });
    expect(await rejection(await ask(at, `/domains/${domain}`))).toMatchObject({ status: 404 });
    await at.control.patch(`/inventory/${domain}`, { status: 'listed' });
    await orderFor(at);
  });
});

describe('a domain that is removed', () => {
  test('is gone from inventory and search, and may be added again', async () => {
    const at = await sandbox({ rateLimits: false });
    await at.control.post('/inventory', BREW);
    expect(await at.control.delete(`/inventory/${BREW.domain}`)).toMatchObject(BREW);
    expect(await found(at, 'zebrabrewpilot')).toEqual([]);
    await rejects(at.control.delete(`/inventory/${BREW.domain}`), 'not_found');
    await at.control.post('/inventory', BREW);
    expect(await found(at, 'zebrabrewpilot')).toEqual([BREW.domain]);
  });
});
