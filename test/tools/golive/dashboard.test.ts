import { expect, test } from 'vitest';
import type { InProcessSandbox } from '../../../src/index.ts';
import { mint } from '../../support/orders.ts';
import { receiver, register } from '../../support/receiver.ts';
import { sandbox } from '../../support/sandbox.ts';
import { item, order, request } from './observed.ts';

const EVIDENCE = /<ul class="evidence"[\s\S]*?<\/ul>/;
const LOST = { domain: 'lost-response.test', price: 139_900 };

async function page(at: InProcessSandbox, name = 'go-live'): Promise<string> {
  const response = await at.fetch(`${at.url}/_sandbox/${name === '' ? '' : `dashboard/${name}`}`);
  expect(response.status).toBe(200);
  return response.text();
}

/** The text of an element and what is in it, without markup. */
function textOf(html: string, selector: RegExp): string {
  return (selector.exec(html)?.[0] ?? '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

test('a sandbox without observed requests says how to begin', async () => {
  const at = await sandbox();
  await at.call({ method: 'GET', target: '/api/partner/v1/orders' });
  const text = await page(at);
  expect(text).toContain('Nothing was seen yet.');
  expect(text).not.toContain('npx sandlot');
  expect(text).not.toContain('<article');
});

test('the overview shows how many items are met, and links what is contradicted', async () => {
  const at = await sandbox();
  expect(await page(at, '')).toMatch(/<b>0<\/b> of \d+ items met/);
  await order(at, LOST, 'first-key').catch(() => 'lost');
  await order(at, LOST, 'another-key').catch(() => 'lost');
  expect(await page(at, '')).toMatch(/go-live#contradictions">\d+ contradicted</);
});

test('a contradiction links each request that it rests on, and these name the item', async () => {
  const at = await sandbox();
  await order(at, LOST, 'first-key').catch(() => 'lost');
  await order(at, LOST, 'another-key').catch(() => 'lost');
  const { contradictions } = await item(at, 'sale.lost_response');
  const text = await page(at);
  const article = /<article[^>]* id="sale\.lost_response"[\s\S]*?<\/article>/;
  expect(textOf(text, article)).toContain('Find the order after a lost response contradicted');
  expect(textOf(text, /<section class="card" aria-label="Summary"[\s\S]*?<\/section>/)).toMatch(
    /^Go-live check failed: \d+ of \d+ required items met/,
  );
  expect(text).toContain('<a href="#sale.lost_response">');
  expect(contradictions).toHaveLength(2);
  for (const { id, href } of contradictions) {
    expect(article.exec(text)?.[0]).toContain(`href="${href}"`);
    const shown = await page(at, `requests/${id}`);
    expect(shown).toContain('href="/_sandbox/dashboard/go-live#sale.lost_response"');
    expect(textOf(shown, EVIDENCE)).toContain('contradicts sale.lost_response');
  }
});

test('the pages of a delivery and of events name the items that these meet', async () => {
  const at = await sandbox();
  const hook = await receiver();
  await register(at, hook.url);
  await order(at, { domain: 'held-order.test', price: 250_000 }, 'key');
  await at.idle();
  const { evidence } = await item(at, 'event.order.recorded');
  const shown = await page(at, `deliveries/${evidence[0]?.id}`);
  for (const text of [shown, await page(at, 'events')]) {
    expect(textOf(text, EVIDENCE)).toContain('meets event.order.recorded');
  }
});

test('evidence of another world links to that world, and its pages name the item there only', async () => {
  const at = await sandbox();
  await at.control.post('/worlds', { name: 'w2' });
  const key = await mint(at, { world: 'w2' });
  await request(at, { method: 'GET', target: '/pricing?domain=held-order.test' }, key);
  const { evidence } = await item(at, 'call.showPricing');
  expect(evidence[0]?.href).toMatch(/\?world=w2$/);
  expect(await page(at)).toContain(`href="${evidence[0]?.href}"`);
  expect(await page(at, `requests/${evidence[0]?.id}?world=w2`)).toContain(
    'go-live?world=w2#call.showPricing',
  );
});

test('markup in evidence is shown as text', async () => {
  const at = await sandbox();
  await order(at, LOST, 'first-key').catch(() => 'lost');
  await order(at, LOST, '<script>alert(1)</script>').catch(() => 'lost');
  const text = await page(at);
  expect(text).toContain('&lt;script&gt;alert(1)');
  expect(text).not.toContain('<script>alert(1)');
});
