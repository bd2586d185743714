import { expect, test } from 'vitest';
import { caseFor } from '../support/money.ts';
import { mint } from '../support/orders.ts';
import { sandbox } from '../support/sandbox.ts';

test('the progress page shows the status of the case, without the budget', async () => {
  const at = await sandbox();
  const key = await mint(at, { partner: 'Corner Shop' });
  const found = await caseFor(at, 'wanted.example', key);
  const page = async () => (await at.fetch(found.progress_url)).text();
  const opened = await page();
  expect(opened).toContain('<h1>wanted.example</h1>');
  expect(opened).toContain('Corner Shop');
  expect(opened).toContain('Managed by a broker');
  expect(opened).toContain('<strong>Request received.</strong>');
  expect(opened).toContain(
    '<time datetime="2026-03-02T09:00:00.000Z">2 March 2026, 09:00 UTC</time>',
  );
  for (const secret of ['buyer@example.com', '5,000.00', '500000', found.case_id, key.partner_id]) {
    expect(opened).not.toContain(secret);
  }
  await at.control.post('/clock/advance', { by: '26h' });
  await at.control.post(`/brokerage/${found.case_id}/advance`, { to: 'NEGOTIATING' });
  const negotiating = await page();
  expect(negotiating).toContain('<strong>In negotiation.</strong>');
  expect(negotiating).toContain('3 March 2026, 11:00 UTC');
  await at.control.post(`/brokerage/${found.case_id}/advance`, {
    to: 'COMPLETED',
    deal_price_cents: 432_150,
  });
  const closed = await page();
  expect(closed).toContain('<strong>Deal closed.</strong>');
  expect(closed).toContain('$4,321.50 USD');
});

test('a case without a deal has no price', async () => {
  const at = await sandbox();
  const found = await caseFor(at, 'wanted.example');
  await at.control.post(`/brokerage/${found.case_id}/advance`, { to: 'CLOSED' });
  const text = await (await at.fetch(found.progress_url)).text();
  expect(text).toContain('Closed without a deal');
  expect(text).not.toContain('Agreed price');
});

test('a token that was not issued is a 404 page', async () => {
  const at = await sandbox();
  await at.control.post('/worlds', { name: 'w2', fork: 'default' });
  const { progress_url } = await caseFor(at, 'wanted.example');
  const token = progress_url.split('/').at(-1) ?? '';
  const pages = new Set<string>();
  for (const forged of [
    'x',
    `${token}x`,
    token.slice(0, -1),
    token.replace('default', 'w2'),
    token.replace('default', 'nowhere'),
    '%E0%A4%A',
  ]) {
    const response = await at.fetch(`/brokerage/${forged}`);
    expect(response.status, forged).toBe(404);
    pages.add(await response.text());
  }
  expect(pages.size).toBe(1);
});
