/** A request that uses a world. It is an input of the world from the first use on. */
export interface RequestInput {
  /** Its number in the recording; 0 until it enters the world. */
  number: number;
  /** Real time at which it entered, Unix ms; 0 until then. */
  enteredAt: number;
  /** The recording that it is part of. */
  recording?: object | undefined;
  /** Whether the recording ended before the response. */
  isLate?: boolean;
}

/** The number of a request that is not recorded. */
export const NOT_RECORDED = -1;

/** A transaction of the input that has just entered, or of the step that has just been marked, in the same run of code. */
export const SAME_INPUT = 'same input';

/** A transaction before a world has inputs: while it is created or opened. */
export const SETUP = 'setup';

/** A transaction whose effects no other input sees, such as staging an upload. */
export const UNSEEN = 'unseen';

export type Input = RequestInput | typeof SAME_INPUT | typeof SETUP | typeof UNSEEN;

/**
 * Places where background work reads or writes a world.
 *
 * - `continue`: a request goes on after its first use of the world
 * - `clock`: an advance of the clock begins, stops on the way, or ends
 * - `moves`: a run of scheduled order moves
 * - `attempt`: an attempt of a delivery, before delivery and registration are read
 * - `send`: a send after a fault was written, or one that repeats
 * - `outcome`: a send has returned
 * - `record`: outcomes that a delivery queue has collected are written
 */
export const STEP_LABELS = [
  'continue',
  'clock',
  'moves',
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

/** A response as it is sent. */
export interface GivenResponse {
  status: number;
  headers: readonly (readonly [name: string, value: string])[];
  /** Empty for a hosted page. */
  body: string;
}

/**
 * Called with every input of a world: records it, or replays a recording. A replay returns a promise, which resolves when
 * it is the turn of the input; otherwise nothing is returned, so that nothing is awaited.
 */
export interface InputHook {
  /** The number of the input or step that came last. */
  readonly number: number;
  readonly isReplay: boolean;
  /** Gives a request its number; if it has one, marks that it goes on. */
  enter(input: RequestInput): Promise<unknown> | undefined;
  /** Resolves to the delivery of the step, or ''; to undefined if it is not taken, so that the caller looks again. */
  step(step: Step): Promise<string | undefined> | undefined;
  /** In a replay, takes over a timer: calls `task` when it is the turn of the step. Returns its cancel. */
  later(step: Step, task: () => void): (() => void) | undefined;
  /** Called before a transaction that sets the world up. */
  setUp(): void;
  committed(): void;
  /** Called after a COMMIT failed. */
  commitFailed(): void;
  /** Called with the name of a snapshot that was saved, that changed in a way a replay cannot repeat, or that is used. */
  snapshot(name: string, act: 'saved' | 'changed' | 'used'): void;
  /** Called when a recording cannot hold an input. @param n its number; the last one if left out */
  unrecordable(reason: string, n?: number): void;
  /** Called when a request has its response; undefined if the connection is closed instead. */
  finish(input: RequestInput, response: GivenResponse | undefined): void;
}

/** Records nothing. */
export const NO_HOOK: InputHook = {
  number: 0,
  isReplay: false,
  enter: () => undefined,
  step: () => undefined,
  later: () => undefined,
  setUp: () => {},
  committed: () => {},
  commitFailed: () => {},
  snapshot: () => {},
  unrecordable: () => {},
  finish: () => {},
};
