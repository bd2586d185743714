import { expect, test } from 'vitest';
import type { InProcessSandbox } from '../../../src/index.ts';
import { receiver, register } from '../../support/receiver.ts';
import { sandbox } from '../../support/sandbox.ts';
import { item, order } from './observed.ts';

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
  expect(text).not.toContain('class="item"');
});

test('the commands of a report reach its sandbox and the world of the page', async () => {
  const at = await sandbox({ port: 0 });
  await at.control.post('/worlds', { name: 'w1' });
  await register(at, (await receiver()).url);
  await order(at, LOST, 'first-key').catch(() => 'lost');
  await at.idle();
  const text = await page(at, 'go-live?world=w1');
  expect(text).toContain(`golive --init sandlot.golive.json --url ${at.url}<`);
  expect(text).toContain(`faults add --code forbidden --times 1 --url ${at.url} --world w1<`);
  expect(text).toContain(`--url ${at.url} webhooks test --url URL --secret SECRET --world w1<`);
});

test('a contradiction links each request that it rests on', async () => {
  const at = await sandbox();
  await order(at, LOST, 'first-key').catch(() => 'lost');
  await order(at, LOST, 'another-key').catch(() => 'lost');
  const { contradictions } = await item(at, 'sale.lost_response');
  const text = await page(at);
  const article = /<details[^>]* id="sale\.lost_response" [^>]*open[\s\S]*?<\/details>/;
  expect(textOf(text, article)).toContain('Find the order after a lost response contradicted');
  expect(textOf(text, /<section class="card" aria-label="Summary"[\s\S]*?<\/section>/)).toMatch(
    /^Go-live check failed: \d+ of \d+ required items met/,
  );
  expect(contradictions).toHaveLength(2);
  for (const { href } of contradictions) {
    expect(article.exec(text)?.[0]).toContain(`href="${href}"`);
  }
});
