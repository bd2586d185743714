import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { InProcessSandbox } from '../../../src/index.ts';
import type { Order } from '../../support/orders.ts';
import { freePorts, isListening } from '../../support/ports.ts';
import { sandbox } from '../../support/sandbox.ts';
import { emptyDirectory } from '../../support/sandlot-process.ts';
import { APPS, IS_FULL, NODE, run, SHOPS, type Shop } from './apps.ts';

const DOMAIN = 'auto-complete.test';
/** The call that records a sale. */
const ORDER = { method: 'POST', path: '/orders' };

/** A shop in a process of its own, and what a test does with it. */
interface Running {
  marketplace: InProcessSandbox;
  /** Kills it, and starts it again. */
  restart(): Promise<void>;
  /** Buys the domain; returns the exit code. */
  buy(...args: string[]): Promise<number | null>;
  /** Prints what the shop believes, or runs another of its commands. */
  command(name: string): Promise<string>;
  state(): Promise<unknown>;
}

async function open(shop: Shop): Promise<Running> {
  const marketplace = await sandbox({ port: 0 });
  const [port = 0] = await freePorts(1);
  const cwd = emptyDirectory();
  const env = {
    ...process.env,
    ...shop.env,
    SANDLOT_URL: marketplace.url,
    SANDLOT_KEY_ID: marketplace.credential.key_id,
    SANDLOT_SECRET: marketplace.credential.secret,
    SANDLOT_WEBHOOK_SECRET: 'whsec_local',
    PORT: String(port),
    DB: 'shop.db',
    CLIENT_TIMEOUT_MS: '1000',
  };
  let child: ChildProcess | undefined;
  const kill = async () => {
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    if (child?.kill('SIGKILL')) await ended;
  };
  const restart = async () => {
    await kill();
    child = spawn(...split(shop.command), { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] });
    await expect.poll(() => isListening(port)).toBe(true);
  };
  onTestFinished(kill);
  await restart();
  if (shop.hasReceiver) {
    const url = `http://127.0.0.1:${port}/webhooks`;
    await marketplace.control.put('/webhooks', { url, secret: 'whsec_local' });
  }
  const command = async (name: string) => {
    const { code, stdout, stderr } = await run([...shop.command, name], { cwd, env });
    expect(code, stderr).toBe(0);
    return stdout;
  };
  return {
    marketplace,
    restart,
    buy: async (...args) => {
      const words: [string, ...string[]] = [NODE, path.join(APPS, 'buy.mjs'), ...args];
      return (await run(words, { cwd, env })).code;
    },
    command,
    state: async () => JSON.parse(await command('state')),
  };
}

function split([file, ...args]: Shop['command']): [string, string[]] {
  return [file, args];
}

/** Lets the time pass in which the marketplace moves the order and repeats failed deliveries. */
async function pass(marketplace: InProcessSandbox, by: string): Promise<void> {
  await marketplace.idle();
  await marketplace.control.post('/clock/advance', { by });
  await marketplace.idle();
}

async function ordersOf({ control }: InProcessSandbox): Promise<Order[]> {
  const { orders } = await control.get<{ orders: Order[] }>('/orders');
  return orders;
}

/** The one sale that the marketplace has recorded, as a correct shop states it. */
async function onlySale(marketplace: InProcessSandbox) {
  const orders = await ordersOf(marketplace);
  expect(orders).toHaveLength(1);
  const [order] = orders;
  return {
    order: order?.public_id,
    ref: 'pay-1',
    domain: order?.domain,
    status: order?.status,
    price_cents: order?.sale_price_cents,
    fulfilled: order?.status === 'TRANSFER_COMPLETED' ? 1 : 0,
    refunded: order?.status === 'REFUNDED' ? 1 : 0,
    pending: false,
  };
}

