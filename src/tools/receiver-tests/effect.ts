import type { Check } from './check.ts';
import type { Attempt, ProbeKind } from './result.ts';
import type { Delivery } from './source.ts';

/** The result of the calibration with two valid deliveries. */
export type Calibration =
  | { kind: 'count'; unit: number }
  | { kind: 'text' }
  | { kind: Extract<ProbeKind, 'unchanged'>; reason: string };

/** The effect of a check, as read from the probe. `early`: a forged delivery had an effect before the valid one. */
export type Effect =
  | { kind: 'as_expected' | 'missing' | 'repeated' | 'early' }
  | { kind: 'unseen'; reason: string };

/** Output of the probe; a whole number is a count. */
export interface Reading {
  text: string;
  count: number | null;
  /** The order for which it was read. */
  order: string;
}

export type ProbeReading = Reading | { problem: string };

/** What a run has seen of a check. */
export interface Observation {
  check: Check;
  deliveries: { delivery: Delivery; attempt: Attempt }[];
  /** Output of the probe, in order; null if it was not read for this check. */
  readings: ProbeReading[] | null;
  notRunReason: string | null;
  /** Whether the receiver responded to a valid delivery after this check. */
  stillResponds: boolean;
  /** Response times so far, for `wire.fast`. */
  times: readonly number[];
}

export function isFailure(reading: ProbeReading): reading is { problem: string } {
  return 'problem' in reading;
}

const UNCHANGED =
  'Your probe does not change. Does the receiver act on this event? Try another --event.';

/** @param pairs readings before and after each of two deliveries */
export function calibrate(pairs: readonly (readonly [Reading, Reading])[]): Calibration {
  if (pairs.some(([before, after]) => before.text === after.text)) {
    return { kind: 'unchanged', reason: UNCHANGED };
  }
  const [unit, second] = pairs.map(([before, after]) =>
    before.count === null || after.count === null ? null : after.count - before.count,
  );
  if (unit === null || unit === undefined || second === null) return { kind: 'text' };
  if (unit === second && unit > 0) return { kind: 'count', unit };
  const reason = `Your probe changed by ${unit} for one event and by ${second} for another, so it cannot count effects.`;
  return { kind: 'unchanged', reason };
}

/** Returns how many effects a change shows; a changed text shows one. */
export function effectsIn(before: Reading, after: Reading, calibration: Calibration): number {
  if (calibration.kind !== 'count') return before.text === after.text ? 0 : 1;
  return ((after.count ?? Number.NaN) - (before.count ?? Number.NaN)) / calibration.unit;
}

/** @param readings those of one order follow each other */
export function evaluateEffect(
  check: Check,
  readings: readonly ProbeReading[],
  calibration: Calibration,
): Effect {
  if (calibration.kind === 'unchanged') return { kind: 'unseen', reason: calibration.reason };
  const failure = readings.find(isFailure);
  if (failure) return { kind: 'unseen', reason: `No effect was read: ${failure.problem}.` };
  const values = readings.filter((reading): reading is Reading => !isFailure(reading));
  if (calibration.kind === 'count' && values.some(({ count }) => count === null)) {
    return { kind: 'unseen', reason: 'The probe did not print a count.' };
  }
  if (calibration.kind === 'text' && check.procedure === 'at_once') {
    const reason = 'A probe that prints text cannot show how often. Print a count.';
    return { kind: 'unseen', reason };
  }
  const orders = [...Map.groupBy(values, ({ order }) => order).values()];
  if (check.procedure === 'no_state_regression') return evaluateStates(orders);
  const effects = orders.map((group) => effectOnOrder(check, group, calibration));
  return { kind: effects.find((kind) => kind !== 'as_expected') ?? 'as_expected' };
}

function effectOnOrder(
  { procedure, expected }: Check,
  readings: readonly Reading[],
  calibration: Calibration,
): Exclude<Effect['kind'], 'unseen'> {
  const [first = 0, ...later] = readings
    .slice(1)
    .map((reading, n) => effectsIn(readings[n] ?? reading, reading, calibration));
  const total = later.reduce((sum, change) => sum + change, first);
  if (procedure === 'forgery_first' && first !== 0) return 'early';
  if (expected.effect === 'none') return total === 0 ? 'as_expected' : 'repeated';
  if (procedure === 'apart' && first === 0) return 'missing';
  if (total === 1) return 'as_expected';
  return total < 1 ? 'missing' : 'repeated';
}

/** Expects readings of each order before the newest event, after it, and after the older ones. */
function evaluateStates(orders: readonly (readonly Reading[])[]): Effect {
  if (orders.some(([before, newest]) => before?.text === newest?.text)) {
    return {
      kind: 'unseen',
      reason: 'The newest event alone changes nothing that the probe shows.',
    };
  }
  const isKept = orders.every((readings) => readings[1]?.text === readings.at(-1)?.text);
  return { kind: isKept ? 'as_expected' : 'repeated' };
}
