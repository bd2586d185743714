import path from 'node:path';
import { pathToFileURL } from 'node:url';
import Database from 'better-sqlite3';

const DAY = 86_400_000;
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const OWNER = "'ptr_local', 'SANDBOX'";

/** Returns the n-th id of a kind; the ids sort like those of a sandbox. */
export function idOf(prefix, n) {
  let counter = '';
  for (let rest = n; counter.length < 7; rest = Math.floor(rest / 32)) {
    counter = ALPHABET.charAt(rest % 32) + counter;
  }
  return `${prefix}_${counter}000000000`;
}

/**
 * Creates a sandbox in `dataDir` and writes a year of history into its state: `rows` orders, each with its timeline,
 * event, delivery and attempt, as many clicks, and a tenth as many checkouts.
 */
export async function growWorld(root, dataDir, rows) {
  const { createSandbox } = await import(pathToFileURL(path.join(root, 'dist/index.mjs')).href);
  const sandbox = await createSandbox({ dataDir, port: false });
  await sandbox.call({
    method: 'POST',
    target: '/api/partner/v1/links',
    body: { kind: 'generic' },
  });
  await sandbox.close();
  const db = new Database(path.join(dataDir, 'worlds/default.db'));
  db.pragma('synchronous = OFF');
  db.pragma('foreign_keys = OFF');
  const now = Date.now();
  db.transaction(() => {
    const periods = writePeriods(db, now);
    writeHistory(db, rows, now, periods);
    db.exec(SUMS);
  })();
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
}

/** Writes thirteen months; the last one is open. @returns the start of each */
function writePeriods(db, now) {
  const insert = db.prepare(`INSERT INTO settlement_periods
    (id, partner_id, environment, period_start, period_end, closed) VALUES (?, ${OWNER}, ?, ?, ?)`);
  const date = new Date(now);
  const month = (back) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - back, 1);
  const starts = Array.from({ length: 13 }, (_, n) => month(12 - n));
  for (const [n, start] of starts.entries()) {
    insert.run(idOf('stm', n + 1), start, month(11 - n), n < 12 ? 1 : 0);
  }
  db.prepare("UPDATE partners SET created_at = ? WHERE partner_id = 'ptr_local'").run(starts[0]);
  count(db, 'stm', 13);
  return starts;
}

/** Statements for each order and each hosted checkout sale; `:name` is a property of their input. */
const INSERTS = {
  order: `INSERT INTO orders (id, partner_id, environment, domain, status, sale_price_cents, commission_cents,
    currency, buyer_email, created_at, updated_at, completed_at, statement_id, transaction_id)
    VALUES (:ord, ${OWNER}, :domain, :status, 100000, 15000, 'USD', 'buyer@example.com', :at, :at, :done, :stm, :txn)`,
  sale: `INSERT INTO transactions (id, partner_id, environment, domain, payment_model, status, sale_price_cents,
    commission_cents, currency, session_id, link_id, buyer_email, created_at, payout_id)
    VALUES (:txn, ${OWNER}, :domain, 'marketplace_collected', :state, 100000, 10000, 'USD', :cs, :lnk,
      'buyer@example.com', :at, :pay)`,
  line: `INSERT INTO ledger (id, partner_id, environment, transaction_id, entry, amount_cents,
    delta_cents, balance_cents, currency, created_at)
    VALUES (:com, ${OWNER}, :txn, 'ACCRUED', 10000, 10000, :balance, 'USD', :at)`,
  entry: `INSERT INTO order_timeline (order_id, status, at, event)
    VALUES (:ord, :status, :at, NULL)`,
  event: `INSERT INTO events (id, partner_id, environment, type, data, subject_id, created_at)
    VALUES (:evt, ${OWNER}, 'order.recorded', :data, :ord, :at)`,
  delivery: `INSERT INTO deliveries (id, event_id, partner_id, environment, url, status, attempt_count, created_at)
    VALUES (:dlv, :evt, ${OWNER}, 'http://127.0.0.1:9/', :arrived, 1, :at)`,
  attempt: `INSERT INTO delivery_attempts (delivery_id, at, outcome, http_status, duration_ms)
    VALUES (:dlv, :at, 'ok', 200, 3)`,
  click: `INSERT INTO clicks (link_id, partner_id, environment, at) VALUES (:lnk, ${OWNER}, :at)`,
  session: `INSERT INTO checkout_sessions (id, partner_id, environment, domain, price_cents, currency, link_id,
    status, created_at, expires_at)
    VALUES (:cs, ${OWNER}, :domain, 100000, 'USD', :lnk, 'PAID', :at, :at + ${7 * DAY})`,
  payout: `INSERT INTO payouts (id, partner_id, environment, amount_cents, currency, created_at)
    VALUES (:pay, ${OWNER}, 10000, 'USD', :at)`,
};

