export const money = `
CREATE TABLE transactions (
  id TEXT PRIMARY KEY,
  partner_id TEXT NOT NULL REFERENCES partners,
  environment TEXT NOT NULL,
  domain TEXT NOT NULL,
  payment_model TEXT NOT NULL,
  status TEXT,
  sale_price_cents INTEGER NOT NULL CHECK (sale_price_cents > 0),
  commission_cents INTEGER NOT NULL CHECK (commission_cents BETWEEN 0 AND sale_price_cents),
  currency TEXT NOT NULL,
  order_id TEXT UNIQUE REFERENCES orders,
  session_id TEXT UNIQUE,
  case_id TEXT UNIQUE,
  link_id TEXT,
  buyer_email TEXT,
  buyer_name TEXT,
  buyer_country TEXT,
  created_at INTEGER NOT NULL,
  CHECK ((order_id IS NULL) = (status IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX transactions_of_partner ON transactions (partner_id, environment, id);
CREATE INDEX transactions_of_link ON transactions (link_id) WHERE link_id IS NOT NULL;

CREATE TABLE ledger (
  id TEXT PRIMARY KEY,
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
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX ledger_of_partner ON ledger (partner_id, environment, account, id);
CREATE INDEX ledger_of_transaction ON ledger (transaction_id, account, id);
CREATE INDEX ledger_of_payout ON ledger (partner_id, environment, payout_id) WHERE payout_id IS NOT NULL;
CREATE TRIGGER ledger_is_never_updated BEFORE UPDATE ON ledger
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_is_never_deleted BEFORE DELETE ON ledger
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;

CREATE TABLE refunds (
  id TEXT PRIMARY KEY,
  order_id TEXT NOT NULL UNIQUE REFERENCES orders,
  reason TEXT,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE settlement_periods (
  id TEXT PRIMARY KEY,
  partner_id TEXT NOT NULL REFERENCES partners,
  environment TEXT NOT NULL,
  period_start INTEGER NOT NULL,
  period_end INTEGER NOT NULL,
  closed INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX periods_of_partner ON settlement_periods (partner_id, environment, id);

ALTER TABLE orders ADD COLUMN statement_id TEXT;
CREATE INDEX orders_by_completion ON orders (partner_id, environment, completed_at) WHERE completed_at IS NOT NULL;
CREATE INDEX orders_of_statement ON orders (statement_id) WHERE statement_id IS NOT NULL;

CREATE TABLE checkout_sessions (
  id TEXT PRIMARY KEY,
  partner_id TEXT NOT NULL REFERENCES partners,
  environment TEXT NOT NULL,
  domain TEXT NOT NULL,
  price_cents INTEGER NOT NULL,
  currency TEXT NOT NULL,
  buyer_email TEXT,
  return_url TEXT,
  cancel_url TEXT,
  link_id TEXT,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_of_partner ON checkout_sessions (partner_id, environment, created_at);
CREATE INDEX sessions_by_expiry ON checkout_sessions (expires_at) WHERE status = 'OPEN';

CREATE TABLE brokerage_cases (
  id TEXT PRIMARY KEY,
  partner_id TEXT NOT NULL REFERENCES partners,
  environment TEXT NOT NULL,
  domain TEXT NOT NULL,
  tier TEXT NOT NULL,
  status TEXT NOT NULL,
  buyer_email TEXT NOT NULL,
  budget_cents INTEGER NOT NULL,
  currency TEXT NOT NULL,
  deal_price_cents INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX cases_of_partner ON brokerage_cases (partner_id, environment, id);
CREATE INDEX cases_open ON brokerage_cases (environment, domain) WHERE status IN ('OPEN', 'NEGOTIATING');

CREATE TABLE case_timeline (
  id INTEGER PRIMARY KEY,
  case_id TEXT NOT NULL REFERENCES brokerage_cases,
  status TEXT NOT NULL,
  at INTEGER NOT NULL,
  event TEXT,
  note TEXT
) STRICT;
CREATE INDEX timeline_of_case ON case_timeline (case_id, id);

CREATE TABLE links (
  id TEXT PRIMARY KEY,
  code TEXT NOT NULL UNIQUE,
  partner_id TEXT NOT NULL REFERENCES partners,
  environment TEXT NOT NULL,
  kind TEXT NOT NULL,
  domain TEXT,
  product TEXT,
  label TEXT,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX links_of_partner ON links (partner_id, environment, id);

CREATE TABLE clicks (
  id INTEGER PRIMARY KEY,
  link_id TEXT NOT NULL REFERENCES links,
  partner_id TEXT NOT NULL,
  environment TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX clicks_of_link ON clicks (link_id);
CREATE INDEX clicks_of_partner ON clicks (partner_id, environment, at);

-- Orders from before the ledger get the lines that they would have had, in their own order.
INSERT INTO transactions
  SELECT 'txn_' || substr(id, 5), partner_id, environment, domain, 'partner_collected', NULL,
    sale_price_cents, commission_cents, currency, id, NULL, NULL, NULL,
    buyer_email, buyer_name, buyer_country, created_at
  FROM orders;
WITH lines AS (
  SELECT o.*, 'a' AS nth, 'sales' AS account, 'SALE' AS entry, sale_price_cents AS amount, 1 AS sign, created_at AS at FROM orders o
  UNION ALL
  SELECT o.*, 'b', 'retained', 'SALE', commission_cents, 1, created_at FROM orders o
  UNION ALL
  SELECT o.*, 'c', 'sales', 'REFUND', sale_price_cents, -1, updated_at FROM orders o WHERE status IN ('REFUNDED', 'CANCELLED')
  UNION ALL
  SELECT o.*, 'd', 'retained', 'REFUND', commission_cents, -1, updated_at FROM orders o WHERE status IN ('REFUNDED', 'CANCELLED')
)
INSERT INTO ledger
  SELECT 'com_' || substr(id, 5, 7) || '00000000' || nth, partner_id, environment, 'txn_' || substr(id, 5),
    account, entry, amount, sign * amount,
    sum(sign * amount) OVER (PARTITION BY partner_id, environment, account ORDER BY id, nth),
    currency, NULL, at
  FROM lines;
INSERT INTO counters SELECT 'txn', value FROM counters WHERE name = 'ord';
INSERT INTO counters SELECT 'com', value FROM counters WHERE name = 'ord';
`;
