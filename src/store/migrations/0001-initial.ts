export const initial = `
CREATE TABLE world (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  name TEXT NOT NULL,
  seed TEXT NOT NULL,
  inventory INTEGER NOT NULL,
  token_key TEXT NOT NULL,
  clock_offset_ms INTEGER NOT NULL,
  clock_frozen_at INTEGER,
  created_at INTEGER NOT NULL
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
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE nonces (
  bucket INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  nonce TEXT NOT NULL,
  used_at INTEGER NOT NULL,
  PRIMARY KEY (bucket, key_id, nonce)
) STRICT, WITHOUT ROWID;

CREATE TABLE rate_windows (
  key_id TEXT NOT NULL,
  rate_class TEXT NOT NULL,
  hits TEXT NOT NULL,
  PRIMARY KEY (key_id, rate_class)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency_keys (
  key_id TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  status INTEGER NOT NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (key_id, idempotency_key)
) STRICT, WITHOUT ROWID;

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
  status TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX listings_by_domain ON listings (environment, domain);
CREATE VIRTUAL TABLE listing_words USING fts5(
  name, keywords, category, tokenize = 'unicode61', content = '', contentless_delete = 1
);

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
  completed_at INTEGER
) STRICT;
CREATE INDEX orders_of_partner ON orders (partner_id, environment, id);
CREATE INDEX orders_by_status ON orders (status, id);
CREATE INDEX orders_by_domain ON orders (domain, id);

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

CREATE TABLE events (
  id TEXT PRIMARY KEY,
  partner_id TEXT NOT NULL REFERENCES partners,
  environment TEXT NOT NULL,
  type TEXT NOT NULL,
  data TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
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
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX deliveries_due ON deliveries (next_attempt_at) WHERE status = 'pending';
CREATE INDEX deliveries_owed ON deliveries (partner_id, environment, next_attempt_at, id) WHERE status = 'pending';
CREATE INDEX deliveries_of_event ON deliveries (event_id);
CREATE INDEX deliveries_by_status ON deliveries (status, id);

CREATE TABLE delivery_attempts (
  id INTEGER PRIMARY KEY,
  delivery_id TEXT NOT NULL REFERENCES deliveries,
  at INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  http_status INTEGER,
  duration_ms INTEGER NOT NULL,
  answer TEXT
) STRICT;
CREATE INDEX attempts_of_delivery ON delivery_attempts (delivery_id, id);
`;
