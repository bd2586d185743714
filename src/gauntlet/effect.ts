import type { Check } from './check.ts';
import type { ProbeFailure, Reading } from './probe.ts';
import { isFailure } from './probe.ts';
import type { ProbeKind } from './result.ts';

/** What two valid deliveries taught about a probe. */
export type Calibration =
  | { kind: 'count'; unit: number }
  | { kind: 'text' }
  | { kind: Extract<ProbeKind, 'unchanged'>; why: string };

/** What the probe saw of a check; `early` is an effect of a forged delivery before the valid one. */
export type Effect =
  | { seen: 'as_expected' | 'missing' | 'repeated' | 'early' }
  | { seen: 'unseen'; why: string };

const UNCHANGED =
  'Your probe does not change. Does the receiver know these orders? Try --event or --data.';

/** @param pairs readings before and after each of the two deliveries */
export function calibrate(pairs: readonly (readonly [Reading, Reading])[]): Calibration {
  if (pairs.some(([before, after]) => before.text === after.text)) {
    return { kind: 'unchanged', why: UNCHANGED };
  }
  const units = pairs.map(([before, after]) =>
    before.count === null || after.count === null ? null : after.count - before.count,
  );
  const [unit, other] = units;
  if (unit === null || unit === undefined || other === null) return { kind: 'text' };
  if (unit === other && unit > 0) return { kind: 'count', unit };
  const why = `Your probe changed by ${unit} for one event and by ${other} for another, so it cannot count effects.`;
  return { kind: 'unchanged', why };
}

/** Whether the value is what one effect after `before` makes of it. */
export function hasOneEffect(before: Reading, after: Reading, calibration: Calibration): boolean {
  if (calibration.kind !== 'count') return before.text !== after.text;
  return (
    before.count !== null && after.count !== null && after.count - before.count === calibration.unit
  );
}

export function judgeEffect(
  { procedure, expected }: Check,
  readings: readonly (Reading | ProbeFailure)[],
  calibration: Calibration,
): Effect {
  if (calibration.kind === 'unchanged') return { seen: 'unseen', why: calibration.why };
  const failure = readings.find(isFailure);
  if (failure) return { seen: 'unseen', why: `No effect was read: ${failure.problem}.` };
  const values = readings.flatMap((reading) => (isFailure(reading) ? [] : [reading]));
  if (calibration.kind === 'count') {
    const counts = values.map(({ count }) => count);
    if (!counts.every((count) => count !== null)) {
      return { seen: 'unseen', why: 'The probe did not print a count.' };
    }
    return judgeCounts(procedure, expected, counts, calibration.unit);
  }
  return judgeTexts(
    procedure,
    expected,
    values.map(({ text }) => text),
  );
}

function judgeCounts(
  procedure: Check['procedure'],
  { effect }: Check['expected'],
  counts: readonly number[],
  unit: number,
): Effect {
  const first = counts[0] ?? 0;
  const last = counts.at(-1) ?? first;
  if (procedure === 'forgery_first' && (counts[1] ?? first) !== first) return { seen: 'early' };
  const change = last - first;
  if (effect === 'none') return { seen: change === 0 ? 'as_expected' : 'repeated' };
  if (change === unit) return { seen: 'as_expected' };
  return { seen: change < unit ? 'missing' : 'repeated' };
}

function judgeTexts(
  procedure: Check['procedure'],
  { effect }: Check['expected'],
  texts: readonly string[],
): Effect {
  const [first = '', middle = first] = texts;
  const last = texts.at(-1) ?? first;
  if (procedure === 'at_once') {
    return {
      seen: 'unseen',
      why: 'A probe that prints text cannot show how often. Print a count.',
    };
  }
  if (procedure === 'no_return') return judgeStates(texts);
  if (effect === 'none') return { seen: last === first ? 'as_expected' : 'repeated' };
  if (last === first) return { seen: 'missing' };
  if (procedure === 'forgery_first' && middle !== first) return { seen: 'early' };
  if (procedure === 'repeat' || procedure === 'hang_up') {
    if (middle !== first && middle !== last) return { seen: 'repeated' };
    if (procedure === 'repeat' && middle === first) return { seen: 'missing' };
  }
  return { seen: 'as_expected' };
}

/** Three readings for each order: before, after the newest event, after the older ones. */
function judgeStates(texts: readonly string[]): Effect {
  const orders = [texts.slice(0, 3), texts.slice(3, 6)];
  if (orders.some(([before, newest]) => before === newest)) {
    return { seen: 'unseen', why: 'The newest event alone changes nothing that the probe shows.' };
  }
  const stays = orders.every(([, newest, late]) => newest === late);
  return { seen: stays ? 'as_expected' : 'repeated' };
}
