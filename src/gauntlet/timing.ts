/** Limits and pauses of a run, in ms. Tests of the gauntlet shorten them. */
export interface Timing {
  /** A 200 after this time is late. */
  late: number;
  /** How long to wait for a response. */
  wait: number;
  /** Between the writes of a delivery that is sent in pieces. */
  splitPause: number;
  /** Between a closed connection and the same delivery again. */
  repeatPause: number;
  /** Between two readings of the probe, or two looks at the sandbox. */
  pollPause: number;
  /** How long the receiver may take to recover. */
  recovery: number;
  /** Between two deliveries to a receiver that is recovering. */
  recoveryPause: number;
  /** How long a run may take, without `sale.*`. */
  run: number;
  /** How long a command of `--sale` may take. */
  command: number;
  /** How long an order may take that `--buy` places. */
  purchase: number;
  /** How long the integration may take to read the events that it missed. */
  catchUp: number;
}

export const TIMING: Timing = {
  late: 5_000,
  wait: 8_000,
  splitPause: 150,
  repeatPause: 1_000,
  pollPause: 100,
  recovery: 10_000,
  recoveryPause: 250,
  run: 300_000,
  command: 60_000,
  purchase: 30_000,
  catchUp: 30_000,
};
