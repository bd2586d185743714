import type { Check } from './check.ts';
import { ReceiverTestInputError, type ReceiverTestOptions } from './options.ts';
import type { ProbeKind } from './result.ts';
import { runProbe } from './run-probe.ts';
import type { Session } from './session.ts';
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
interface Reading {
  text: string;
  count: number | null;
}

export type ProbeReading = Reading | { problem: string };

export function isFailure(reading: ProbeReading): reading is { problem: string } {
  return 'problem' in reading;
}

const UNCHANGED =
  'Your probe does not change. Does the receiver act on this event? Try another --event.';

/** @param pairs readings before and after each of two deliveries */
function calibrate(pairs: readonly (readonly [Reading, Reading])[]): Calibration {
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

/** Returns the change of a count, or 1 for a changed text. */
function changeOf(before: Reading, after: Reading, kind: Calibration['kind']): number {
  if (kind !== 'count') return before.text === after.text ? 0 : 1;
  return (after.count ?? Number.NaN) - (before.count ?? Number.NaN);
}

/** Returns the change by one effect. */
function unitOf(calibration: Calibration): number {
  return calibration.kind === 'count' ? calibration.unit : 1;
}

export function evaluateEffect(
  { procedure, expected }: Check,
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
  if (calibration.kind === 'text' && procedure === 'at_once') {
    const reason = 'A probe that prints text cannot show how often. Print a count.';
    return { kind: 'unseen', reason };
  }
  if (procedure === 'no_state_regression') return evaluateStates(values.map(({ text }) => text));
  const changes = values
    .slice(1)
    .map((value, n) => changeOf(values[n] ?? value, value, calibration.kind));
  const [first = 0, ...laterChanges] = changes;
  const total = changes.reduce((sum, change) => sum + change, 0);
  const unit = unitOf(calibration);
  if (procedure === 'forgery_first' && first !== 0) return { kind: 'early' };
  if (expected.effect === 'none') return { kind: total === 0 ? 'as_expected' : 'repeated' };
  if (procedure === 'repeat' && laterChanges.length > 0 && first === 0) return { kind: 'missing' };
  if (total === unit) return { kind: 'as_expected' };
  return { kind: total < unit ? 'missing' : 'repeated' };
}

/** Expects three readings for each of two orders: before, after the newest event, after the older ones. */
function evaluateStates(texts: readonly string[]): Effect {
  const orders = [texts.slice(0, 3), texts.slice(3, 6)];
  if (orders.some(([before, newest]) => before === newest)) {
    return {
      kind: 'unseen',
      reason: 'The newest event alone changes nothing that the probe shows.',
    };
  }
  const isKept = orders.every(([, newest, afterOlder]) => newest === afterOlder);
  return { kind: isKept ? 'as_expected' : 'repeated' };
}

/** Reads and calibrates the probe of a run. */
export class EffectReader {
  readonly #options: Pick<ReceiverTestOptions, 'probe' | 'cwd'>;
  readonly #session: Session;
  #calibration: Calibration | null = null;

  constructor(options: Pick<ReceiverTestOptions, 'probe' | 'cwd'>, session: Session) {
    this.#options = options;
    this.#session = session;
  }

  /** Null before the calibration, and without a probe. */
  get calibration(): Calibration | null {
    return this.#calibration;
  }

  get isUsable(): boolean {
    return Boolean(this.#options.probe) && this.#calibration?.kind !== 'unchanged';
  }

  get isCalibrated(): boolean {
    return this.#calibration !== null && this.isUsable;
  }

  /** @throws ReceiverTestInputError if there is a probe that does not work */
  async requireProbe(): Promise<void> {
    if (this.#options.probe) await this.#require();
  }

  async read(check: string, delivery?: Delivery): Promise<ProbeReading> {
    const { probe, cwd } = this.#options;
    if (!probe) return { problem: 'there is no probe' };
    const { runtime, signal } = this.#session;
    const subject = { check, event: delivery?.eventId ?? '', order: delivery?.orderId ?? '' };
    const result = await runProbe(probe, subject, { cwd, runtime, signal });
    signal.throwIfAborted();
    if ('output' in result) {
      const text = result.output.trim();
      return { text, count: /^-?\d{1,15}$/.test(text) ? Number(text) : null };
    }
    const name = typeof probe === 'string' ? 'the probe command' : 'the probe';
    return { problem: `${name} ${result.problem}` };
  }

  /**
   * Sends two valid deliveries about two orders. Each must change the value of the probe.
   * @throws ReceiverTestInputError if the probe does not work
   */
  async calibrate(): Promise<void> {
    if (!this.#options.probe) return;
    const { source } = this.#session;
    const pairs: [Reading, Reading][] = [];
    for (let n = 0; n < 2; n += 1) {
      const valid = source.delivery(source.event());
      await this.#session.settleIfNeeded();
      const before = await this.#require(valid);
      await this.#session.send([valid]);
      await this.#session.settle();
      pairs.push([before, await this.#require(valid)]);
    }
    this.#calibration = calibrate(pairs);
  }

  /** Reads until the value shows one effect, or the settle time is over. */
  async readUntilOne(
    check: string,
    delivery: Delivery | undefined,
    before: ProbeReading | undefined,
  ): Promise<ProbeReading> {
    const calibration = this.#calibration;
    const isDone = (reading: ProbeReading) =>
      before !== undefined &&
      calibration !== null &&
      !isFailure(before) &&
      !isFailure(reading) &&
      changeOf(before, reading, calibration.kind) === unitOf(calibration);
    return this.#session.poll(this.#session.settleMs, () => this.read(check, delivery), isDone);
  }

  async #require(delivery?: Delivery): Promise<Reading> {
    const reading = await this.read('calibration', delivery);
    if (!isFailure(reading)) return reading;
    throw new ReceiverTestInputError(`--probe: ${reading.problem}`);
  }
}
