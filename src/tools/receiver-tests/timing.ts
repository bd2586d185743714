/** Limits and pauses of a run, in ms. Tests shorten them. */
export const TIMING = {
  /** A 200 after this time is late. */
  late: 5_000,
  /** For a connection, and for a response. */
  timeout: 8_000,
  /** Between the writes of a delivery that is sent in pieces. */
  splitPause: 150,
  /** Between a closed connection and the same delivery again. */
  repeatPause: 1_000,
  /** Between two readings of the probe. */
  pollPause: 100,
  /** For the receiver to recover. */
  recovery: 10_000,
  /** Between two deliveries to a receiver that is recovering. */
  recoveryPause: 250,
};

export type Timing = typeof TIMING;
