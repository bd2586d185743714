/**
 * Indexes, full-text tables of the search (`facts` is the TLD as a word, `tldio`), and triggers that guard the ledger. A
 * change needs another `SCHEMA_VERSION` and `SCHEMA_HASH`.
 */
export const INDEXES = `
CREATE UNIQUE INDEX listings_by_domain ON listings (environment, domain);
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
CREATE UNIQUE INDEX idempotency_by_key ON idempotency_keys (key_id, idempotency_key);
CREATE INDEX quotes_reserving ON quotes (environment, domain, expires_at) WHERE order_id IS NULL;
CREATE INDEX quotes_by_expiry ON quotes (expires_at) WHERE order_id IS NULL;
CREATE INDEX orders_unsettled ON orders (partner_id, environment, completed_at, id, sale_price_cents, commission_cents)
  WHERE completed_at IS NOT NULL AND statement_id IS NULL;
CREATE INDEX timeline_of_order ON order_timeline (order_id, id);
CREATE INDEX scheduled_moves_due ON scheduled_moves (due_at);
CREATE INDEX sessions_of_partner ON checkout_sessions (partner_id, environment, created_at);
CREATE INDEX sessions_by_expiry ON checkout_sessions (expires_at) WHERE status = 'OPEN';
CREATE INDEX cases_of_partner ON brokerage_cases (partner_id, environment, id);
CREATE INDEX cases_of_domain ON brokerage_cases (environment, domain, status);
CREATE INDEX timeline_of_case ON case_timeline (case_id, id);
CREATE INDEX links_of_partner ON links (partner_id, environment, id);
CREATE INDEX clicks_of_partner ON clicks (partner_id, environment, at);
CREATE UNIQUE INDEX transactions_of_session ON transactions (session_id) WHERE session_id IS NOT NULL;
CREATE UNIQUE INDEX transactions_of_case ON transactions (case_id) WHERE case_id IS NOT NULL;
CREATE INDEX transactions_by_status
  ON transactions (partner_id, environment, payment_model, status, created_at, id, sale_price_cents, commission_cents);
CREATE INDEX transactions_payable ON transactions (partner_id, environment, id)
  WHERE status = 'DELIVERED' AND payout_id IS NULL;
CREATE TRIGGER ledger_is_never_updated BEFORE UPDATE ON ledger
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE TRIGGER ledger_is_never_deleted BEFORE DELETE ON ledger
  BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
CREATE INDEX periods_of_partner ON settlement_periods (partner_id, environment, id);
CREATE INDEX periods_unclosed ON settlement_periods (partner_id, environment, id) WHERE closed = 0;
CREATE INDEX payouts_of_partner ON payouts (partner_id, environment, id, amount_cents);
CREATE INDEX deliveries_owed ON deliveries (partner_id, environment, next_attempt_at, id) WHERE status = 'pending';
CREATE INDEX deliveries_of_event ON deliveries (event_id);
CREATE INDEX deliveries_failed ON deliveries (id) WHERE status = 'failed';
CREATE INDEX deliveries_held ON deliveries (partner_id, environment) WHERE fault IS NOT NULL;
CREATE INDEX attempts_of_delivery ON delivery_attempts (delivery_id, id)`;
