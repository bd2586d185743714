import fs from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  checkDeliveries,
  checkMoney,
  checkOrders,
  checkReplays,
} from '../../scripts/torture/check.ts';
import { History } from '../../scripts/torture/history.ts';
import { Partner } from '../../scripts/torture/partner.ts';
import { Random } from '../../scripts/torture/random.ts';
import { startReceiver, WEBHOOK_SECRET } from '../../scripts/torture/receiver.ts';
import { emptyFolder, inWorkspace } from '../../scripts/torture/server.ts';
import { lazilyAsync } from '../../src/kernel/lazily.ts';

const SALE = {
  domain: 'held-order.test',
  expected_price: 250_000,
  currency: 'USD',
  buyer: { email: 'a@b.co' },
};

interface Sold {
  dir: string;
  history: History;
  receiver: Awaited<ReturnType<typeof startReceiver>>;
}

const ARGS = ['--inventory', '50'];
const released: (() => void)[] = [];
afterAll(() => {
  for (const release of released) release();
});

/** The state of a stopped server that has recorded an order and a hosted sale. */
const sold = lazilyAsync(async (): Promise<Sold> => {
  const receiver = await startReceiver(() => 0);
  const dir = emptyFolder();
  released.push(
    () => receiver.close(),
    () => fs.rmSync(dir, { recursive: true, force: true }),
  );
  return inWorkspace(async (workspace) => {
    const server = await workspace.start({ args: ARGS });
    const partner = new Partner(server.url);
    await partner.call('PUT', '/webhooks', { url: receiver.url, secret: WEBHOOK_SECRET });
    const history = new History();
    const sent = partner.sign('POST', '/v1/orders', SALE, { 'Idempotency-Key': 'k' });
    const order = history.addOrder(sent, (await partner.send(sent)).text);
    const session = await partner.call('POST', '/v1/checkout-session', {
      domain: 'held-order.test',
    });
    const { session_id } = JSON.parse(session.text) as { session_id: string };
    await server.control.post(`/checkout-sessions/${session_id}/pay`);
    order.states = ['MANUAL_REVIEW'];
    await server.control.post('/idle');
    await server.stop();
    fs.cpSync(workspace.dir, dir, { recursive: true });
    return { dir, history, receiver };
  });
});

/** What the checks of the kill campaign find once `harm` has been done to a copy of that state. */
async function findingsAfter(harm: (world: Database.Database) => void): Promise<string> {
  const { dir, history, receiver } = await sold();
  const before = new Map(receiver.received);
  onTestFinished(() => {
    receiver.received.clear();
    for (const [id, times] of before) receiver.received.set(id, times);
  });
  return inWorkspace(async (workspace) => {
    fs.cpSync(dir, workspace.dir, { recursive: true });
    const world = new Database(path.join(workspace.dir, 'state/worlds/default.db'));
    harm(world);
    world.close();
    const server = await workspace.start({ args: ARGS });
    const findings = [
      ...(await checkOrders(server, history)),
      ...(await checkDeliveries(server, receiver)),
      ...(await checkReplays(server, history, new Random(1), 1)),
      ...(await checkMoney(server)),
    ];
    return findings.join('\n');
  });
}

describe('the checks of the kill campaign', () => {
  test('find nothing where nothing is lost', async () => {
    expect(await findingsAfter(() => {})).toBe('');
  });

  test.each<[what: string, harm: Record<string, RegExp>]>([
    [
      'an order in another state, a lost delivery and a lost entry of the ledger',
      {
        "UPDATE orders SET status = 'SETTLED'": /is SETTLED, not/,
        'DELETE FROM deliveries': /the delivery of evt_\w+ is undefined/,
        'DELETE FROM ledger': /sales with a commission is 0, not 1/,
      },
    ],
    ['a lost event', { 'DELETE FROM events; DELETE FROM deliveries': /has the events none/ }],
    [
      'a lost idempotency key',
      { 'DELETE FROM idempotency_keys': /the idempotency key of ord_\w+ gave/ },
    ],
  ])('find %s', async (_what, harm) => {
    const found = await findingsAfter((world) => {
      world.pragma('foreign_keys = OFF');
      const triggers = world.prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger'");
      for (const name of triggers.pluck().all()) world.exec(`DROP TRIGGER ${name}`);
      for (const sql of Object.keys(harm)) world.exec(sql);
    });
    for (const finding of Object.values(harm)) expect(found).toMatch(finding);
  });
});
