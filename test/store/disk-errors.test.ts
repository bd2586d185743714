import fs from 'node:fs';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sendSigned, signPartnerRequest } from '../../src/client/partner-client.ts';
import type { Comparison } from '../../src/control/comparisons.ts';
import { recordEvent } from '../../src/events/events.ts';
import { addFault } from '../../src/faults/faults.ts';
import { openSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts';
import type { Client } from '../../src/store/open.ts';
import { registerWebhook } from '../../src/webhooks/registrations.ts';
import { manualTimers } from '../support/manual-timers.ts';
import { magic, type Order, orderBody } from '../support/orders.ts';
import { receiver } from '../support/receiver.ts';
import { answered, rejection } from '../support/responses.ts';
import { stateFolder } from '../support/state-folder.ts';

const KEY = { key_id: 'dmk_sandbox_local', secret: 'dms_sandbox_local_not_a_secret' };

const OWNER = { partnerId: 'ptr_local', environment: 'SANDBOX' } as const;
const EVENT = { type: 'order.recorded', ...OWNER, subjectId: 'ord_1', data: {} } as const;

/** A sandbox whose database the test can make fail, and what it reported of that. */
async function fragile(dataDir?: string) {
  const reported: unknown[] = [];
  const runtime = manualTimers();
  const shop = await openSandbox({
    dataDir,
    inventory: 5,
    runtime,
    frozenAt: Date.UTC(2026, 2, 2, 9),
    report: (error) => reported.push(error),
  });
  onTestFinished(() => shop.close());
  const world = shop.worlds.require('default');
  const scheduler = shop.schedulers.of(world);
  const record = (count: number, url: string) =>
    world.transaction((tx) => {
      registerWebhook(tx, OWNER, { url, secret: 's' });
      for (let n = 0; n < count; n += 1) recordEvent(tx, EVENT);
    });
  return { shop, reported, runtime, world, client: world.store.client, scheduler, record };
}

async function order(
  { app }: Sandbox,
  idempotencyKey: string,
  listing = magic('held-order', 250_000),
): Promise<Response> {
  const request = {
    method: 'POST',
    target: '/api/partner/v1/orders',
    headers: { 'Idempotency-Key': idempotencyKey },
    body: orderBody(listing),
  };
  const signed = signPartnerRequest('http://localhost', KEY, request, Date.now());
  return sendSigned(async (url, init) => app.request(url, init as RequestInit), signed);
}

const eventCount = (client: Client) => client.prepare('SELECT count(*) FROM events').pluck().get();

test('a full disk is reported, loses nothing acknowledged, and the sandbox goes on when there is room', async () => {
  const { shop, client, reported } = await fragile();
  const kept: string[] = [];
  // The database can grow no further.
  client.exec('VACUUM');
  client.pragma(`max_page_count = ${client.pragma('page_count', { simple: true })}`);
  let full: Response | undefined;
  for (let n = 0; n < 200 && !full; n += 1) {
    const response = await order(shop, `k${n}`);
    if (response.status === 201) kept.push(((await response.json()) as Order).public_id);
    else full = response;
  }
  if (!full) throw new Error('the database never became full');
  expect(await rejection(full)).toMatchObject({ status: 500, code: 'internal_error' });
  expect(String(reported.at(-1))).toContain('disk is full');

  client.pragma('max_page_count = 1000000');
  kept.push((await answered<Order>(await order(shop, 'later'), 201)).public_id);
  const stored = client.prepare('SELECT id FROM orders ORDER BY id').pluck().all();
  expect(stored).toEqual(kept);
});

test('a .gitignore that a full disk left empty is written by the next start', async () => {
  const dataDir = stateFolder();
  fs.writeFileSync(`${dataDir}/.gitignore`, '');
  await (await openSandbox({ dataDir })).close();
  expect(fs.readFileSync(`${dataDir}/.gitignore`, 'utf8')).toBe('*\n');
});

test('a request log that cannot be opened fails no request, and is left alone', async () => {
  const dataDir = stateFolder();
  fs.mkdirSync(`${dataDir}/requests.db`);
  const { shop, reported } = await fragile(dataDir);
  await answered(await order(shop, 'k'), 201);
  expect(inspect(reported[0])).toContain('EISDIR');
  expect(fs.readdirSync(dataDir)).not.toContain('requests.db.unreadable');
});

describe('a disk that rejects writes', () => {
  test('returns internal_error, records nothing, and the retry records the sale', async () => {
    const { shop, world, client, reported } = await fragile();
    client.pragma('query_only = 1');
    const response = await rejection(await order(shop, 'k'));
    expect(response).toMatchObject({ status: 500, code: 'internal_error' });
    expect(response.message).not.toMatch(/sqlite|readonly/i);
    expect(reported).toHaveLength(1);
    client.pragma('query_only = 0');
    expect(eventCount(client)).toBe(0);
    await answered(await order(shop, 'k'), 201);
    expect(eventCount(client)).toBe(1);
    const [, failed] = shop.requests.list(world, { limit: 2 });
    const url = `http://localhost/_sandbox/requests/${failed?.requestId}/diff`;
    const { reason } = await answered<Comparison>(await shop.app.request(url), 200);
    expect(reason).toBe('B failed the check rules: 500 internal_error. Both sent the same.');
  });

  test('while a response waits for webhooks does not replace the response to the sale', async () => {
    const { shop, world, client, record } = await fragile();
    const hook = await receiver((response) => {
      client.pragma('query_only = 1');
      response.end();
    });
    record(0, hook.url);
    const effect = { delay: 'delivered', delay_ms: 3_000 } as const;
    world.transaction((tx) => addFault(tx, { match: {}, effect }));
    await answered(await order(shop, 'k'), 201);
    expect(shop.requests.count(world, undefined)).toBe(1);
    client.pragma('query_only = 0');
  });

  test('in the middle of a sale leaves no half of it, then or later', async () => {
    const { shop, client, reported } = await fragile();
    client.exec(
      "CREATE TRIGGER rejects BEFORE INSERT ON idempotency_keys WHEN new.idempotency_key = 'bad' BEGIN SELECT RAISE(ABORT, 'no'); END",
    );
    const turn = async (...keys: string[]) => {
      const responses = await Promise.all(keys.map((key) => order(shop, key)));
      return responses.map((response) => response.status);
    };
    expect(await turn('a', 'bad', 'b')).toEqual([201, 500, 201]);
    expect(eventCount(client)).toBe(2);
    expect(reported).toHaveLength(1);
    expect(inspect(reported[0])).toContain('SqliteError: no');
    client.exec('DROP TRIGGER rejects');
    expect(await turn('a', 'bad', 'b')).toEqual([201, 201, 201]);
    expect(eventCount(client)).toBe(3);
  });

  test('at the commit undoes the transaction: its ids are given out again, and no webhook is sent', async () => {
    const { shop, world, client, scheduler } = await fragile();
    const hook = await receiver();
    world.transaction((tx) => registerWebhook(tx, OWNER, { url: hook.url, secret: 's' }));
    const lose = () =>
      world.transaction((tx) => {
        tx.nextId('ord');
        recordEvent(tx, EVENT);
        failTheCommit(client);
      });
    expect(lose).toThrow('FOREIGN KEY');
    scheduler.wake();
    await scheduler.idle();
    expect(hook.received).toEqual([]);
    const { public_id } = await answered<Order>(await order(shop, 'first'), 201);
    expect(public_id.slice(0, 11)).toBe('ord_0000001');
  });

  test('reaches the caller that waits for an order, and the next request moves it', async () => {
    const { shop, world, client, scheduler } = await fragile();
    await answered(await order(shop, 'k', magic('auto-complete', 199_900)), 201);
    world.transaction(() => world.clock.set(world.clock.now() + 1_000, true));
    client.pragma('query_only = 1');
    await expect(scheduler.idle()).rejects.toThrow('readonly');
    await expect(scheduler.advance(undefined, ({ now }) => ({ to: now + 60_000 }))).rejects.toThrow(
      'readonly',
    );
    client.pragma('query_only = 0');
    await order(shop, 'next');
    expect(client.prepare('SELECT status FROM orders ORDER BY id').pluck().get()).toBe(
      'TRANSFER_IN_PROGRESS',
    );
  });

  test('takes the clock back to what is stored', async () => {
    const { world, client } = await fragile();
    const before = world.clock.now();
    const move = () =>
      world.transaction(() => {
        world.clock.set(before + 1_000, true);
        failTheCommit(client);
      });
    expect(move).toThrow('FOREIGN KEY');
    expect(world.clock.now()).toBe(before);
  });
});

test('a row that cannot be read throws in no timer, but for the caller that waits', async () => {
  const { client, scheduler, record } = await fragile();
  record(1, 'http://127.0.0.1:9/');
  client.exec("UPDATE deliveries SET fault = 'damaged'");
  scheduler.wake();
  await expect(scheduler.idle()).rejects.toThrow('is not valid JSON');
});

test('an outcome that the disk does not take is recorded later, and no attempt is made twice', async () => {
  const { client, scheduler, record, runtime } = await fragile();
  const hook = await receiver((response, n) => {
    if (n === 1) client.pragma('query_only = 1');
    response.writeHead(200).end();
  });
  record(100, hook.url);
  await expect(scheduler.idle()).rejects.toThrow('readonly');
  const statuses = () => client.prepare('SELECT status, attempt_count FROM deliveries').raw().all();
  expect(statuses()).toEqual(Array(100).fill(['pending', 0]));
  const sentMeanwhile = hook.received.length;
  expect(sentMeanwhile).toBeLessThan(100);
  client.pragma('query_only = 0');
  // Without another request.
  runtime.ring(1_000);
  await expect.poll(statuses).toEqual(Array(100).fill(['delivered', 1]));
  const ids = hook.received.map(({ body }) => (JSON.parse(body) as { id: string }).id);
  expect(new Set(ids).size).toBe(100);
  expect(ids).toHaveLength(100);
});

test('an outcome is written while the next delivery takes longer', async () => {
  const { client, scheduler, record } = await fragile();
  const hook = await receiver((response, n) => void (n === 1 && response.end()));
  record(2, hook.url);
  const statuses = () => client.prepare('SELECT status FROM deliveries ORDER BY id').pluck().all();
  await hook.came(2);
  expect(statuses()).toEqual(['delivered', 'pending']);
  hook.release();
  await scheduler.idle();
  expect(statuses()).toEqual(['delivered', 'delivered']);
});

function failTheCommit(client: Client): void {
  client.pragma('defer_foreign_keys = ON');
  client.exec("INSERT INTO order_timeline (order_id, status, at) VALUES ('none', 'SETTLED', 0)");
}
