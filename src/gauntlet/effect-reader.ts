import type { Delivery } from './check.ts';
import { delivery, newEvent } from './delivery.ts';
import { type Calibration, calibrate, hasOneEffect } from './effect.ts';
import { GauntletInputError } from './input-error.ts';
import { isFailure, type Probe, type ProbeFailure, type Reading } from './probe.ts';
import type { Session } from './session.ts';

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

  /** @throws GauntletInputError if there is a probe that does not work */
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
   * @throws GauntletInputError if the probe does not work
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
  throw new GauntletInputError(`--probe: ${reading.problem}`);
}