function writeHistory(db, rows, now, periods) {
  const insert = Object.fromEntries(
    Object.entries(INSERTS).map(([name, sql]) => [name, db.prepare(sql)]),
  );
  const link = db.prepare('SELECT id FROM links').pluck().get();
  const counted = { ord: rows, evt: rows, dlv: rows, txn: 0, com: 0 };
  const next = (prefix) => {
    counted[prefix] += 1;
    return idOf(prefix, counted[prefix]);
  };
  let balance = 0;
  const begun = now - 365 * DAY;
  for (let n = 1; n <= rows; n += 1) {
    const at = Math.floor(begun + ((now - begun) * n) / (rows + 1));
    const order = orderOf(n, at, periods, next('txn'));
    insert.order.run(order);
    for (const name of ['entry', 'event', 'delivery', 'attempt']) insert[name].run(order);
    insert.click.run({ lnk: link, at });
    if (n % 10 > 0) continue;
    const checkout = { ...checkoutOf(n, at, next('txn')), lnk: link };
    insert.session.run(checkout);
    if (checkout.pay !== null) insert.payout.run(checkout);
    insert.sale.run(checkout);
    balance += 10_000;
    insert.line.run({ ...checkout, com: next('com'), balance });
  }
  const parts = { cs: Math.floor(rows / 10), pay: Math.floor(rows / 100) };
  for (const [name, value] of Object.entries({ ...counted, ...parts })) count(db, name, value);
}

function orderOf(n, at, periods, txn) {
  const month = periods.findLastIndex((start) => start <= at);
  const status = statusOf(n, month === periods.length - 1);
  const domain = `grown-${n}.example`;
  const ord = idOf('ord', n);
  const told = { public_id: ord, domain, status, sale_price_cents: 100_000, currency: 'USD' };
  return {
    ...{ ord, txn, domain, status, at, evt: idOf('evt', n), dlv: idOf('dlv', n) },
    done: status === 'SETTLED' || status === 'TRANSFER_COMPLETED' ? at : null,
    stm: status === 'SETTLED' ? idOf('stm', month + 1) : null,
    data: JSON.stringify({ order: told }),
    arrived: n % 500 === 0 ? 'failed' : 'delivered',
  };
}

function checkoutOf(n, at, txn) {
  const pay = n % 100 === 0 ? idOf('pay', n / 100) : null;
  const state = n % 30 === 0 ? 'REFUNDED' : 'PAID';
  return {
    ...{ txn, pay, at, cs: idOf('cs', n / 10), domain: `grown-${n}.example` },
    state: pay === null ? state : 'DELIVERED',
  };
}

function statusOf(n, isThisMonth) {
  if (n % 500 === 0) return 'MANUAL_REVIEW';
  if (n % 10 === 8) return 'REFUNDED';
  if (n % 10 === 9) return 'EXTERNALLY_PAID';
  return isThisMonth ? 'TRANSFER_COMPLETED' : 'SETTLED';
}

function count(db, name, value) {
  db.prepare(
    'INSERT INTO counters VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
  ).run(name, value);
}

/** Statements for the sums that a sandbox writes with these rows. */
const SUMS = `
  UPDATE settlement_periods SET order_count = n, gross_cents = gross, commission_cents = kept
    FROM (SELECT statement_id, count(*) AS n, sum(sale_price_cents) AS gross, sum(commission_cents) AS kept
      FROM orders WHERE statement_id IS NOT NULL GROUP BY 1) WHERE id = statement_id;
  UPDATE links SET clicks = (SELECT count(*) FROM clicks),
    sales = (SELECT count(*) FROM transactions WHERE link_id IS NOT NULL AND status <> 'REFUNDED');`;
