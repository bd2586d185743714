import { describe, expect, test } from 'vitest';
import { got } from '../support/calls.ts';
import { checkoutFor, PAYING, salesOf, sentTo, submit } from '../support/checkout.ts';
import { linkFor } from '../support/money.ts';
import { mint } from '../support/orders.ts';
import { buy, click, linkNow } from '../support/referral.ts';
import { sandbox } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';

/** A sandbox where a buyer has clicked a link. */
async function clickedLink() {
  const at = await sandbox();
  const link = await linkFor(at);
  return { at, link, ...(await click(at, link)) };
}

describe('attribution', () => {
  test('a sale from the landing page counts for the link, with its commission', async () => {
    const { at, link, landingPage, cookie } = await clickedLink();
    const { domain } = await seededListing();
    await buy(at, landingPage, domain, cookie);
    expect(await salesOf(at)).toMatchObject([{ domain, link_id: link.link_id }]);
    expect(await linkNow(at, link)).toMatchObject({ clicks: 1, sales: 1 });
    expect(await got(at, '/analytics')).toMatchObject({
      funnel: { clicks: 1, checkouts: 1, sales: 1, conversion_rate: 1 },
    });
  });

  test('lasts exactly 30 days of sandbox time', async () => {
    const { at, link, landingPage, cookie } = await clickedLink();
    await at.control.post('/clock/advance', { by: '30d' });
    await buy(at, landingPage, (await seededListing(0)).domain, cookie);
    await at.control.post('/clock/advance', { by: '1ms' });
    await buy(at, landingPage, (await seededListing(1)).domain, cookie);
    expect((await salesOf(at)).map(({ link_id }) => link_id)).toEqual([null, link.link_id]);
  });

  test('is decided when the checkout of the landing page begins, not when it is paid', async () => {
    const { at, link, landingPage, cookie } = await clickedLink();
    const { domain } = await seededListing();
    const started = await submit(at, `${landingPage}/buy`, { domain }, cookie);
    await at.control.post('/clock/advance', { by: '6d' });
    await submit(at, sentTo(started), PAYING);
    expect(await salesOf(at)).toMatchObject([{ link_id: link.link_id }]);
  });

  test('applies to a checkout that the same partner created through the API', async () => {
    const { at, link, cookie } = await clickedLink();
    await submit(at, (await checkoutFor(at)).checkout_url, PAYING, cookie);
    expect(await salesOf(at)).toMatchObject([{ link_id: link.link_id }]);
  });

  test('yields to the link that the checkout names', async () => {
    const at = await sandbox();
    const clicked = await linkFor(at, { label: 'clicked' });
    const named = await linkFor(at, { label: 'named' });
    const { cookie } = await click(at, clicked);
    const session = await checkoutFor(at, { link_id: named.link_id });
    await submit(at, session.checkout_url, PAYING, cookie);
    expect(await salesOf(at)).toMatchObject([{ link_id: named.link_id }]);
  });

  test('goes to the last click', async () => {
    const at = await sandbox();
    const first = await linkFor(at);
    const second = await linkFor(at, { kind: 'product', product: 'kit' });
    const { landingPage } = await click(at, first);
    const { cookie } = await click(at, second);
    await buy(at, landingPage, (await seededListing()).domain, cookie);
    expect(await salesOf(at)).toMatchObject([{ link_id: second.link_id }]);
  });

  test('does not cross to another partner or environment', async () => {
    const at = await sandbox();
    const others = [
      await mint(at, { partner: 'Other' }),
      // Same partner, other environment; nothing is listed there, so it can only click.
      await mint(at, { partner: 'local', environment: 'LIVE' }),
    ];
    await at.control.post(`/credentials/${others[1]?.key_id}/approve`);
    for (const [n, key] of others.entries()) {
      const { cookie } = await click(at, await linkFor(at, { key }));
      const { domain } = await seededListing(n);
      await submit(at, (await checkoutFor(at, { domain })).checkout_url, PAYING, cookie);
    }
    expect((await salesOf(at)).map(({ link_id }) => link_id)).toEqual([null, null]);
  });

  test('cannot be forged and does not survive a reset', async () => {
    const at = await sandbox();
    const [first, second] = [await linkFor(at), await linkFor(at)];
    const real = (await click(at, second)).cookie.Cookie;
    await at.control.post('/clock/advance', { by: '2s' });
    const later = (await click(at, first)).cookie.Cookie;
    await at.reset({ sameIds: true });
    await linkFor(at);
    await at.control.post('/clock/advance', { by: '1s' });
    await linkFor(at);
    const forged = [
      real,
      later,
      `${real.slice(0, -3)}AAA`,
      'sandlot_click_default=lnk_1',
      real.split('.')[0] ?? '',
    ];
    for (const [n, Cookie] of forged.entries()) {
      const { checkout_url } = await checkoutFor(at, { domain: (await seededListing(n)).domain });
      expect((await submit(at, checkout_url, PAYING, { Cookie })).status).toBe(303);
    }
    expect(new Set((await salesOf(at)).map(({ link_id }) => link_id))).toEqual(new Set([null]));
  });

  test('without a click, a landing page sells for its partner but for no link', async () => {
    const at = await sandbox();
    const { landingPage } = await click(at, await linkFor(at));
    await buy(at, landingPage, (await seededListing()).domain, undefined);
    expect(await salesOf(at)).toMatchObject([{ link_id: null }]);
  });
});

test('behind a public https URL, the cookie of a click is secure', async () => {
  const at = await sandbox({ publicUrl: 'https://box.example' });
  const { response } = await click(at, await linkFor(at));
  expect(response.headers.get('set-cookie')).toMatch(/; Secure/);
});
