/**
 * Fewer trees to write for a sale. Tables whose rows are made in the order of their keys are kept in that
 * order, a ledger in that of its accounts; what is unique only where it is given is indexed only there; and a
 * large stored answer no longer moves about in a tree that is filled at random.
 */
export const lean = `
CREATE TABLE lean_idempotency_keys (
  id INTEGER PRIMARY KEY,
  key_id TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  status INTEGER NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
INSERT INTO lean_idempotency_keys
  SELECT NULL, key_id, idempotency_key, fingerprint, status, body, created_at FROM idempotency_keys;
DROP TABLE idempotency_keys;
ALTER TABLE lean_idempotency_keys RENAME TO idempotency_keys;
CREATE UNIQUE INDEX idempotency_keys_by_key ON idempotency_keys (key_id, idempotency_key);

CREATE TABLE lean_orders (
  id TEXT PRIMARY KEY,
  partner_id TEXT NOT NULL REFERENCES partners,
  environment TEXT NOT NULL,
  domain TEXT NOT NULL,
  status TEXT NOT NULL,
  sale_price_cents INTEGER NOT NULL CHECK (sale_price_cents > 0),
  commission_cents INTEGER NOT NULL CHECK (commission_cents BETWEEN 0 AND sale_price_cents),
  currency TEXT NOT NULL,
  buyer_email TEXT,
  buyer_name TEXT,
  buyer_country TEXT,
  external_payment_ref TEXT,
  quote_token TEXT,
  return_url TEXT,
  cancel_url TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  completed_at INTEGER,
  statement_id TEXT
) STRICT, WITHOUT ROWID;
INSERT INTO lean_orders SELECT * FROM orders;
DROP TABLE orders;
ALTER TABLE lean_orders RENAME TO orders;
CREATE INDEX orders_of_partner ON orders (partner_id, environment, id);
CREATE INDEX orders_by_status ON orders (status, id);
CREATE INDEX orders_by_domain ON orders (domain, id);
CREATE INDEX orders_by_completion ON orders (partner_id, environment, completed_at) WHERE completed_at IS NOT NULL;
CREATE INDEX orders_of_statement ON orders (statement_id) WHERE statement_id IS NOT NULL;

CREATE TABLE lean_events (
  id TEXT PRIMARY KEY,
  partner_id TEXT NOT NULL REFERENCES partners,
  environment TEXT NOT NULL,
  type TEXT NOT NULL,
  data TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO lean_events SELECT * FROM events;
DROP TABLE events;
ALTER TABLE lean_events RENAME TO events;
CREATE INDEX events_of_partner ON events (partner_id, environment, id);
CREATE INDEX events_about ON events (subject_id, id);

CREATE TABLE lean_deliveries (
  id TEXT PRIMARY KEY,
  event_id TEXT NOT NULL REFERENCES events,
  partner_id TEXT NOT NULL,
  environment TEXT NOT NULL,
  url TEXT NOT NULL,
  status TEXT NOT NULL,
  attempt_count INTEGER NOT NULL,
  next_attempt_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO lean_deliveries SELECT * FROM deliveries;
DROP TABLE deliveries;
ALTER TABLE lean_deliveries RENAME TO deliveries;
CREATE INDEX deliveries_due ON deliveries (next_attempt_at) WHERE status = 'pending';
CREATE INDEX deliveries_owed ON deliveries (partner_id, environment, next_attempt_at, id) WHERE status = 'pending';
CREATE INDEX deliveries_of_event ON deliveries (event_id);
CREATE INDEX deliveries_by_status ON deliveries (status, id);

CREATE TABLE lean_transactions (
  id TEXT PRIMARY KEY,
  partner_id TEXT NOT NULL REFERENCES partners,
  environment TEXT NOT NULL,
  domain TEXT NOT NULL,
  payment_model TEXT NOT NULL,
  status TEXT,
  sale_price_cents INTEGER NOT NULL CHECK (sale_price_cents > 0),
  commission_cents INTEGER NOT NULL CHECK (commission_cents BETWEEN 0 AND sale_price_cents),
  currency TEXT NOT NULL,
  order_id TEXT REFERENCES orders,
  session_id TEXT,
  case_id TEXT,
  link_id TEXT,
  buyer_email TEXT,
  buyer_name TEXT,
  buyer_country TEXT,
  created_at INTEGER NOT NULL,
  CHECK ((order_id IS NULL) = (status IS NOT NULL))
) STRICT, WITHOUT ROWID;
INSERT INTO lean_transactions SELECT * FROM transactions;
DROP TABLE transactions;
ALTER TABLE lean_transactions RENAME TO transactions;
CREATE INDEX transactions_of_partner ON transactions (partner_id, environment, id);
CREATE INDEX transactions_of_link ON transactions (link_id) WHERE link_id IS NOT NULL;
CREATE UNIQUE INDEX transactions_of_order ON transactions (order_id) WHERE order_id IS NOT NULL;
CREATE UNIQUE INDEX transactions_of_session ON transactions (session_id) WHERE session_id IS NOT NULL;
CREATE UNIQUE INDEX transactions_of_case ON transactions (case_id) WHERE case_id IS NOT NULL;

CREATE TABLE lean_ledger (
  id TEXT NOT NULL,
  partner_id TEXT NOT NULL REFERENCES partners,
  environment TEXT NOT NULL,
  transaction_id TEXT NOT NULL REFERENCES transactions,
  account TEXT NOT NULL CHECK (account IN ('sales', 'retained', 'commission')),
  entry TEXT NOT NULL,
  amount_cents INTEGER NOT NULL CHECK (amount_cents >= 0),
  delta_cents INTEGER NOT NULL CHECK (abs(delta_cents) IN (0, amount_cents)),
  balance_cents INTEGER NOT NULL,
  currency TEXT NOT NULL,
  payout_id TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (partner_id, environment, account, id)
) STRICT, WITHOUT ROWID;
INSERT INTO lean_ledger SELECT * FROM ledger;
DROP TABLE ledger;
ALTER TABLE lean_ledger RENAME TO ledger;
CREATE INDEX ledger_of_transaction ON ledger (transaction_id, account, id);
CREATE INDEX ledger_of_payout ON ledger (partner_id, environment, payout_id) WHERE payout_id IS NOT NULL;
CREATE TRIGGER ledger_is_never_updated BEFORE UPDATE ON ledger
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_is_never_deleted BEFORE DELETE ON ledger
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
`;
