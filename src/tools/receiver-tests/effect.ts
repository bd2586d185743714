import { groupOf, type ReceiverCheck } from './check.ts';
import type { TestAttempt } from './result.ts';
import type { TestDelivery } from './source.ts';

/** The result of the calibration with two valid deliveries: what the probe prints; `unchanged` if it shows no effect. */
export type Calibration =
  | { kind: 'count'; unit: number }
  | { kind: 'text' }
  | { kind: 'unchanged'; reason: string };

/** The effect of a check, as read from the probe. `early`: a forged delivery had an effect before the valid one. */
type CheckEffect =
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
  check: ReceiverCheck;
  deliveries: { delivery: TestDelivery; attempt: TestAttempt }[];
  /** Output of the probe, in order: before the first delivery about an order, and after each or all. Empty if not read. */
  readings: ProbeReading[];
  /** Whether the receiver accepted a valid delivery after this check. */
  stillResponds: boolean;
  /** Response times so far, for `wire.fast`. */
  times: readonly number[];
}

export function isFailure(reading: ProbeReading): reading is { problem: string } {
  return 'problem' in reading;
}

const UNCHANGED =
  'Your probe does not change. Does the receiver act on this event? Try another --event.';
const NO_PROBE = 'Responses do not show how often an event took effect. Add --probe to check it.';

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

/** Says why the probe cannot show the effect of a check; undefined if it can. */
export function whyUnseen(check: ReceiverCheck, calibration: Calibration): string | undefined {
  if (calibration.kind === 'unchanged') return calibration.reason;
  const isText = calibration.kind === 'text';
  if (check.evaluates === 'order_state' && !isText) {
    return 'Only a probe that prints text shows a state.';
  }
  if (check.sending === 'at_once' && isText) {
    return 'A probe that prints text cannot show how often. Print a count.';
  }
  return undefined;
}

/** Whether the responses to a check do not show its result. */
export function needsProbe({ id, evaluates }: ReceiverCheck): boolean {
  return groupOf(id) === 'dup' || evaluates === 'order_state';
}

export function effectOf(
  { check, deliveries, readings }: Observation,
  calibration: Calibration | null,
): CheckEffect {
  if (check.expected.effect === null) return { kind: 'as_expected' };
  if (calibration === null) return { kind: 'unseen', reason: NO_PROBE };
  const reason = whyUnseen(check, calibration);
  if (reason !== undefined) return { kind: 'unseen', reason };
  const failure = readings.find(isFailure);
  if (failure) return { kind: 'unseen', reason: `No effect was read: ${failure.problem}.` };
  const values = readings.filter((reading): reading is Reading => !isFailure(reading));
  if (calibration.kind === 'count' && values.some(({ count }) => count === null)) {
    return { kind: 'unseen', reason: 'The probe did not print a count.' };
  }
  const orders = [...Map.groupBy(values, ({ order }) => order).values()];
  if (check.evaluates === 'order_state') return compareStates(orders);
  const isForgedFirst = deliveries[0]?.delivery.forged === true;
  const kinds = orders.map((ofOrder) => {
    const [first = 0, ...later] = ofOrder
      .slice(1)
      .map((reading, n) => effectsIn(ofOrder[n] ?? reading, reading, calibration));
    const total = later.reduce((sum, effects) => sum + effects, first);
    if (check.expected.effect === 'none') return total === 0 ? 'as_expected' : 'repeated';
    if (isForgedFirst && first !== 0) return 'early';
    if (total === 1) return 'as_expected';
    return total < 1 ? 'missing' : 'repeated';
  });
  return { kind: kinds.find((kind) => kind !== 'as_expected') ?? 'as_expected' };
}

/** Expects readings of each order before the newest event, after it, and after the older ones. */
function compareStates(orders: readonly (readonly Reading[])[]): CheckEffect {
  if (orders.some(([before, newest]) => before?.text === newest?.text)) {
    const reason = 'The newest event alone changes nothing that the probe shows.';
    return { kind: 'unseen', reason };
  }
  const isKept = orders.every((readings) => readings[1]?.text === readings.at(-1)?.text);
  return { kind: isKept ? 'as_expected' : 'repeated' };
}
