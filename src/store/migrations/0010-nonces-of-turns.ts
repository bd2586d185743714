/**
 * The nonces of a turn of the event loop are one row. They are only ever appended, removed from the front, and
 * read together when a database is opened.
 */
export const noncesOfTurns = `
CREATE TABLE nonces_of_turns (
  id INTEGER PRIMARY KEY,
  used_at INTEGER NOT NULL,
  uses TEXT NOT NULL
) STRICT;
INSERT INTO nonces_of_turns SELECT NULL, used_at, key_id || ' ' || nonce FROM nonces ORDER BY id;
DROP TABLE nonces;
ALTER TABLE nonces_of_turns RENAME TO nonces;
`;
