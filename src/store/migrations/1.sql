-- The tables of a world, with their indexes and triggers. `src/store/schema/` declares the same columns.

CREATE TABLE world (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  name TEXT NOT NULL,
  seed TEXT NOT NULL,
  inventory INTEGER NOT NULL,
  token_key TEXT NOT NULL,
  clock_offset_ms INTEGER NOT NULL,
  clock_frozen_at INTEGER,
  created_at INTEGER NOT NULL,
  saved_at INTEGER,
  id_series INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE counters (
  name TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE partners (
  partner_id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE credentials (
  key_id TEXT PRIMARY KEY,
  secret TEXT NOT NULL,
  partner_id TEXT NOT NULL REFERENCES partners,
  environment TEXT NOT NULL CHECK (environment IN ('SANDBOX', 'LIVE')),
  scopes TEXT NOT NULL,
  affiliate INTEGER NOT NULL,
  approved INTEGER NOT NULL,
  golive INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE nonces (
  id INTEGER PRIMARY KEY,
  used_at INTEGER NOT NULL,
  uses TEXT NOT NULL
) STRICT;

CREATE TABLE rate_windows (
  key_id TEXT NOT NULL,
  rate_class TEXT NOT NULL,
  hits TEXT NOT NULL,
  PRIMARY KEY (key_id, rate_class)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency_keys (
  id INTEGER PRIMARY KEY,
  key_id TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  status INTEGER NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX idempotency_keys_by_key ON idempotency_keys (key_id, idempotency_key);

CREATE TABLE listings (
  id INTEGER PRIMARY KEY,
  environment TEXT NOT NULL,
  domain TEXT NOT NULL,
  tld TEXT NOT NULL,
  length INTEGER NOT NULL,
  category TEXT NOT NULL,
  keywords TEXT NOT NULL,
  description TEXT NOT NULL,
  price_cents INTEGER NOT NULL CHECK (price_cents > 0),
  floor_price_cents INTEGER NOT NULL CHECK (floor_price_cents > 0),
  currency TEXT NOT NULL,
  status TEXT NOT NULL,
  words TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE UNIQUE INDEX listings_by_domain ON listings (environment, domain);
CREATE INDEX listings_sold ON listings (environment) WHERE status = 'sold';

CREATE VIRTUAL TABLE search_sandbox USING fts5(
  name, keywords, category, facts,
  tokenize = 'unicode61 remove_diacritics 2', content = '', contentless_delete = 1
);

CREATE VIRTUAL TABLE search_live USING fts5(
  name, keywords, category, facts,
  tokenize = 'unicode61 remove_diacritics 2', content = '', contentless_delete = 1
);

CREATE VIRTUAL TABLE trigrams_sandbox USING fts5(
  label, tokenize = 'trigram', detail = none, content = '', contentless_delete = 1
);

CREATE VIRTUAL TABLE trigrams_live USING fts5(
  label, tokenize = 'trigram', detail = none, content = '', contentless_delete = 1
);
-- By default, FTS5 merges a segment whole when a tenth of it is deleted: seconds of one transaction in a large inventory.
INSERT INTO search_sandbox (search_sandbox, rank) VALUES ('deletemerge', 0);
INSERT INTO trigrams_sandbox (trigrams_sandbox, rank) VALUES ('deletemerge', 0);
INSERT INTO search_live (search_live, rank) VALUES ('deletemerge', 0);
INSERT INTO trigrams_live (trigrams_live, rank) VALUES ('deletemerge', 0);

CREATE TABLE quotes (
  id TEXT PRIMARY KEY,
  partner_id TEXT NOT NULL REFERENCES partners,
  environment TEXT NOT NULL,
  domain TEXT NOT NULL,
  price_cents INTEGER NOT NULL,
  currency TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  order_id TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX quotes_reserving ON quotes (environment, domain, expires_at) WHERE order_id IS NULL;
CREATE INDEX quotes_by_expiry ON quotes (expires_at) WHERE order_id IS NULL;

CREATE TABLE orders (
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
  statement_id TEXT,
  transaction_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX orders_of_partner ON orders (partner_id, environment, created_at, id);
-- It covers the sums of reports: reading the rows takes nine times as long.
CREATE INDEX orders_by_status
  ON orders (partner_id, environment, status, created_at, id, sale_price_cents, commission_cents);
CREATE UNIQUE INDEX orders_by_transaction ON orders (transaction_id);
CREATE INDEX orders_by_domain ON orders (partner_id, environment, domain, created_at, id);
CREATE INDEX orders_unsettled ON orders (partner_id, environment, completed_at, id, sale_price_cents, commission_cents)
  WHERE completed_at IS NOT NULL AND statement_id IS NULL;

CREATE TABLE order_timeline (
  id INTEGER PRIMARY KEY,
  order_id TEXT NOT NULL REFERENCES orders,
  status TEXT NOT NULL,
  at INTEGER NOT NULL,
  event TEXT,
  note TEXT
) STRICT;
CREATE INDEX timeline_of_order ON order_timeline (order_id, id);

CREATE TABLE scheduled_moves (
  order_id TEXT PRIMARY KEY REFERENCES orders,
  action TEXT NOT NULL,
  due_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX scheduled_moves_due ON scheduled_moves (due_at);

CREATE TABLE refunds (
  id TEXT PRIMARY KEY,
  order_id TEXT NOT NULL UNIQUE REFERENCES orders,
  reason TEXT,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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
CREATE INDEX cases_of_domain ON brokerage_cases (environment, domain, status);

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
  created_at INTEGER NOT NULL,
  clicks INTEGER NOT NULL DEFAULT 0,
  sales INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX links_of_partner ON links (partner_id, environment, id);

CREATE TABLE clicks (
  id INTEGER PRIMARY KEY,
  link_id TEXT NOT NULL REFERENCES links,
  partner_id TEXT NOT NULL,
  environment TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX clicks_of_partner ON clicks (partner_id, environment, at);

CREATE TABLE transactions (
  id TEXT PRIMARY KEY,
  partner_id TEXT NOT NULL REFERENCES partners,
  environment TEXT NOT NULL,
  domain TEXT NOT NULL,
  payment_model TEXT NOT NULL,
  status TEXT NOT NULL,
  sale_price_cents INTEGER NOT NULL CHECK (sale_price_cents > 0),
  commission_cents INTEGER NOT NULL CHECK (commission_cents BETWEEN 0 AND sale_price_cents),
  currency TEXT NOT NULL,
  session_id TEXT,
  case_id TEXT,
  link_id TEXT,
  buyer_email TEXT,
  buyer_name TEXT,
  buyer_country TEXT,
  created_at INTEGER NOT NULL,
  payout_id TEXT
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX transactions_of_session ON transactions (session_id) WHERE session_id IS NOT NULL;
CREATE UNIQUE INDEX transactions_of_case ON transactions (case_id) WHERE case_id IS NOT NULL;
CREATE INDEX transactions_by_status
  ON transactions (partner_id, environment, payment_model, status, created_at, id, sale_price_cents, commission_cents);
CREATE INDEX transactions_payable ON transactions (partner_id, environment, id)
  WHERE status = 'DELIVERED' AND payout_id IS NULL;

CREATE TABLE ledger (
  id TEXT NOT NULL,
  partner_id TEXT NOT NULL REFERENCES partners,
  environment TEXT NOT NULL,
  transaction_id TEXT NOT NULL REFERENCES transactions,
  entry TEXT NOT NULL,
  amount_cents INTEGER NOT NULL CHECK (amount_cents >= 0),
  delta_cents INTEGER NOT NULL CHECK (abs(delta_cents) IN (0, amount_cents)),
  balance_cents INTEGER NOT NULL,
  currency TEXT NOT NULL,
  payout_id TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (partner_id, environment, id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER ledger_is_never_updated BEFORE UPDATE ON ledger
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_is_never_deleted BEFORE DELETE ON ledger
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;

CREATE TABLE settlement_periods (
  id TEXT PRIMARY KEY,
  partner_id TEXT NOT NULL REFERENCES partners,
  environment TEXT NOT NULL,
  period_start INTEGER NOT NULL,
  period_end INTEGER NOT NULL,
  closed INTEGER NOT NULL,
  order_count INTEGER NOT NULL DEFAULT 0,
  gross_cents INTEGER NOT NULL DEFAULT 0,
  commission_cents INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX periods_of_partner ON settlement_periods (partner_id, environment, id);
CREATE INDEX periods_unclosed ON settlement_periods (partner_id, environment, id) WHERE closed = 0;

CREATE TABLE payouts (
  id TEXT PRIMARY KEY,
  partner_id TEXT NOT NULL REFERENCES partners,
  environment TEXT NOT NULL,
  amount_cents INTEGER NOT NULL,
  currency TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX payouts_of_partner ON payouts (partner_id, environment, id, amount_cents);

CREATE TABLE events (
  id TEXT PRIMARY KEY,
  partner_id TEXT NOT NULL REFERENCES partners,
  environment TEXT NOT NULL,
  type TEXT NOT NULL,
  data TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX events_of_partner ON events (partner_id, environment, id);
CREATE INDEX events_about ON events (subject_id, id);

CREATE TABLE webhooks (
  partner_id TEXT NOT NULL REFERENCES partners,
  environment TEXT NOT NULL,
  url TEXT NOT NULL,
  secret TEXT NOT NULL,
  active INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (partner_id, environment)
) STRICT, WITHOUT ROWID;

CREATE TABLE deliveries (
  id TEXT PRIMARY KEY,
  event_id TEXT NOT NULL REFERENCES events,
  partner_id TEXT NOT NULL,
  environment TEXT NOT NULL,
  url TEXT NOT NULL,
  status TEXT NOT NULL,
  attempt_count INTEGER NOT NULL,
  next_attempt_at INTEGER,
  created_at INTEGER NOT NULL,
  fault TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_owed ON deliveries (partner_id, environment, next_attempt_at, id) WHERE status = 'pending';
CREATE INDEX deliveries_of_event ON deliveries (event_id);
CREATE INDEX deliveries_failed ON deliveries (id) WHERE status = 'failed';
CREATE INDEX deliveries_held ON deliveries (partner_id, environment) WHERE fault IS NOT NULL;

CREATE TABLE delivery_attempts (
  id INTEGER PRIMARY KEY,
  delivery_id TEXT NOT NULL REFERENCES deliveries,
  at INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  http_status INTEGER,
  duration_ms INTEGER NOT NULL,
  response TEXT
) STRICT;
CREATE INDEX attempts_of_delivery ON delivery_attempts (delivery_id, id);

CREATE TABLE faults (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  match TEXT NOT NULL,
  effect TEXT,
  webhook TEXT,
  times INTEGER CHECK (times > 0),
  matched INTEGER NOT NULL,
  hits INTEGER NOT NULL CHECK (hits BETWEEN 0 AND matched),
  configured INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  CHECK ((effect IS NULL) <> (webhook IS NULL))
) STRICT;
