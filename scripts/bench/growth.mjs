import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { growWorld, idOf } from './grown-world.mjs';

const ROUNDS = 41;
const DAY = 86_400_000;

/**
 * Measures requests in ms in worlds with 1,000, 100,000 and, if `full`, 1,000,000 orders with their history: in
 * process, signed, the same request in each world by turns.
 */
export async function measureGrowth(root, full) {
  const { createSandbox } = await import(pathToFileURL(path.join(root, 'dist/index.mjs')).href);
  const worlds = [];
  for (const rows of full ? [1_000, 100_000, 1_000_000] : [1_000, 100_000]) {
    const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'sandlot-bench-'));
    await growWorld(root, dataDir, rows);
    const sandbox = await createSandbox({ dataDir, port: false, rateLimits: false });
    worlds.push({ rows, dataDir, sandbox, acts: await actsIn(sandbox, rows) });
  }
  const names = Object.keys(worlds[0].acts);
  const samples = Object.fromEntries(names.map((name) => [name, worlds.map(() => [])]));
  for (let round = -5; round < ROUNDS; round += 1) {
    for (const name of names) {
      for (let turn = 0; turn < worlds.length; turn += 1) {
        // The order rotates, because the first world pays for cold caches.
        const place = (turn + round + worlds.length * 5) % worlds.length;
        const begun = performance.now();
        await worlds[place].acts[name]();
        // The first rounds fill caches.
        if (round >= 0) samples[name][place].push(performance.now() - begun);
      }
    }
  }
  for (const { sandbox, dataDir } of worlds) {
    await sandbox.close();
    fs.rmSync(dataDir, { recursive: true });
  }
  return { sizes: worlds.map(({ rows }) => rows), samples };
}

/** The measured requests, by their name in the report. */
async function actsIn(sandbox, rows) {
  const request = async (path, more = { method: 'GET' }) => {
    const answer = await sandbox.call({ ...more, target: `/api/partner/v1${path}` });
    const text = await answer.text();
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${text}`);
    return text;
  };
  const operate = (path, query) => sandbox.control.get(path, query);
  const daysAgo = (days, ms = 0) =>
    new Date(Math.floor(Date.now() / DAY - days) * DAY + ms).toISOString();
  const aDay = `from=${daysAgo(180).slice(0, 10)}&to=${daysAgo(179).slice(0, 10)}`;
  const withinDays = `from=${daysAgo(200, DAY / 3)}&to=${daysAgo(20, DAY / 2)}`;
  const page = JSON.parse(await request(`/orders?to=${daysAgo(300)}`));
  const last = idOf('evt', rows - 60);
  let n = 0;
  const order = () => {
    n += 1;
    const body = { domain: 'held-order.test', expected_price: 250_000, currency: 'USD' };
    const headers = { 'Idempotency-Key': `growth-${n}` };
    return request('/orders', {
      method: 'POST',
      headers,
      body: { ...body, buyer: { email: 'a@b.example' } },
    });
  };
  return {
    'GET /pricing, for comparison': () => request('/pricing?domain=auto-complete.test'),
    'POST /orders': order,
    'GET /orders/{id}': () => request(`/orders/${idOf('ord', Math.floor(rows / 2))}`),
    'GET /orders': () => request('/orders'),
    'GET /orders, far behind': () => request(`/orders?cursor=${page.next_cursor}`),
    'GET /orders?status=, a rare one': () => request('/orders?status=MANUAL_REVIEW&limit=2'),
    'GET /orders?from=&to=, a day': () => request(`/orders?${aDay}&limit=2`),
    'GET /orders?domain=': () => request(`/orders?domain=grown-${Math.floor(rows / 3)}.example`),
    'GET /events, the tail': () => request(`/events?after_id=${last}`),
    'GET /transactions': () => request('/transactions'),
    'GET /transactions?status=SETTLED': () => request('/transactions?status=SETTLED'),
    'GET /transactions?payment_model=': () =>
      request('/transactions?payment_model=marketplace_collected'),
    'GET /transactions?from=&to=, within days': () =>
      request(`/transactions?${withinDays}&limit=2`),
    'GET /settlements': () => request('/settlements'),
    'GET /payouts': () => request('/payouts'),
    'GET /analytics': () => request('/analytics'),
    'GET /links': () => request('/links'),
    'GET /me/clicks': () => request('/me/clicks'),
    'GET /me/sales': () => request('/me/sales'),
    'GET /me/commissions': () => request('/me/commissions'),
    'GET /me/payouts': () => request('/me/payouts'),
    'orders list': () => operate('/orders'),
    'orders list --status, a rare one': () =>
      operate('/orders', { status: 'MANUAL_REVIEW', limit: 2 }),
    'events list': () => operate('/events'),
    'webhooks deliveries': () => operate('/deliveries'),
    'webhooks deliveries --status failed': () =>
      operate('/deliveries', { status: 'failed', limit: 2 }),
    'requests list': () => operate('/requests'),
    status: () => operate('/status'),
  };
}
