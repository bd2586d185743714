import { describe, expect, test } from 'vitest';
import { got } from '../support/calls.ts';
import { checkoutFor, PAYING, salesOf, submit } from '../support/checkout.ts';
import { linkFor } from '../support/money.ts';
import { mintIn } from '../support/orders.ts';
import { buy, click, linkNow } from '../support/referral.ts';
import { sandbox } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';

describe('following a link', () => {
  test('counts a click, stores it for 30 days and redirects to the landing page', async () => {
    const at = await sandbox();
    const link = await linkFor(at);
    const { response, landingPage } = await click(at, link);
    expect(response.status).toBe(302);
    expect(landingPage).toBe(new URL(link.url).pathname.replace('/r/', '/l/'));
    const [cookie = ''] = response.headers.getSetCookie();
    expect(cookie).toMatch(/^sandlot_click_default=[\w.-]+; /);
    for (const part of ['Max-Age=2592000', 'Path=/', 'HttpOnly', 'SameSite=Lax']) {
      expect(cookie.split('; ')).toContain(part);
    }
    expect(await linkNow(at, link)).toMatchObject({ clicks: 1, sales: 0 });
    expect(await got(at, '/me/clicks')).toMatchObject({ total_clicks: 1 });
  });

  test('does not count a HEAD request', async () => {
    const at = await sandbox();
    const link = await linkFor(at);
    const response = await at.fetch(link.url, { method: 'HEAD' });
    expect(response.status).toBe(302);
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(await linkNow(at, link)).toMatchObject({ clicks: 0 });
  });

  test('works in the world that the code names', async () => {
    const at = await sandbox();
    const key = await mintIn(at, 'w2', { partner: 'Elsewhere' });
    const link = await linkFor(at, { key });
    const { landingPage } = await click(at, link);
    expect(landingPage).toMatch(/~w2$/);
    expect(await (await at.fetch(landingPage)).text()).toContain('Domains from Elsewhere');
    expect(await linkNow(at, link, key)).toMatchObject({ clicks: 1 });
    expect((await at.fetch(link.url.replace('~w2', ''))).status).toBe(404);
  });

  test.each(['nobody', 'nobody~w2', '~', 'x~default', '%E0%A4%A', "'--", 'a%00b'])(
    'an unknown code (%s) returns a 404 page',
    async (code) => {
      const at = await sandbox();
      for (const target of [`/r/${code}`, `/l/${code}`, `/l/${code}/buy`]) {
        const response = target.endsWith('/buy')
          ? await submit(at, target, { domain: 'held-order.test' })
          : await at.fetch(target);
        expect(response.status, target).toBe(404);
        expect(response.headers.get('content-type')).toMatch(/^text\/html/i);
        expect(await response.text()).toContain('This link does not work');
      }
    },
  );
});

describe('a landing page', () => {
  test('of a domain link shows the domain with its price, and sells it', async () => {
    const at = await sandbox();
    const { domain } = await seededListing(3);
    const link = await linkFor(at, { kind: 'domain', domain });
    const { landingPage, cookie } = await click(at, link);
    const text = await (await at.fetch(landingPage)).text();
    expect(text).toContain(`<h1>${domain}</h1>`);
    expect(text).toMatch(/Buy for \$[\d,]+\.\d\d/);
    // It sells its own domain, not the one of the form.
    expect((await buy(at, landingPage, 'held-order.test', cookie)).status).toBe(303);
    expect(await salesOf(at)).toMatchObject([{ domain, link_id: link.link_id }]);
  });

  test('of a sold domain says so', async () => {
    const at = await sandbox();
    const { domain } = await seededListing(3);
    const link = await linkFor(at, { kind: 'domain', domain });
    await submit(at, (await checkoutFor(at, { domain })).checkout_url, PAYING);
    const { landingPage } = await click(at, link);
    for (const response of [
      await at.fetch(landingPage),
      await submit(at, `${landingPage}/buy`, { domain }),
    ]) {
      expect(response.status).toBe(409);
      const text = await response.text();
      expect(text).toContain(`${domain} is not for sale`);
      expect(text).not.toContain('See other domains');
    }
  });

  test('of a generic link has six domains', async () => {
    const at = await sandbox({ inventory: 6 });
    const { landingPage } = await click(at, await linkFor(at));
    const shown = await (await at.fetch(landingPage)).text();
    expect(shown.match(/name="domain"/g)).toHaveLength(6);
    expect(shown).not.toContain('.test"');
  });

  test('of a product link suggests domains for the product', async () => {
    const at = await sandbox({ inventory: 8 });
    await at.control.post('/inventory', { domain: 'nailbar.com', price_cents: 1_000 });
    const link = await linkFor(at, { kind: 'product', product: 'Nail <kit>' });
    const { landingPage } = await click(at, link);
    const text = await (await at.fetch(landingPage)).text();
    expect(text).toContain('<bdi>Nail &lt;kit&gt;</bdi>');
    const suggested = new Set(text.match(/(?<=name="domain" value=")[^"]+/g));
    expect(suggested).toHaveProperty('size', 6);
    expect([...suggested][0]).toBe('nailbar.com');
  });

  test('sells only what is listed in the environment of its partner', async () => {
    const at = await sandbox();
    const { landingPage } = await click(at, await linkFor(at));
    for (const domain of ['never-listed.example', 'no domain', '']) {
      const response = await submit(at, `${landingPage}/buy`, { domain });
      expect(response.status, domain).toBe(409);
      expect(await response.text()).toMatch(/not for sale.*>See other domains from /s);
    }
    expect(await salesOf(at)).toEqual([]);
  });
});
