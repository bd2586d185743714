/** Nonces in the order of their use: appended, read when a database is opened, removed from the front. */
export const nonces = `
CREATE TABLE used_nonces (
  id INTEGER PRIMARY KEY,
  key_id TEXT NOT NULL,
  nonce TEXT NOT NULL,
  used_at INTEGER NOT NULL
) STRICT;
INSERT INTO used_nonces SELECT NULL, key_id, nonce, used_at FROM nonces ORDER BY used_at;
DROP TABLE nonces;
ALTER TABLE used_nonces RENAME TO nonces;
`;
