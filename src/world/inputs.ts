/** A request that uses a world. It is an input of the world from the first use on. */
export interface RequestInput {
  /** Its number in the recording; 0 until it enters the world. */
  number: number;
  /** Real time at which it entered, Unix ms. */
  enteredAt: number;
}

/** A transaction of the input that has just entered, or of the step that has just been marked, in the same run of code. */
export const SAME_INPUT = Symbol('same input');

/** A transaction before a world has inputs: while it is created or opened. */
export const SETUP = Symbol('setup');

/** A transaction whose effects no other input sees, such as staging an upload. */
export const UNSEEN = Symbol('unseen');

export type Input = RequestInput | typeof SAME_INPUT | typeof SETUP | typeof UNSEEN;

/**
 * Places where background work reads or writes a world.
 *
 * - `continue`: a request goes on after its first use of the world
 * - `clock`: an advance of the clock begins, stops on the way, or ends
 * - `moves`, `settle`: a run of scheduled order moves; a part of a settlement run
 * - `attempt`: an attempt of a delivery, before delivery and registration are read
 * - `send`: a send after a fault was written, or one that repeats
 * - `outcome`: a send has returned
 * - `record`: outcomes that a delivery queue has collected are written
 */
export const STEP_LABELS = [
  'continue',
  'clock',
  'moves',
  'settle',
  'attempt',
  'send',
  'outcome',
  'record',
] as const;
export type StepLabel = (typeof STEP_LABELS)[number];

/** A step of background work, or of a request that goes on. */
export interface Step {
  label: StepLabel;
  /** Number of the request that goes on, or of the request or step whose send has returned. */
  of?: number;
  /** Id of the delivery of `attempt`, `send`, `outcome` and `record`. */
  delivery?: string;
  /** The body that was sent, of `outcome`. */
  body?: string;
  /** What cannot be computed again: how a send ended, or the id series of a reset. */
  result?: unknown;
}
