import { describe, expect, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { returnUrl } from '../../src/pages/checkout/offer.ts';
import { checkoutFor, PAYING, receiptOf, submit } from '../support/checkout.ts';
import { caseFor, linkFor, RESOLD } from '../support/money.ts';
import { mint } from '../support/orders.ts';
import { sandbox } from '../support/sandbox.ts';

const HOSTILE = `"><script>alert(1)</script>'&{{7*7}}\${7*7}<img src=x onerror=alert(2)>`;

/** Returns a URL of every page. */
async function everyPage(at: InProcessSandbox, partner: string): Promise<string[]> {
  const key = await mint(at, { partner });
  const { domain } = RESOLD;
  const [open, paid, cancelled, late] = [
    await checkoutFor(at, { domain }, key),
    await checkoutFor(at, { domain, return_url: 'https://shop.example/' }, key),
    await checkoutFor(at, { domain }, key),
    await checkoutFor(at, { domain: 'sold-meanwhile.test' }, key),
  ];
  await submit(at, paid.checkout_url, { ...PAYING, name: HOSTILE });
  await submit(at, cancelled.checkout_url, { action: 'cancel' });
  const links = [
    await linkFor(at, { label: HOSTILE, key }),
    await linkFor(at, { kind: 'product', product: HOSTILE, key }),
    await linkFor(at, { kind: 'domain', domain, key }),
  ].map(({ url }) => url.replace('/r/', '/l/'));
  const { progress_url } = await caseFor(at, 'wanted.example', key);
  return [
    open.checkout_url,
    paid.checkout_url,
    receiptOf(paid),
    cancelled.checkout_url,
    late.checkout_url,
    '/checkout?pt=forged',
    ...links,
    '/l/nobody',
    progress_url,
    '/brokerage/nobody',
  ];
}

test('every page has a strict policy, is not cached and says that it is a sandbox', async () => {
  const at = await sandbox();
  for (const url of await everyPage(at, 'Corner Shop')) {
    const response = await at.fetch(url);
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy, url).toMatch(
      /^default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self' http: https:; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('referrer-policy')).toBe('same-origin');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
    const text = await response.text();
    expect(text).toContain('<p class="mark">Sandbox: no real money</p>');
    // Without attribute values, in which such words are only text.
    const tags = (text.replace(/"[^"]*"/g, '""').match(/<[^>]*>/g) ?? []).join('\n');
    expect(text).not.toMatch(/(?:href|action)="(?!\/|https:\/\/shop\.example|#)/);
    expect(tags, url).not.toMatch(/<script|<style|<img|<iframe|\sstyle=|\son\w+=/i);
    expect(text.match(/<h1/g), url).toHaveLength(1);
    const ids = [...text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size, url).toBe(ids.length);
    const loaded = [...text.matchAll(/<link[^>]* href="([^"]*)"/g)].map(([, href]) => href ?? '');
    expect(loaded).toHaveLength(2);
    for (const href of loaded) {
      const asset = await at.fetch(href);
      expect(asset.status, href).toBe(200);
      expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    }
  }
});

test('text of partners and buyers is escaped', async () => {
  const at = await sandbox();
  for (const url of await everyPage(at, HOSTILE)) {
    const text = await (await at.fetch(url)).text();
    expect(text, url).not.toMatch(/<script|<img/);
  }
  const { checkout_url } = await checkoutFor(at, { domain: RESOLD.domain });
  const typed = { ...PAYING, email: HOSTILE, name: HOSTILE, expiry: HOSTILE, country: HOSTILE };
  const text = await (await submit(at, checkout_url, typed)).text();
  expect(text).not.toMatch(/<script|<img/);
  expect(text).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;&amp;');
});

describe('the return URL', () => {
  const session = { id: 'cs_1', cancelUrl: null };

  test.each([
    ['https://shop.example', 'https://shop.example/?session_id=cs_1'],
    ['https://shop.example/?', 'https://shop.example/?session_id=cs_1'],
    ['http://[::1]:3000/a?b=%2F+c#d?e', 'http://[::1]:3000/a?b=%2F+c&session_id=cs_1#d?e'],
    ['https://shöp.example/ü?ü=1', 'https://xn--shp-tna.example/%C3%BC?%C3%BC=1&session_id=cs_1'],
    ['HTTPS://SHOP.EXAMPLE/A', 'https://shop.example/A?session_id=cs_1'],
    ['https://shop.example/\r\nSet-Cookie: a=b', undefined],
    ['javascript:alert(1)', undefined],
  ])('%s becomes %s', (given, expected) => {
    expect(returnUrl({ ...session, returnUrl: given }, 'paid')).toBe(expected);
  });
});
