-- Used nonces and rate windows are kept in memory.

DROP TABLE nonces;
DROP TABLE rate_windows;
