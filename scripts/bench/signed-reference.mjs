// Minimal signed endpoints: Hono, a signature check, and a row of SQLite that is committed before the response.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { serve } from '@hono/node-server';
import Database from 'better-sqlite3';
import { Hono } from 'hono';

const SECRET = 'dms_sandbox_local_not_a_secret';

const db = new Database(process.argv[3]);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = NORMAL');
db.exec('CREATE TABLE nonces (nonce TEXT PRIMARY KEY, used_at INTEGER) WITHOUT ROWID');
db.exec('CREATE TABLE listings (domain TEXT PRIMARY KEY, price_cents INTEGER)');
db.exec('CREATE TABLE orders (nonce TEXT PRIMARY KEY, domain, price, currency) WITHOUT ROWID');
db.exec("INSERT INTO listings VALUES ('held-order.test', 199900)");
const useNonce = db.prepare('INSERT OR IGNORE INTO nonces VALUES (?, ?)');
const priceOf = db.prepare('SELECT domain, price_cents FROM listings WHERE domain = ?');

const record = db.prepare('INSERT OR IGNORE INTO orders VALUES (?, ?, ?, ?)');

const app = new Hono();
app.get('/hello', (c) => c.text('ok'));
app.get('/api/partner/v1/pricing', (c) => {
  const nonce = verified(c, '');
  if (nonce === undefined || useNonce.run(nonce, Date.now()).changes === 0) return c.json({}, 401);
  const price = priceOf.get(c.req.query('domain'));
  return price ? c.json(price) : c.json({ error: { code: 'not_found' } }, 404);
});
app.post('/api/partner/v1/orders', async (c) => {
  const body = await c.req.text();
  const nonce = verified(c, body);
  if (nonce === undefined) return c.json({}, 401);
  const { domain, expected_price: price, currency } = JSON.parse(body);
  if (record.run(nonce, domain, price, currency).changes === 0) return c.json({}, 401);
  return c.json({ public_id: nonce, domain, status: 'EXTERNALLY_PAID', price, currency }, 201);
});

/** @returns the nonce of a request with a valid signature */
function verified(c, body) {
  const { pathname, search } = new URL(c.req.url);
  const timestamp = c.req.header('x-service-timestamp') ?? '';
  const nonce = c.req.header('x-service-nonce') ?? '';
  const hash = createHash('sha256').update(body).digest('hex');
  const parts = [c.req.method, pathname, search.slice(1), timestamp, nonce, hash];
  const right = `v1=${createHmac('sha256', SECRET).update(parts.join('\n')).digest('hex')}`;
  const sent = Buffer.from(c.req.header('x-service-signature') ?? '');
  if (sent.length !== right.length || !timingSafeEqual(sent, Buffer.from(right))) return undefined;
  return Math.abs(Date.now() / 1_000 - Number(timestamp)) > 300 ? undefined : nonce;
}

serve({ fetch: app.fetch, port: Number(process.argv[2]), hostname: '127.0.0.1' });
