import path from 'node:path';
import Database from 'better-sqlite3';
import { createSandbox } from '../../src/index.ts';
import { addFault } from './faults.ts';
import { mint, type Order, orderFor, requestQuote } from './orders.ts';
import { INVENTORY } from './sandbox.ts';

/** What is in a log of 1,000 entries, all of them copies of a few requests. */
export interface LongLog {
  order: Order;
  other: Order;
  keyId: string;
  eventId: string;
}

const ENTRIES = 1_000;

/** Makes a state folder with a long request log. */
export async function writeLongLog(dataDir: string): Promise<LongLog> {
  const at = await createSandbox({ dataDir, inventory: INVENTORY, rateLimits: false });
  const get = (target: string) => at.call({ method: 'GET', target: `/api/partner${target}` });
  const key = await mint(at, { partner: 'acme' });
  const order = await orderFor(at, 0);
  const other = await orderFor(at, 1, key);
  for (let n = 0; n < 5; n += 1) {
    await get(`/v1/domains/search?q=coffee+shop+${n}`);
    await get(`/v1/pricing?domain=${other.domain}`);
    await get(`/v1/orders/${order.public_id}`);
    await get('/v1/order');
    await get('/v1/orders?created_after=2026-01-01');
  }
  await get('/v1/pricing?domain=rate-limited.test');
  await requestQuote(at, order.domain);
  await addFault(at, { match: { path: '/pricing' }, effect: { code: 'conflict' }, times: 1 });
  await get(`/v1/pricing?domain=${order.domain}`);
  await at.call({ method: 'POST', target: '/api/partner/v1/orders', body: {} });
  await at.control.post(`/orders/${order.public_id}/advance`, { to: 'TRANSFER_COMPLETED' });
  const { events } = await at.control.get<{ events: { id: string; type: string }[] }>('/events');
  const eventId = events.find(({ type }) => type === 'order.transfer_completed')?.id ?? '';
  await at.close();
  repeatEntries(path.join(dataDir, 'requests.db'));
  return { order, other, keyId: key.key_id, eventId };
}

function repeatEntries(file: string): void {
  const db = new Database(file);
  const names = db.prepare("SELECT name FROM pragma_table_info('requests')").pluck().all();
  const columns = names.filter((name) => name !== 'seq').join(', ');
  const last = db.prepare('SELECT max(seq) FROM requests').pluck().get();
  db.prepare(`
    INSERT INTO requests (seq, ${columns})
    WITH RECURSIVE n(n) AS (SELECT ${last} + 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${ENTRIES})
    SELECT n, ${columns} FROM n JOIN requests ON seq = (n - 1) % ${last} + 1`).run();
  db.close();
}
