import type { Check, Delivery } from './check.ts';
import { delivery, newEvent } from './delivery.ts';
import { ReceiverTestInputError } from './options.ts';
import { isFailure, type Probe, type ProbeFailure, type Reading } from './probe.ts';
import type { ProbeKind } from './result.ts';
import type { Session } from './session.ts';

/** The result of the calibration with two valid deliveries. */
export type Calibration =
  | { kind: 'count'; unit: number }
  | { kind: 'text' }
  | { kind: Extract<ProbeKind, 'unchanged'>; why: string };

/** The effect of a check as the probe shows it; `early` is an effect of a forged delivery before the valid one. */
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

/** Whether the value has changed by one effect since `before`. */
function hasOneEffect(before: Reading, after: Reading, calibration: Calibration): boolean {
  if (calibration.kind !== 'count') return before.text !== after.text;
  return (
    before.count !== null && after.count !== null && after.count - before.count === calibration.unit
  );
}

export function evaluateEffect(
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
  if (procedure === 'no_return') return evaluateStates(texts);
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
function evaluateStates(texts: readonly string[]): Effect {
  const orders = [texts.slice(0, 3), texts.slice(3, 6)];
  if (orders.some(([before, newest]) => before === newest)) {
    return { seen: 'unseen', why: 'The newest event alone changes nothing that the probe shows.' };
  }
  const stays = orders.every(([, newest, late]) => newest === late);
  return { seen: stays ? 'as_expected' : 'repeated' };
}

export const RAN_OUT = '--data has too few orders.';

/** Reads the probe of a run, once receiver and probe had time for the effects. */
export class EffectReader {
  readonly #probe: Probe | undefined;
  readonly #session: Session;
  #calibration: Calibration | null = null;

  constructor(probe: Probe | undefined, session: Session) {
    this.#probe = probe;
    this.#session = session;
  }

  /** Null before the calibration, and without a probe. */
  get calibration(): Calibration | null {
    return this.#calibration;
  }

  get usable(): boolean {
    return this.#probe !== undefined && this.#calibration?.kind !== 'unchanged';
  }

  get isCalibrated(): boolean {
    return this.#calibration !== null && this.usable;
  }

  close(): void {
    this.#probe?.close();
  }

  /** @throws ReceiverTestInputError if there is a probe that does not work */
  async requireProbe(): Promise<void> {
    if (this.#probe) requireReading(await this.read('calibration'));
  }

  async read(check: string, about?: Delivery): Promise<Reading | ProbeFailure> {
    const subject = { check, event: about?.eventId ?? '', order: about?.orderId ?? '' };
    const reading = (await this.#probe?.read(subject)) ?? { problem: 'there is no probe' };
    this.#session.signal.throwIfAborted();
    return reading;
  }

  /**
   * Sends two valid deliveries about two orders, which must each change the value.
   * @throws ReceiverTestInputError if the probe does not work
   */
  async calibrate(): Promise<void> {
    if (!this.#probe) return;
    const { source } = this.#session;
    const pairs: [Reading, Reading][] = [];
    for (let n = 0; n < 2; n += 1) {
      const valid = source.buildFor(true, (made) => delivery(made, newEvent(made)));
      if (source.ranOut) {
        this.#calibration = { kind: 'unchanged', why: RAN_OUT };
        return;
      }
      await this.#session.settleIfNeeded();
      const before = requireReading(await this.read('calibration', valid));
      await this.#session.send(valid);
      await this.#session.settle();
      pairs.push([before, requireReading(await this.read('calibration', valid))]);
    }
    this.#calibration = calibrate(pairs);
  }

  /** Reads until the value shows one effect, or the time to settle is over. */
  async readUntilOne(
    check: string,
    about: Delivery | undefined,
    before: Reading | ProbeFailure | undefined,
  ): Promise<Reading | ProbeFailure> {
    const { runtime, settleMs, timing } = this.#session;
    const until = runtime.monotonic() + settleMs;
    for (;;) {
      const isLast = runtime.monotonic() >= until;
      const reading = await this.read(check, about);
      const found =
        before !== undefined &&
        this.#calibration !== null &&
        !isFailure(before) &&
        !isFailure(reading) &&
        hasOneEffect(before, reading, this.#calibration);
      if (found || isLast) return reading;
      await this.#session.sleep(timing.pollPause);
    }
  }
}

function requireReading(reading: Reading | ProbeFailure): Reading {
  if (!isFailure(reading)) return reading;
  throw new ReceiverTestInputError(`--probe: ${reading.problem}`);
}
