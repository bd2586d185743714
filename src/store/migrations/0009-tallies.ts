/**
 * Nothing that is asked of a partner's history reads the whole of it. Sums are kept beside the rows that they
 * sum, per day (UTC); lists have an index in their own order for each filter; and what only added lines up
 * (a payout, a closed statement, a link's clicks) is written down when it happens.
 */
export const tallies = `
CREATE TABLE tallies (
  partner_id TEXT NOT NULL,
  environment TEXT NOT NULL,
  kind TEXT NOT NULL,
  day INTEGER NOT NULL,
  count INTEGER NOT NULL,
  amount_cents INTEGER NOT NULL,
  commission_cents INTEGER NOT NULL,
  PRIMARY KEY (partner_id, environment, kind, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE tallied_orders (
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
INSERT INTO tallied_orders
  SELECT orders.*, transactions.id FROM orders LEFT JOIN transactions ON transactions.order_id = orders.id;
DROP TABLE orders;
ALTER TABLE tallied_orders RENAME TO orders;
CREATE INDEX orders_of_partner ON orders (partner_id, environment, created_at, id);
CREATE INDEX orders_by_status ON orders (partner_id, environment, status, created_at, id);
CREATE INDEX orders_by_domain ON orders (partner_id, environment, domain, created_at, id);
CREATE INDEX orders_unsettled ON orders (partner_id, environment, completed_at, id)
  WHERE completed_at IS NOT NULL AND statement_id IS NULL;

ALTER TABLE settlement_periods ADD COLUMN order_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE settlement_periods ADD COLUMN gross_cents INTEGER NOT NULL DEFAULT 0;
ALTER TABLE settlement_periods ADD COLUMN commission_cents INTEGER NOT NULL DEFAULT 0;
UPDATE settlement_periods
  SET order_count = settled.n, gross_cents = settled.gross, commission_cents = settled.commission
  FROM (
    SELECT statement_id, count(*) AS n, sum(sale_price_cents) AS gross, sum(commission_cents) AS commission
    FROM orders WHERE statement_id IS NOT NULL GROUP BY statement_id
  ) AS settled
  WHERE settlement_periods.id = settled.statement_id;
CREATE INDEX periods_unclosed ON settlement_periods (partner_id, environment, id) WHERE closed = 0;

CREATE TABLE payouts (
  id TEXT PRIMARY KEY,
  partner_id TEXT NOT NULL REFERENCES partners,
  environment TEXT NOT NULL,
  amount_cents INTEGER NOT NULL,
  currency TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO payouts
  SELECT payout_id, partner_id, environment, sum(amount_cents), currency, min(created_at)
  FROM ledger WHERE payout_id IS NOT NULL GROUP BY payout_id;
CREATE INDEX payouts_of_partner ON payouts (partner_id, environment, id);

ALTER TABLE links ADD COLUMN clicks INTEGER NOT NULL DEFAULT 0;
ALTER TABLE links ADD COLUMN sales INTEGER NOT NULL DEFAULT 0;
UPDATE links SET
  clicks = (SELECT count(*) FROM clicks WHERE link_id = links.id),
  sales = (SELECT count(*) FROM transactions WHERE link_id = links.id AND status <> 'REFUNDED');
DROP INDEX clicks_of_link;

ALTER TABLE transactions ADD COLUMN payout_id TEXT;
UPDATE transactions SET payout_id = (
  SELECT payout_id FROM ledger
  WHERE transaction_id = transactions.id AND account = 'commission' AND entry = 'PAID_OUT'
) WHERE order_id IS NULL;
DROP INDEX transactions_of_partner;
DROP INDEX transactions_of_link;
DROP INDEX transactions_of_order;
DROP INDEX ledger_of_transaction;
DROP INDEX ledger_of_payout;
CREATE INDEX transactions_collected
  ON transactions (partner_id, environment, payment_model, status, created_at, id) WHERE order_id IS NULL;
CREATE INDEX transactions_payable ON transactions (partner_id, environment, id)
  WHERE status = 'DELIVERED' AND payout_id IS NULL;

INSERT INTO tallies
  SELECT partner_id, environment, 'partner_collected ' || status, created_at / 86400000,
    count(*), sum(sale_price_cents), sum(commission_cents)
  FROM orders GROUP BY 1, 2, 3, 4
  UNION ALL
  SELECT partner_id, environment, payment_model || ' ' || status, created_at / 86400000,
    count(*), sum(sale_price_cents), sum(commission_cents)
  FROM transactions WHERE order_id IS NULL GROUP BY 1, 2, 3, 4
  UNION ALL
  SELECT partner_id, environment, 'unsettled', completed_at / 86400000,
    count(*), sum(sale_price_cents), sum(commission_cents)
  FROM orders WHERE completed_at IS NOT NULL AND statement_id IS NULL GROUP BY 1, 2, 4
  UNION ALL
  SELECT partner_id, environment, 'payout', created_at / 86400000, count(*), sum(amount_cents), 0
  FROM payouts GROUP BY 1, 2, 4
  UNION ALL
  SELECT partner_id, environment, 'checkout', created_at / 86400000, count(*), 0, 0
  FROM checkout_sessions GROUP BY 1, 2, 4
  UNION ALL
  SELECT partner_id, environment, 'click', at / 86400000, count(*), 0, 0
  FROM clicks GROUP BY 1, 2, 4;

-- Many write listings, an import a million at once: the counts follow the rows by themselves.
CREATE TABLE listing_counts (
  environment TEXT NOT NULL,
  status TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (environment, status)
) STRICT, WITHOUT ROWID;
INSERT INTO listing_counts SELECT environment, status, count(*) FROM listings GROUP BY 1, 2;
CREATE TRIGGER listing_is_counted AFTER INSERT ON listings BEGIN
  INSERT INTO listing_counts VALUES (new.environment, new.status, 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER listing_is_recounted AFTER UPDATE OF status ON listings WHEN old.status <> new.status BEGIN
  UPDATE listing_counts SET count = count - 1 WHERE environment = old.environment AND status = old.status;
  INSERT INTO listing_counts VALUES (new.environment, new.status, 1)
    ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER listing_is_discounted AFTER DELETE ON listings BEGIN
  UPDATE listing_counts SET count = count - 1 WHERE environment = old.environment AND status = old.status;
END;
`;
