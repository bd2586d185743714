import { conflict } from '../../kernel/errors.ts';
import type { Worlds } from '../../world/worlds.ts';
import type { InputLine } from './describe.ts';
import type { ObjectChange } from './world-objects.ts';

/** Exactly one of: an act or input, the next or previous act, the next act that changes an order. */
export interface Step {
  to?: string | undefined;
  by?: 1 | -1 | undefined;
  order?: string | undefined;
}

/** The state of a sandbox that a file opened. */
export interface OpenedState {
  /** Number of the last act that was performed; 0 if none was. */
  at: number;
  /** Numbers of the first and the last act of the file. */
  first: number;
  last: number;
  digest: string;
  /** The input of the act. */
  input: InputLine | null;
  /** How the act changed the state. */
  difference: readonly ObjectChange[];
  /** Number of manual acts that the last step discarded. */
  discarded: number;
}

interface SteppableRepro {
  readonly state: OpenedState;
  /** Number of acts of requests since the last step, which the next step discards. */
  readonly manualActs: number;
  step(step: Step): Promise<void>;
}

/** The files that `repro open` serves, by the worlds of their current sandbox. */
export const OPENED_REPROS = new WeakMap<Worlds, SteppableRepro>();

/** @throws conflict if no file opened the sandbox */
export function requireOpenedRepro(worlds: Worlds): SteppableRepro {
  const openedRepro = OPENED_REPROS.get(worlds);
  if (openedRepro) return openedRepro;
  throw conflict('no file opened this sandbox; run sandlot repro open FILE, and pass its --url');
}
