import type { Expected, Level } from './result.ts';
import type { Delivery, Source } from './source.ts';

/** How the deliveries of a check are sent, and when the probe is read. */
export type Procedure =
  | 'in_turn'
  | 'at_once'
  | 'one_connection'
  | 'repeat'
  | 'hang_up'
  | 'forgery_first'
  | 'no_return'
  | 'response_times';

/** One test with a stable id; the part before the dot is its group. */
export interface CheckInfo {
  id: string;
  level: Level;
  sent: string;
  expected: Expected;
  /** Meaning of a failure, if the response alone does not tell. */
  meaning: string | null;
  fix: string | null;
}

export interface Check extends CheckInfo {
  procedure: Procedure;
  build(source: Source): Delivery[];
}

/** @param alone whether a `sig.*` check has an order of its own; the others share one */
export function deliveriesOf(check: Check, source: Source, alone = false): Delivery[] {
  const isWatched = check.expected.effect !== null;
  return source.build({ isWatched, isShared: groupOf(check.id) === 'sig' && !alone }, check.build);
}

export function groupOf(id: string): string {
  return id.slice(0, id.indexOf('.'));
}
