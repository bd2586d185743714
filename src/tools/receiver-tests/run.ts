import { randomBytes } from 'node:crypto';
import { shellQuote } from '../../client/curl.ts';
import { type Runtime, systemRuntime } from '../../kernel/runtime.ts';
import { isoTime } from '../../kernel/time.ts';
import { VERSION } from '../../version.ts';
import { groupOf, type ReceiverCheck } from './check.ts';
import { selectChecks } from './checks/index.ts';
import {
  type Calibration,
  calibrate,
  effectsIn,
  isFailure,
  type Observation,
  type ProbeReading,
  type Reading,
  whyUnseen,
} from './effect.ts';
import { evaluate, NOT_ACCEPTED } from './evaluate.ts';
import { ReceiverTestInputError, type ReceiverTestOptions, requireTarget } from './options.ts';
import { explainOutcome, isConnected, isTrouble } from './outcomes.ts';
import {
  type CheckOutcome,
  type CheckResult,
  type ReceiverTestReport,
  type TestAttempt,
  unseen,
} from './result.ts';
import { runProbe } from './run-probe.ts';
import { DeliverySender } from './sender.ts';
import { Source, type TestDelivery } from './source.ts';
import { TIMING, type Timing } from './timing.ts';

const DEFAULT_SETTLE_MS = 2_000;

/**
 * Tests a receiver with valid, unusual, forged and repeated deliveries.
 * @throws ReceiverTestInputError for invalid options, or a probe that does not work; the reason of `signal`
 */
export async function runReceiverTests(
  options: ReceiverTestOptions,
  timing: Timing = TIMING,
): Promise<ReceiverTestReport> {
  return new Run(options, timing).report();
}

/** Ends a run early. Checks that did not run are unseen for this reason. */
class EndOfRun extends Error {}

class Run {
  readonly #options: ReceiverTestOptions;
  readonly #timing: Timing;
  readonly #runtime: Runtime;
  readonly #settleMs: number;
  readonly #signal: AbortSignal;
  readonly #checks: readonly ReceiverCheck[];
  readonly #source: Source;
  readonly #sender: DeliverySender;
  /** By the id of the check. */
  readonly #observations = new Map<string, Observation>();
  /** Of the last check that has sent a delivery. */
  #lastObservation: Observation | undefined;
  /** Response times so far, in ms. */
  readonly #times: number[] = [];
  #isConnected = false;
  /** Whether a valid delivery has received 200 in time. */
  #hasAccepted = false;
  /** Whether a delivery may take effect after the last reading of the probe. */
  #isUnsettled = false;
  /** Null without a probe. */
  #calibration: Calibration | null = null;

  constructor(options: ReceiverTestOptions, timing: Timing) {
    const { secret, runtime = systemRuntime, settleMs = DEFAULT_SETTLE_MS } = options;
    const { signal = new AbortController().signal } = options;
    const url = requireTarget(options);
    if (secret === '') {
      throw new ReceiverTestInputError('--secret: empty; pass the webhook secret of your receiver');
    }
    const { baseType, checks } = selectChecks(options);
    const tag = randomBytes(5).toString('hex');
    this.#options = options;
    this.#timing = timing;
    this.#runtime = runtime;
    this.#settleMs = settleMs;
    this.#signal = signal;
    this.#checks = checks;
    this.#source = new Source({ secret, baseType, tag, now: () => runtime.now() });
    this.#sender = new DeliverySender({ url, runtime, timing, signal });
  }

