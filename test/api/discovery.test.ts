import { describe, expect, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { ask, got } from '../support/calls.ts';
import { mint, orderFor, quoteFor } from '../support/orders.ts';
import { answered, invalid, rejection } from '../support/responses.ts';
import { sandbox, sharedSandbox } from '../support/sandbox.ts';
import { type SeededListing, seededListing } from '../support/seeded-listings.ts';

interface Domain extends SeededListing {
  available: boolean;
  tld: string;
  length: number;
  category: string;
  keywords: string[];
  description: string;
}

const DOMAIN_MEMBERS = [
  'domain',
  'available',
  'price_cents',
  'currency',
  'tld',
  'length',
  'category',
  'keywords',
  'description',
];

async function search(at: InProcessSandbox, q: string): Promise<Domain[]> {
  const path = `/domains/search?q=${encodeURIComponent(q)}`;
  const body = await got<{ domains: Domain[] }>(at, path);
  expect(Object.keys(body)).toEqual(['domains']);
  expect(body.domains.length).toBeLessThanOrEqual(5);
  return body.domains;
}

/** For calls that change nothing. */
const shared = await sharedSandbox({ rateLimits: false });

const names = (found: Domain[]) => found.map(({ domain }) => domain);

describe('search', () => {
  test('returns at most five domains, each with all fields and no score', async () => {
    const at = await sandbox();
    const found = await search(at, 'money shop');
    expect(found).toHaveLength(5);
    expect(new Set(names(found)).size).toBe(5);
    for (const domain of found) {
      expect(Object.keys(domain)).toEqual(DOMAIN_MEMBERS);
      expect(domain).toMatchObject({ available: true, currency: 'USD' });
      expect(domain.price_cents).toSatisfy(Number.isSafeInteger);
      expect(domain.domain.endsWith(`.${domain.tld}`)).toBe(true);
      expect(domain.domain).toHaveLength(domain.length + domain.tld.length + 1);
      expect(domain.keywords.every((word) => typeof word === 'string')).toBe(true);
    }
  });

  test('puts the domain that is named first, however it is written', async () => {
    const at = await sandbox();
    const { domain } = await seededListing(3);
    for (const q of [domain, domain.toUpperCase(), ` ${domain}. `]) {
      expect((await search(at, q))[0]?.domain).toBe(domain);
    }
  });

  test.each([
    '"',
    '*',
    '"a" OR "b"',
    'NOT',
    'AND',
    'name:shop',
    '-shop',
    '^',
    '(',
    'NEAR(a b)',
    "' --",
    '%',
    '\ud83d\ude00',
    '{}',
    ';drop table listings',
    'ſ',
    'İ',
    '½',
    '٣',
    '日本',
    'a'.repeat(2_000),
  ])('takes %s for words, not for commands', async (q) => {
    await search(shared, q.toWellFormed());
  });

  test.each([
    '',
    '?q=',
    '?q=%20',
    '?q=%09%0A',
    '?Q=shop',
    '?q=shop&q=cloud',
    `?q=${'a'.repeat(2_001)}`,
  ])('is rejected for its q: %s', async (query) => {
    const response = await rejection(await ask(shared, `/domains/search${query}`));
    expect(response).toMatchObject({ status: 400, code: 'validation_error' });
    expect(response.message).toMatch(/^q: /);
  });

  test('ignores parameters that it does not know', async () => {
    const at = await sandbox();
    await got(at, '/domains/search?q=shop&limit=50&page=2&limit=1');
  });
});

describe('one domain', () => {
  test('is shown with price, availability and metadata, as a search shows it', async () => {
    const at = await sandbox();
    const { domain, price_cents } = await seededListing();
    const shown = await got<Domain>(at, `/domains/${domain}`);
    expect(Object.keys(shown)).toEqual(DOMAIN_MEMBERS);
    expect(shown).toMatchObject({ domain, price_cents, available: true });
    expect(shown).toEqual((await search(at, domain))[0]);
  });

  test('has one price wherever it is asked for', async () => {
    const at = await sandbox();
    const { domain, price_cents, currency } = await seededListing();
    expect(await got(at, `/availability?domain=${domain}`)).toEqual({
      domain,
      available: true,
      price_cents,
      currency,
    });
    const pricing = await got<{ floor_price_cents: number }>(at, `/pricing?domain=${domain}`);
    expect(pricing).toEqual({
      domain,
      buy_now_price_cents: price_cents,
      floor_price_cents: expect.any(Number),
      currency,
    });
    expect(pricing.floor_price_cents).toSatisfy(Number.isSafeInteger);
    expect(pricing.floor_price_cents).toBeGreaterThan(0);
    expect(pricing.floor_price_cents).toBeLessThanOrEqual(price_cents);
  });
});

/** The three ways to ask for one domain by name. */
const BY_NAME: [string, (name: string) => string][] = [
  ['detail', (name) => `/domains/${encodeURIComponent(name)}`],
  ['availability', (name) => `/availability?domain=${encodeURIComponent(name)}`],
  ['pricing', (name) => `/pricing?domain=${encodeURIComponent(name)}`],
];

describe.each(BY_NAME)('%s', (kind, path) => {
  test('normalises the name', async () => {
    const at = await sandbox();
    const { domain } = await seededListing();
    for (const spelled of [domain.toUpperCase(), `${domain}.`, ` ${domain}  `]) {
      expect(await got(at, path(spelled))).toMatchObject({ domain });
    }
  });

  test.each([
    ['MÜNCHEN.DE.', 'xn--mnchen-3ya.de'],
    ['mu\u0308nchen.de', 'xn--mnchen-3ya.de'],
    ['xn--mnchen-3ya.de', 'xn--mnchen-3ya.de'],
    ['faß.de', 'xn--fa-hia.de'],
    ['пример.испытание', 'xn--e1afmkfd.xn--80akhbyknj4f'],
    ['例え。テスト', 'xn--r8jz45g.xn--zckzah'],
    ['💡.com', 'xn--ds8h.com'],
    ['ＥＸＡＭＰＬＥ.com', 'example.com'],
    ['3com.com', '3com.com'],
    [`${'a'.repeat(63)}.com`, `${'a'.repeat(63)}.com`],
  ])('reads %s as %s', async (name, normal) => {
    expect(await (await ask(shared, path(name))).text()).toContain(normal);
  });

  test('of an unlisted or sold domain returns its own error', async () => {
    const at = await sandbox();
    const sold = await seededListing();
    await orderFor(at, sold);
    for (const domain of ['nobody-lists-this.com', sold.domain]) {
      const response = await ask(at, path(domain));
      if (kind === 'availability') {
        expect(await answered(response, 200)).toEqual({
          domain,
          available: false,
          price_cents: null,
          currency: null,
        });
      } else {
        expect(await rejection(response)).toMatchObject({ status: 404, code: 'not_found' });
      }
    }
  });

  test("shows a domain under another partner's quote as listed", async () => {
    const at = await sandbox();
    const { domain } = await seededListing();
    await quoteFor(at, domain, await mint(at, { partner: 'other' }));
    await got(at, path(domain));
  });

  test.each([
    'com',
    'a..com',
    '-a.com',
    'a-.com',
    'a_b.com',
    'a b.com',
    '1.2.3.4',
    'http://a.com',
    'a.com:80',
    'a.com/b',
    'a.com?',
    'a@b.com',
    `${'a'.repeat(64)}.com`,
    `${'a.'.repeat(126)}com`,
    '*.com',
    '%',
    '.com',
    'a.com..',
    'a.42',
    'a\0.com',
    '[::1]',
    '%61é.com',
    'é:80',
    '１２７.1',
    '١٢٧.٠.٠.١',
    `${'ü'.repeat(63)}.com`,
  ])('rejects %s', async (name) => {
    const response = await rejection(await ask(shared, path(name)));
    expect(response).toMatchObject({ status: 400, code: 'validation_error' });
    expect(response.message).toMatch(kind === 'detail' ? /^name: / : /^domain: /);
  });
});

test.each(['/availability', '/pricing'])('%s needs exactly one domain', async (path) => {
  const at = await sandbox();
  for (const query of ['', '?domain=', '?domain', '?domain=a.com&domain=a.com', '?name=a.com']) {
    expect(await rejection(await ask(at, path + query))).toMatchObject(invalid('domain'));
  }
});
