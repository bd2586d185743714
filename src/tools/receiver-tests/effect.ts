import { groupOf, type ReceiverCheck } from './check.ts';
import type { SentDelivery } from './sender.ts';

/** What the probe prints, as two valid deliveries show. One effect adds `unit`. `unchanged`: unusable, also for another `reason`. */
export type Calibration =
  | { kind: 'count'; unit: number }
  | { kind: 'text' }
  | { kind: 'unchanged'; reason: string };

/** The effect of a check, as read from the probe. */
type CheckEffect =
  | { kind: 'as_expected' | 'missing' | 'repeated' } // `repeated`: more than expected, such as any of a forgery.
  | { kind: 'early' } // A forged delivery had an effect before the valid one.
  | { kind: 'reverted' } // An older event changed the state.
  | { kind: 'unseen'; reason: string };

/** Output of the probe; a whole number is a count. */
export interface Reading {
  text: string;
  count: number | null;
  /** The order for which it was read. */
  orderId: string;
}

export type ProbeReading = Reading | { problem: string };

/** Readings before and after a delivery. */
export interface ProbeChange {
  before: Reading;
  after: Reading;
}

/** What a run has seen of a check. */
export interface Observation {
  check: ReceiverCheck;
  deliveries: SentDelivery[];
  /** In order: before the first delivery about an order, and after each delivery or all. Empty if not read. */
  readings: ProbeReading[];
  /** False if a valid delivery got no 200 after this check, although an earlier one did. */
  stillResponds: boolean;
  /** Response times of the run before this check, for `wire.fast`. */
  responseTimesMs: readonly number[];
}

const UNCHANGED =
  'Your probe does not change. Does the receiver act on this event? Try another --event.';
const NO_PROBE = 'Responses do not show how often an event took effect. Add --probe to check it.';

/** Learns from the changes of two deliveries what the probe prints. */
export function calibrate(...changes: [ProbeChange, ProbeChange]): Calibration {
  if (changes.some(({ before, after }) => before.text === after.text)) {
    return { kind: 'unchanged', reason: UNCHANGED };
  }
  const addedBy = ({ before, after }: ProbeChange) =>
    before.count === null || after.count === null ? null : after.count - before.count;
  const [first, second] = [addedBy(changes[0]), addedBy(changes[1])];
  if (first === null || second === null) return { kind: 'text' };
  if (first === second && first > 0) return { kind: 'count', unit: first };
  const reason = `Your probe changed by ${first} for one event and by ${second} for another, so it cannot count effects.`;
  return { kind: 'unchanged', reason };
}

/** Returns how many effects a change shows; a changed text shows one, text in place of a count none. */
export function effectsIn(before: Reading, after: Reading, calibration: Calibration): number {
  if (calibration.kind !== 'count') return before.text === after.text ? 0 : 1;
  if (before.count === null || after.count === null) return 0;
  return (after.count - before.count) / calibration.unit;
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

/** Compares the readings with the expected effect. A check without one is `as_expected`. */
export function effectOf(
  { check, deliveries, readings }: Observation,
  calibration: Calibration | null,
): CheckEffect {
  if (check.expected.effect === null) return { kind: 'as_expected' };
  if (calibration === null) return { kind: 'unseen', reason: NO_PROBE };
  const reason = whyUnseen(check, calibration);
  if (reason !== undefined) return { kind: 'unseen', reason };
  const failure = readings.find((reading) => 'problem' in reading);
  if (failure) return { kind: 'unseen', reason: `No effect was read: ${failure.problem}.` };
  const outputs = readings.filter((reading): reading is Reading => !('problem' in reading));
  if (calibration.kind === 'count' && outputs.some(({ count }) => count === null)) {
    return { kind: 'unseen', reason: 'The probe did not print a count.' };
  }
  const readingsByOrder = [...Map.groupBy(outputs, ({ orderId }) => orderId).values()];
  if (check.evaluates === 'order_state') return compareStates(readingsByOrder);
  const isForgedFirst = deliveries[0]?.delivery.forged === true;
  const kinds = readingsByOrder.map((ofOrder) => {
    const effects = ofOrder
      .slice(1)
      .map((after, indexBefore) => effectsIn(ofOrder[indexBefore] ?? after, after, calibration));
    const total = effects.reduce((sum, count) => sum + count, 0);
    if (check.expected.effect === 'none') return total === 0 ? 'as_expected' : 'repeated';
    if (isForgedFirst && effects[0]) return 'early';
    if (total === 1) return 'as_expected';
    return total < 1 ? 'missing' : 'repeated';
  });
  return { kind: kinds.find((kind) => kind !== 'as_expected') ?? 'as_expected' };
}

/** Expects readings of each order before the newest event, after it, and after the older ones. */
function compareStates(readingsByOrder: readonly (readonly Reading[])[]): CheckEffect {
  if (readingsByOrder.some(([before, afterNewest]) => before?.text === afterNewest?.text)) {
    const reason = 'The newest event alone changes nothing that the probe shows.';
    return { kind: 'unseen', reason };
  }
  const isKept = readingsByOrder.every((readings) => readings[1]?.text === readings.at(-1)?.text);
  return { kind: isKept ? 'as_expected' : 'reverted' };
}
