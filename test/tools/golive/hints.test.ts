import { expect, test } from 'vitest';
import type { InProcessSandbox } from '../../../src/index.ts';
import { commandLine } from '../../cli/command-line.ts';
import { withReceiver } from '../../support/receiver.ts';
import { sandbox } from '../../support/sandbox.ts';
import { get, item, order, request } from './observed.ts';

/** Runs the commands that an item shows as its next steps, one per call. */
async function nextCommands(at: InProcessSandbox, id: string) {
  const { next } = await item(at, id);
  const left = next.filter((step) => step.startsWith('sandlot ')).map((step) => step.slice(8));
  const run = commandLine(at);
  return async () => {
    const line = left.shift() ?? '';
    const { code, stderr } = await run(line);
    expect([line, code, stderr]).toEqual([line, 0, expect.anything()]);
    return line;
  };
}

/** Returns the magic domain that an item names in its next steps. */
async function nextDomain(at: InProcessSandbox, id: string): Promise<string> {
  const { next } = await item(at, id);
  return /[\w-]+\.test\b/.exec(next.join(' '))?.[0] ?? '';
}

async function priceOf(at: InProcessSandbox, domain: string): Promise<number> {
  const response = await request(at, { method: 'GET', target: `/pricing?domain=${domain}` });
  return ((await response.json()) as { buy_now_price_cents: number }).buy_now_price_cents;
}

/** Gets a quote and orders with it, as an integration does in one step. */
async function sellQuoted(at: InProcessSandbox, domain: string): Promise<number> {
  const quoted = await request(at, { method: 'POST', target: '/quotes', body: { domain } });
  const { quote_id } = (await quoted.json()) as { quote_id: string };
  const body = { quote_id, external_payment_ref: 'pi_1' };
  const headers = { 'Idempotency-Key': quote_id.slice(0, 60) };
  return (await request(at, { method: 'POST', target: '/orders', body, headers })).status;
}

test('an integration that gets a quote and orders in one step meets sale.quote_renewed as it says', async () => {
  const at = await sandbox();
  const domain = await nextDomain(at, 'sale.quote_renewed');
  expect(await sellQuoted(at, domain)).toBe(422);
  expect((await item(at, 'sale.quote_renewed')).status).toBe('unmet');
  expect(await sellQuoted(at, domain)).toBe(422);
  expect((await item(at, 'sale.quote_renewed')).status).toBe('met');
});

test('an integration that reads the price and orders in one step meets sale.price_refreshed as it says', async () => {
  const at = await sandbox();
  const sell = async (domain: string) => {
    const price = await priceOf(at, domain);
    return (await order(at, { domain, price }, domain)).status;
  };
  await sell('held-order.test');
  const domain = await nextDomain(at, 'sale.price_refreshed');
  expect(await sell(domain)).toBe(422);
  expect((await item(at, 'sale.price_refreshed')).status).toBe('unmet');
  expect(await sell(domain)).toBe(422);
  expect((await item(at, 'sale.price_refreshed')).status).toBe('met');
});

test('a job that catches up meets history.caught_up as it says', async () => {
  const { at } = await withReceiver();
  const next = await nextCommands(at, 'history.caught_up');
  await next();
  const domain = 'held-order.test';
  await order(at, { domain, price: await priceOf(at, domain) }, 'k1');
  await next();
  await get(at, '/events');
  expect(await next()).toBe('faults clear');
  expect((await item(at, 'history.caught_up')).status).toBe('met');
});
