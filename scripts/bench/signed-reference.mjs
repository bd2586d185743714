// A minimal signed endpoint: Hono, a signature check, a used nonce and a price in SQLite.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { serve } from '@hono/node-server';
import Database from 'better-sqlite3';
import { Hono } from 'hono';

const SECRET = 'dms_sandbox_local_not_a_secret';
const EMPTY_HASH = createHash('sha256').update('').digest('hex');

const db = new Database(process.argv[3]);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = NORMAL');
db.exec('CREATE TABLE nonces (nonce TEXT PRIMARY KEY, used_at INTEGER) WITHOUT ROWID');
db.exec('CREATE TABLE listings (domain TEXT PRIMARY KEY, price_cents INTEGER)');
db.exec("INSERT INTO listings VALUES ('held-order.test', 199900)");
const useNonce = db.prepare('INSERT OR IGNORE INTO nonces VALUES (?, ?)');
const priceOf = db.prepare('SELECT domain, price_cents FROM listings WHERE domain = ?');

const app = new Hono();
app.get('/hello', (c) => c.text('ok'));
app.get('/api/partner/v1/pricing', (c) => {
  const { pathname, search } = new URL(c.req.url);
  const timestamp = c.req.header('x-service-timestamp') ?? '';
  const nonce = c.req.header('x-service-nonce') ?? '';
  const parts = ['GET', pathname, search.slice(1), timestamp, nonce, EMPTY_HASH];
  const right = `v1=${createHmac('sha256', SECRET).update(parts.join('\n')).digest('hex')}`;
  const sent = Buffer.from(c.req.header('x-service-signature') ?? '');
  if (sent.length !== right.length || !timingSafeEqual(sent, Buffer.from(right))) {
    return c.json({ error: { code: 'invalid_signature' } }, 401);
  }
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > 300) return c.json({}, 401);
  if (useNonce.run(nonce, Date.now()).changes === 0) return c.json({}, 401);
  const price = priceOf.get(c.req.query('domain'));
  return price ? c.json(price) : c.json({ error: { code: 'not_found' } }, 404);
});
serve({ fetch: app.fetch, port: Number(process.argv[2]), hostname: '127.0.0.1' });