describe.skipIf(!IS_FULL).each(Object.values(SHOPS))('the shop in $name', (shop) => {
  const correct = test.skipIf(shop.isMissing);

  correct('sells a domain once and fulfills it once', async () => {
    const { marketplace, buy, state } = await open(shop);
    expect(await buy()).toBe(0);
    await pass(marketplace, '5s');
    const sale = await onlySale(marketplace);
    expect(sale).toMatchObject({ domain: DOMAIN, status: 'TRANSFER_COMPLETED' });
    await expect.poll(state).toEqual([sale]);
    expect(await buy()).toBe(0);
    await expect.poll(state).toEqual([await onlySale(marketplace)]);
  });

  correct('says that the purchase failed when the domain is not for sale', async () => {
    const { marketplace, buy, state } = await open(shop);
    expect(await buy('sold-meanwhile.test')).toBe(1);
    expect(await state()).toMatchObject([{ order: null, fulfilled: 0, pending: false }]);
    expect(await ordersOf(marketplace)).toEqual([]);
  });

  correct.each([
    ['is lost', { drop: 'after' }],
    ['comes too late', { delay_ms: 1_500, delay: 'after' }],
  ])('sells a domain once when the response to its order %s', async (_, effect) => {
    const { marketplace, buy, state } = await open(shop);
    await marketplace.control.post('/faults', { match: ORDER, effect, times: 1 });
    expect(await buy()).toBe(0);
    await pass(marketplace, '5s');
    await expect.poll(state).toEqual([await onlySale(marketplace)]);
  });

  correct('loses nothing when it is killed before it gets the response to its order', async () => {
    const { marketplace, buy, state, restart } = await open(shop);
    const effect = { delay_ms: 60_000, delay: 'after' };
    await marketplace.control.post('/faults', { match: ORDER, effect, times: 1 });
    const bought = buy();
    await expect.poll(async () => (await ordersOf(marketplace)).length).toBe(1);
    await restart();
    await bought;
    await pass(marketplace, '10s');
    await expect.poll(state).toEqual([await onlySale(marketplace)]);
  });

  correct('charges the new price when the quote has expired', async () => {
    const { marketplace, buy, state } = await open(shop);
    const { control } = marketplace;
    const effect = { delay_ms: 800 };
    const fault = await control.post<{ fault_id: string }>('/faults', { match: ORDER, effect });
    const bought = buy();
    const waiting = async () => {
      const { faults } = await control.get<{ faults: { hits: number }[] }>('/faults');
      return faults[0]?.hits;
    };
    await expect.poll(waiting).toBe(1);
    await control.delete(`/faults/${fault.fault_id}`);
    await control.patch(`/inventory/${DOMAIN}`, { price_cents: 250_000 });
    await control.post('/clock/advance', { by: '11m' });
    expect(await bought).toBe(0);
    await pass(marketplace, '5s');
    const sale = await onlySale(marketplace);
    expect(sale.price_cents).toBe(250_000);
    await expect.poll(state).toEqual([sale]);
  });
});

describe.skipIf(!IS_FULL)('the shop in Node', () => {
  test.each([
    ['twice', { duplicate: true }, '5s'],
    ['after the next one', { reorder: true }, '2m'],
    ['an hour late', { delay_ms: 3_600_000 }, '2h'],
    ['wrongly signed at first', { corrupt_signature: true }, '2m'],
  ])('states what the marketplace does when each webhook comes %s', async (_, webhook, by) => {
    const { marketplace, buy, state } = await open(SHOPS.node);
    const times = 'corrupt_signature' in webhook || 'reorder' in webhook ? { times: 1 } : {};
    await marketplace.control.post('/faults', { webhook, ...times });
    expect(await buy()).toBe(0);
    await pass(marketplace, by);
    await expect.poll(state).toEqual([await onlySale(marketplace)]);
  });

  test('catches up with events that it missed', async () => {
    const { marketplace, buy, state, command } = await open(SHOPS.node);
    await marketplace.control.post('/faults', { webhook: { drop: true } });
    expect(await buy()).toBe(0);
    await pass(marketplace, '12h');
    expect(await state()).toMatchObject([{ pending: true, fulfilled: 0 }]);
    await command('catch-up');
    await command('catch-up');
    expect(await state()).toEqual([await onlySale(marketplace)]);
  });

  test('pays the buyer back once, and the same when the response is lost', async () => {
    const { marketplace, buy, state } = await open(SHOPS.node);
    const match = { method: 'POST', path: '/refunds' };
    await marketplace.control.post('/faults', { match, effect: { drop: 'after' }, times: 1 });
    expect(await buy('held-order.test', '--refund')).toBe(0);
    await marketplace.idle();
    const sale = await onlySale(marketplace);
    expect(sale.status).toBe('REFUNDED');
    await expect.poll(state).toEqual([sale]);
  });

  test('rejects a forged webhook', async () => {
    const { marketplace, buy, state } = await open(SHOPS.node);
    await marketplace.control.post('/faults', { webhook: { corrupt_signature: true } });
    expect(await buy()).toBe(0);
    await pass(marketplace, '5s');
    expect(await state()).toMatchObject([{ pending: true, fulfilled: 0 }]);
  });
});
