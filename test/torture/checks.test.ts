import path from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import {
  checkDeliveries,
  checkMoney,
  checkOrders,
  checkReplays,
} from '../../scripts/torture/check.ts';
import { History } from '../../scripts/torture/history.ts';
import { Partner } from '../../scripts/torture/partner.ts';
import { TestRandom } from '../../scripts/torture/random.ts';
import { startReceiver, WEBHOOK_SECRET } from '../../scripts/torture/receiver.ts';
import { inWorkspace, type Server } from '../../scripts/torture/server.ts';
import { magic, orderBody } from '../support/orders.ts';

const ARGS = ['--inventory', '50'];

test('the checks of the kill campaign find nothing, and then each thing that is lost', async () => {
  const receiver = await startReceiver(() => 0);
  onTestFinished(() => receiver.close());
  const history = new History();
  const findingsOf = async (server: Server) => [
    ...(await checkOrders(server, history)),
    ...(await checkDeliveries(server, receiver)),
    ...(await checkReplays(server, history, new TestRandom(1), 1)),
    ...(await checkMoney(server)),
  ];
  await inWorkspace(async (workspace) => {
    const server = await workspace.start({ args: ARGS });
    const partner = new Partner(server.url);
    await partner.call('PUT', '/webhooks', { url: receiver.url, secret: WEBHOOK_SECRET });
    const sale = orderBody(magic('held-order', 250_000));
    const headers = { 'Idempotency-Key': 'k' };
    const sent = { method: 'POST', target: '/v1/orders', body: sale, headers };
    const order = history.addOrder(sent, (await partner.send(sent)).text);
    order.states = ['MANUAL_REVIEW'];
    const session = await partner.call('POST', '/v1/checkout-session', {
      domain: 'held-order.test',
    });
    const { session_id } = JSON.parse(session.text) as { session_id: string };
    await server.control.post(`/checkout-sessions/${session_id}/pay`);
    expect(await findingsOf(server)).toEqual([]);
    await server.stop();

    const world = new Database(path.join(workspace.dir, 'state/worlds/default.db'));
    world.pragma('foreign_keys = OFF');
    const triggers = world
      .prepare<[], { name: string; sql: string }>(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'",
      )
      .all();
    for (const { name } of triggers) world.exec(`DROP TRIGGER ${name}`);
    world.exec("UPDATE orders SET status = 'REFUNDED'");
    for (const table of ['deliveries', 'events', 'ledger', 'idempotency_keys'])
      world.exec(`DELETE FROM ${table}`);
    for (const { sql } of triggers) world.exec(sql);
    world.close();
    const found = (await findingsOf(await workspace.start({ args: ARGS }))).join('\n');
    for (const finding of [
      /is REFUNDED, not/,
      /has the events none/,
      /the receiver got evt_\w+, which does not exist/,
      /sales with a commission is 0, not 1/,
      /the idempotency key of ord_\w+ gave/,
    ])
      expect(found).toMatch(finding);
  });
});
