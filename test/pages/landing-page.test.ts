import { describe, expect, test } from 'vitest';
import { got } from '../support/calls.ts';
import { checkoutFor, linkFor, linkNow, PAYING, salesOf, submit } from '../support/checkout.ts';
import { mint } from '../support/orders.ts';
import { buy, click } from '../support/referral.ts';
import { sandbox } from '../support/sandbox.ts';
import { stocked } from '../support/seeded-listings.ts';

describe('following a link', () => {
  test('counts a click, remembers it for 30 days and leads to the lander', async () => {
    const at = await sandbox();
    const link = await linkFor(at, { kind: 'generic' });
    const { answer, lander } = await click(at, link);
    expect(answer.status).toBe(302);
    expect(lander).toBe(new URL(link.url).pathname.replace('/r/', '/l/'));
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^sandlot_click_default=[\w.-]+; /);
    for (const part of ['Max-Age=2592000', 'Path=/', 'HttpOnly', 'SameSite=Lax']) {
      expect(cookie.split('; ')).toContain(part);
    }
    expect(await linkNow(at, link)).toMatchObject({ clicks: 1, sales: 0 });
    const clicks = await got<{ total_clicks: number }>(at, '/me/clicks');
    expect(clicks.total_clicks).toBe(1);
  });

  test('HEAD looks without clicking', async () => {
    const at = await sandbox();
    const link = await linkFor(at, { kind: 'generic' });
    const answer = await at.fetch(link.url, { method: 'HEAD' });
    expect(answer.status).toBe(302);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await linkNow(at, link)).toMatchObject({ clicks: 0 });
  });

  test('works in the world that the code names', async () => {
    const at = await sandbox();
    await at.control.post('/worlds', { name: 'w2' });
    const key = await mint(at, { world: 'w2', partner: 'Elsewhere' });
    const link = await linkFor(at, { kind: 'generic' }, key);
    const { lander } = await click(at, link);
    expect(lander).toMatch(/~w2$/);
    expect(await (await at.fetch(lander)).text()).toContain('Domains from Elsewhere');
    expect(await linkNow(at, link, key)).toMatchObject({ clicks: 1 });
    expect((await at.fetch(link.url.replace('~w2', ''))).status).toBe(404);
  });

  test.each(['nobody', 'nobody~w2', '~', 'x~default', '%E0%A4%A', "'--", 'a%00b'])(
    'a code that nobody gave out (%s) is a 404 page',
    async (code) => {
      const at = await sandbox();
      for (const target of [`/r/${code}`, `/l/${code}`, `/l/${code}/buy`]) {
        const answer = target.endsWith('/buy')
          ? await submit(at, target, { domain: 'held-order.test' })
          : await at.fetch(target);
        expect(answer.status, target).toBe(404);
        expect(answer.headers.get('content-type')).toMatch(/^text\/html/i);
        expect(await answer.text()).toContain('This link does not work');
      }
    },
  );
});

describe('a lander', () => {
  test('of a domain link shows it with its price, and sells it', async () => {
    const at = await sandbox();
    const { domain } = await stocked(3);
    const link = await linkFor(at, { kind: 'domain', domain });
    const { lander, cookie } = await click(at, link);
    const text = await (await at.fetch(lander)).text();
    expect(text).toContain(`<h1>${domain}</h1>`);
    expect(text).toMatch(/Buy for \$[\d,]+\.\d\d/);
    // It sells its own domain, whatever the form says.
    expect((await buy(at, lander, 'held-order.test', cookie)).status).toBe(303);
    expect(await salesOf(at)).toMatchObject([{ domain, link_id: link.link_id }]);
  });

  test('of a domain that is sold says so', async () => {
    const at = await sandbox();
    const { domain } = await stocked(3);
    const link = await linkFor(at, { kind: 'domain', domain });
    await submit(at, (await checkoutFor(at, { domain })).checkout_url, PAYING);
    const { lander } = await click(at, link);
    for (const answer of [await at.fetch(lander), await submit(at, `${lander}/buy`, { domain })]) {
      expect(answer.status).toBe(409);
      expect(await answer.text()).toContain(`${domain} is not for sale`);
    }
  });

  test('of a generic link is a shop with a handful of domains and a search', async () => {
    const at = await sandbox();
    const { lander } = await click(at, await linkFor(at, { kind: 'generic' }));
    const shown = await (await at.fetch(lander)).text();
    expect(shown.match(/name="domain"/g)).toHaveLength(6);
    expect(shown).not.toContain('.test"');
    const { domain } = await stocked(5);
    const found = await (await at.fetch(`${lander}?q=${domain}`)).text();
    expect(found).toContain(`<h3>${domain}</h3>`);
    const nothing = await (await at.fetch(`${lander}?q=zzqqxxj`)).text();
    expect(nothing).toContain('No domains match.');
    expect(nothing.match(/name="domain"/g)).toHaveLength(6);
    expect((await at.fetch(`${lander}?q=`)).status).toBe(200);
  });

  test('of a product link is about the product', async () => {
    const at = await sandbox();
    const link = await linkFor(at, { kind: 'product', product: 'Starter <kit>' });
    const { lander } = await click(at, link);
    const text = await (await at.fetch(lander)).text();
    expect(text).toContain('<bdi>Starter &lt;kit&gt;</bdi>');
    expect(text.match(/name="domain"/g)).toHaveLength(6);
  });

  test('sells nothing that is not listed in its partner’s environment', async () => {
    const at = await sandbox();
    const { lander } = await click(at, await linkFor(at, { kind: 'generic' }));
    for (const domain of ['never-listed.example', 'no domain', '']) {
      const answer = await submit(at, `${lander}/buy`, { domain });
      expect(answer.status, domain).toBe(409);
      expect(await answer.text()).toContain('not for sale');
    }
    expect(await salesOf(at)).toEqual([]);
  });

  test('lets no page of another site press its button', async () => {
    const at = await sandbox();
    const { lander } = await click(at, await linkFor(at, { kind: 'generic' }));
    const { domain } = await stocked();
    const from = { 'Sec-Fetch-Site': 'cross-site' };
    expect((await submit(at, `${lander}/buy`, { domain }, from)).status).toBe(403);
    expect(await got(at, '/analytics')).toMatchObject({ funnel: { checkouts: 0 } });
  });
});
