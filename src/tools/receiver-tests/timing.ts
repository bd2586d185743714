/** Limits and pauses of a run. Texts of checks and results repeat them by hand; tests of sandlot pass shorter ones. */
export const TIMING = {
  /** A 200 after this time is late. */
  lateMs: 5_000,
  /** For a connection, and for a response. */
  timeoutMs: 8_000,
  /** Between the writes of a delivery that is sent in pieces. */
  splitPauseMs: 150,
  /** Between a closed connection and the same delivery again. */
  repeatPauseMs: 1_000,
  /** Between two readings of the probe. */
  pollPauseMs: 100,
  /** For the receiver to recover. */
  recoveryMs: 10_000,
  /** Between two deliveries to a receiver that is recovering. */
  recoveryPauseMs: 250,
};

export type Timing = typeof TIMING;
