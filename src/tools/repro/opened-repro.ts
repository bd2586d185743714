import { conflict } from '../../kernel/errors.ts';
import type { Worlds } from '../../world/worlds.ts';
import type { InputLine } from './describe.ts';
import type { ObjectChange } from './world-objects.ts';

/** Where to step: to an act or input, by one act, or to the next act that changes an order. One of them. */
export interface Step {
  to?: string | undefined;
  by?: 1 | -1 | undefined;
  order?: string | undefined;
}

/** Where a sandbox stands that a file opened. */
export interface OpenedState {
  /** Number of the last act that was performed; 0 if none was. */
  at: number;
  /** Numbers of the first and the last act of the file. */
  first: number;
  last: number;
  digest: string;
  /** What the act is of. */
  input: InputLine | null;
  /** How the act changed the state. */
  difference: readonly ObjectChange[];
  /** How many acts by hand the last step discarded. */
  discarded: number;
}

interface Opened {
  readonly state: OpenedState;
  /** How many acts requests have added, which the next step discards. */
  readonly manualActs: number;
  step(step: Step): Promise<void>;
}

/** What `repro open` serves, by the worlds of the sandbox that it serves now. */
export const OPENED_REPROS = new WeakMap<Worlds, Opened>();

/** @throws conflict for a sandbox that no file opened */
export function requireOpenedRepro(worlds: Worlds): Opened {
  const openedRepro = OPENED_REPROS.get(worlds);
  if (openedRepro) return openedRepro;
  throw conflict('no file opened this sandbox; run sandlot repro open FILE, and pass its --url');
}
