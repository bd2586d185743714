/** Limits and pauses of a run, in ms. Tests shorten them. */
export const TIMING = {
  /** A 200 after this time is late. */
  late: 5_000,
  /** For a response. */
  wait: 8_000,
  /** Between the writes of a delivery that is sent in pieces. */
  splitPause: 150,
  /** Between a closed connection and the same delivery again. */
  repeatPause: 1_000,
  /** Between two readings of the probe, or two looks at the sandbox. */
  pollPause: 100,
  /** For the receiver to recover. */
  recovery: 10_000,
  /** Between two deliveries to a receiver that is recovering. */
  recoveryPause: 250,
  /** For a run, without `sale.*`. */
  run: 300_000,
  /** For a command of `--sale`. */
  command: 60_000,
  /** For an order that `--buy` places. */
  purchase: 30_000,
  /** For the integration to read the events that it missed. */
  catchUp: 30_000,
};

export type Timing = typeof TIMING;
