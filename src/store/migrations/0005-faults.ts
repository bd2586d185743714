export const faults = `
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

ALTER TABLE deliveries ADD COLUMN fault TEXT;
CREATE INDEX deliveries_held ON deliveries (partner_id, environment) WHERE fault IS NOT NULL;
`;