  async report(): Promise<ReceiverTestReport> {
    this.#signal.throwIfAborted();
    const startedAt = this.#runtime.now();
    const start = this.#runtime.monotonic();
    let notRunReason = '';
    try {
      await this.#run();
    } catch (error) {
      if (!(error instanceof EndOfRun)) throw error;
      notRunReason = error.message;
    }
    const checks = this.#checks.map((check) => this.#resultOf(check, notRunReason));
    const totals: Record<CheckOutcome, number> = { pass: 0, fail: 0, advice: 0, unseen: 0 };
    for (const { result } of checks) totals[result] += 1;
    return {
      format: 2,
      sandlot: VERSION,
      url: this.#options.url,
      started_at: isoTime(startedAt),
      duration_ms: Math.round(this.#runtime.monotonic() - start),
      ok: totals.fail === 0 && this.#isConnected,
      probe: this.#calibration?.kind ?? null,
      totals,
      checks,
    };
  }

  /** Evaluates a check. The secret is not in its result. */
  #resultOf(check: ReceiverCheck, notRunReason: string): CheckResult {
    const { id, level, expected } = check;
    const facts = { accepted: this.#hasAccepted, calibration: this.#calibration };
    const observation = this.#observations.get(id);
    const { result, reason, meaning, fix } = observation
      ? evaluate(observation, facts)
      : unseen(notRunReason);
    const deliveries = (observation?.deliveries ?? []).map(({ attempt }) => ({
      ...attempt,
      response: attempt.response?.replaceAll(this.#options.secret, '[secret]') ?? null,
    }));
    const reproduce = commandFor(id, this.#options);
    return { id, level, result, reason, expected, deliveries, meaning, fix, reproduce };
  }

  async #run(): Promise<void> {
    if (this.#options.probe) await this.#requireReading();
    await this.#connect();
    await this.#calibrate();
    for (const [group, checks] of Map.groupBy(this.#checks, ({ id }) => groupOf(id))) {
      // If no valid delivery is accepted, only the checks of signatures can say why.
      if (!this.#hasAccepted && group !== 'right' && group !== 'sig') continue;
      for (const check of checks) await this.#runCheck(check);
      if (this.#lastObservation) await this.#requireHealth(this.#lastObservation);
    }
    if (!this.#hasAccepted) throw new EndOfRun(NOT_ACCEPTED);
  }

  async #connect(): Promise<void> {
    const attempt = await this.#sendValid();
    if (!isConnected(attempt)) {
      throw new EndOfRun(`The receiver cannot be reached: ${explainOutcome(attempt.outcome)}.`);
    }
    this.#isConnected = true;
  }

  /** Sends two valid deliveries about two orders. Each must change the value of the probe. */
  async #calibrate(): Promise<void> {
    if (!this.#options.probe) return;
    const pairs: [Reading, Reading][] = [];
    for (let n = 0; n < 2; n += 1) {
      const valid = this.#source.delivery(this.#source.event());
      await this.#settleIfNeeded();
      const before = await this.#requireReading(valid);
      await this.#send([valid]);
      await this.#settle();
      pairs.push([before, await this.#requireReading(valid)]);
    }
    this.#calibration = calibrate(pairs);
  }

  async #runCheck(check: ReceiverCheck): Promise<void> {
    const previous = this.#lastObservation;
    let observation = await this.#observe(check);
    const isLost = observation.deliveries.some(({ attempt }) => !isConnected(attempt));
    if (previous?.stillResponds && isLost) {
      // If the receiver was already unreachable before this check, the previous one has failed.
      await this.#requireHealth(previous);
      if (!previous.stillResponds) observation = await this.#observe(check);
    }
    this.#observations.set(check.id, observation);
    if (observation.deliveries.length > 0) this.#lastObservation = observation;
    if (observation.deliveries.some(({ attempt }) => isTrouble(attempt))) {
      await this.#requireHealth(observation);
    }
  }

  /**
   * Sends a valid delivery, if an earlier one received 200. If the response is not 200, marks the check as failed, and waits
   * for the receiver.
   */
  async #requireHealth(observation: Observation): Promise<void> {
    const responds = async () => (await this.#sendValid()).status === 200;
    if (!this.#hasAccepted || (await responds())) return;
    observation.stillResponds = false;
    const { recovery, recoveryPause } = this.#timing;
    await this.#sleep(recoveryPause);
    if (await this.#poll(recovery - recoveryPause, recoveryPause, responds, Boolean)) return;
    const seconds = recovery / 1_000;
    throw new EndOfRun(
      `The receiver did not recover within ${seconds} s after ${observation.check.id}.`,
    );
  }

  /** Sends the deliveries of a check: those in turn one by one, with a reading of the probe after each. */
  async #observe(check: ReceiverCheck): Promise<Observation> {
    const { sending, expected } = check;
    const deliveries = check.build(this.#source);
    const observation: Observation = {
      check,
      deliveries: [],
      readings: [],
      stillResponds: true,
      times: [...this.#times],
    };
    const calibration = this.#calibration;
    const readsProbe =
      expected.effect !== null &&
      calibration !== null &&
      whyUnseen(check, calibration) === undefined;
    const steps = sending === 'in_turn' ? deliveries.map((delivery) => [delivery]) : [deliveries];
    let order: string | undefined;
    for (const step of steps) {
      const [first] = step;
      if (readsProbe && first?.orderId !== order) {
        await this.#settleIfNeeded();
        observation.readings.push(await this.#read(check.id, first));
        order = first?.orderId;
      }
      const attempts = await this.#send(step, sending);
      for (const [n, delivery] of step.entries()) {
        const attempt = attempts[n];
        if (attempt) observation.deliveries.push({ delivery, attempt });
      }
      if (!readsProbe) this.#isUnsettled = true;
      else if (deliveries.length === 1 && expected.effect === 'one') {
        observation.readings.push(await this.#readOneEffect(observation, first, calibration));
      } else {
        await this.#settle();
        observation.readings.push(await this.#read(check.id, first));
      }
    }
    return observation;
  }

  /** Reads the probe until it shows one effect, or the settle time is over. */
  #readOneEffect(
    { check, readings }: Observation,
    delivery: TestDelivery | undefined,
    calibration: Calibration,
  ): Promise<ProbeReading> {
    const before = readings.at(-1);
    return this.#poll(
      this.#settleMs,
      this.#timing.pollPause,
      () => this.#read(check.id, delivery),
      (now) =>
        before !== undefined &&
        !isFailure(before) &&
        !isFailure(now) &&
        effectsIn(before, now, calibration) === 1,
    );
  }

  async #read(check: string, delivery?: TestDelivery): Promise<ProbeReading> {
    const order = delivery?.orderId ?? '';
    const subject = { check, event: delivery?.eventId ?? '', order };
    const result = await runProbe({ ...this.#options, signal: this.#signal }, subject);
    this.#signal.throwIfAborted();
    if ('problem' in result) return result;
    const text = result.output.trim();
    return { text, count: /^-?\d{1,15}$/.test(text) ? Number(text) : null, order };
  }

  /** @throws ReceiverTestInputError if the probe does not work */
  async #requireReading(delivery?: TestDelivery): Promise<Reading> {
    const reading = await this.#read('calibration', delivery);
    if (!isFailure(reading)) return reading;
    throw new ReceiverTestInputError(`--probe: ${reading.problem}`);
  }

  async #send(
    deliveries: readonly TestDelivery[],
    mode: ReceiverCheck['sending'] = 'in_turn',
  ): Promise<TestAttempt[]> {
    this.#signal.throwIfAborted();
    const attempts = await this.#sender.send(deliveries, mode);
    this.#signal.throwIfAborted();
    attempts.forEach(({ status, outcome, duration_ms }, n) => {
      if (status !== null) this.#times.push(duration_ms);
      if (outcome === 'ok' && deliveries[n] && !deliveries[n].forged) this.#hasAccepted = true;
    });
    return attempts;
  }

  /** Sends a valid delivery that belongs to no check. */
  async #sendValid(): Promise<TestAttempt> {
    const [attempt] = await this.#send([this.#source.delivery(this.#source.event())]);
    if (!attempt) throw new EndOfRun('No delivery was sent.');
    this.#isUnsettled = true;
    return attempt;
  }

  async #settle(): Promise<void> {
    await this.#sleep(this.#settleMs);
    this.#isUnsettled = false;
  }

  async #settleIfNeeded(): Promise<void> {
    if (this.#isUnsettled) await this.#settle();
  }

  /** Polls until `isDone` or the time is over. @returns the last result */
  async #poll<Result>(
    ms: number,
    pause: number,
    read: () => Promise<Result>,
    isDone: (result: Result) => boolean,
  ): Promise<Result> {
    const until = this.#runtime.monotonic() + ms;
    for (;;) {
      const isLast = this.#runtime.monotonic() >= until;
      const result = await read();
      if (isLast || isDone(result)) return result;
      await this.#sleep(pause);
    }
  }

  async #sleep(ms: number): Promise<void> {
    await this.#runtime.sleep(ms, this.#signal);
    this.#signal.throwIfAborted();
  }
}

/** Returns the command that runs a check, without the secret and functions. */
function commandFor(id: string, { url, allowRemote, event, probe }: ReceiverTestOptions): string {
  const words = ['sandlot', 'webhooks', 'test', '--only', id, '--url', url];
  if (allowRemote) words.push('--allow-remote');
  if (event !== undefined && event !== 'order.recorded') words.push('--event', event);
  if (typeof probe === 'string') words.push('--probe', probe);
  return words.map(shellQuote).join(' ');
}
