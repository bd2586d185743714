import { randomBytes } from 'node:crypto';
import { type Runtime, systemRuntime } from '../../kernel/runtime.ts';
import { type Check, groupOf, type Procedure } from './check.ts';
import { GROUPS } from './checks/index.ts';
import { describeOutcome, TIMING, type Timing } from './connection.ts';
import {
  type Calibration,
  calibrate,
  effectsIn,
  isFailure,
  type Observation,
  type ProbeReading,
  type Reading,
} from './effect.ts';
import { NOT_ACCEPTED } from './evaluate.ts';
import { ReceiverTestInputError, type ReceiverTestOptions, requireTarget } from './options.ts';
import { prepare } from './prepare.ts';
import { buildReport } from './report.ts';
import { isConnected, isTrouble } from './response-fault.ts';
import type { Attempt, ReceiverTestReport } from './result.ts';
import { runProbe } from './run-probe.ts';
import { Sender, type Sending } from './sender.ts';
import type { Delivery, Source } from './source.ts';

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
  readonly #source: Source;
  readonly #sender: Sender;
  readonly #observations: Map<string, Observation>;
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
    const { runtime = systemRuntime, settleMs = DEFAULT_SETTLE_MS } = options;
    const { signal = new AbortController().signal } = options;
    const url = requireTarget(options);
    const tag = randomBytes(5).toString('hex');
    const { source, checks } = prepare(options, { tag, now: () => runtime.now() });
    this.#options = options;
    this.#timing = timing;
    this.#runtime = runtime;
    this.#settleMs = settleMs;
    this.#signal = signal;
    this.#source = source;
    this.#sender = new Sender({ url, runtime, timing, signal });
    this.#observations = new Map(
      checks.map((check) => [check.id, emptyObservation(check, 'The check did not run.')]),
    );
  }

  async report(): Promise<ReceiverTestReport> {
    this.#signal.throwIfAborted();
    const startedAt = this.#runtime.now();
    const start = this.#runtime.monotonic();
    try {
      await this.#run();
    } catch (error) {
      if (!(error instanceof EndOfRun)) throw error;
      for (const observation of this.#observations.values()) {
        if (observation.notRunReason !== null) observation.notRunReason = error.message;
      }
    }
    return buildReport({
      options: this.#options,
      observations: [...this.#observations.values()],
      facts: { accepted: this.#hasAccepted, calibration: this.#calibration },
      connected: this.#isConnected,
      startedAt,
      durationMs: Math.round(this.#runtime.monotonic() - start),
    });
  }

  async #run(): Promise<void> {
    if (this.#options.probe) await this.#requireReading();
    await this.#connect();
    await this.#calibrate();
    await this.#runGroup('right');
    // If no valid delivery is accepted, only the checks of signatures can say why.
    if (!this.#hasAccepted) {
      await this.#runGroup('sig');
      throw new EndOfRun(NOT_ACCEPTED);
    }
    for (const group of GROUPS) if (group !== 'right') await this.#runGroup(group);
    await this.#runEach(this.#checksWhere(({ id }) => id === 'dup.late'));
  }

  async #connect(): Promise<void> {
    const attempt = await this.#sendValid();
    if (!isConnected(attempt)) {
      throw new EndOfRun(`The receiver cannot be reached: ${describeOutcome(attempt.outcome)}.`);
    }
    this.#isConnected = true;
    const { status } = attempt;
    if (status === 401 || status === 403) {
      this.#options.onNote?.(
        `warning: the receiver rejected a valid delivery with ${status}; its secret is probably different`,
      );
    }
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

  #checksWhere(matches: (check: Check) => boolean): Check[] {
    return [...this.#observations.values()].map(({ check }) => check).filter(matches);
  }

  async #runGroup(group: string): Promise<void> {
    const isOfGroup = ({ id }: Check) => groupOf(id) === group && id !== 'dup.late';
    await this.#runEach(this.#checksWhere(isOfGroup));
    if (this.#lastObservation) await this.#requireHealth(this.#lastObservation);
  }

  async #runEach(checks: readonly Check[]): Promise<void> {
    for (const check of checks) {
      const previous = this.#lastObservation;
      let latest = await this.#observe(check);
      const isLost = latest.deliveries.some(({ attempt }) => !isConnected(attempt));
      if (previous?.stillResponds && isLost) {
        // The receiver was already unreachable before this check.
        await this.#requireHealth(previous);
        if (!previous.stillResponds) latest = await this.#observe(check);
      }
      this.#observations.set(check.id, latest);
      if (latest.deliveries.length > 0) this.#lastObservation = latest;
      if (latest.deliveries.some(({ attempt }) => isTrouble(attempt))) {
        await this.#requireHealth(latest);
      }
    }
  }

  /**
   * Sends a valid delivery, if an earlier one received 200. If the response is not 200, the observed check fails, and the
   * run waits for the receiver.
   */
  async #requireHealth(observation: Observation): Promise<void> {
    const responds = async () => (await this.#sendValid()).status === 200;
    if (!this.#hasAccepted || (await responds())) return;
    observation.stillResponds = false;
    const { recovery, recoveryPause } = this.#timing;
    await this.#sleep(recoveryPause);
    if (await this.#poll(recovery - recoveryPause, recoveryPause, responds, Boolean)) return;
    throw new EndOfRun(`The receiver did not recover within 10 s after ${observation.check.id}.`);
  }

  /** Sends the deliveries of a check and reads the probe, according to its procedure. */
  async #observe(check: Check): Promise<Observation> {
    const { procedure, expected } = check;
    const deliveries = check.build(this.#source);
    // Without a probe, as with one that does not change. A count does not show the state of an order.
    const { kind = 'unchanged' } = this.#calibration ?? {};
    const readsProbe =
      kind !== 'unchanged' &&
      expected.effect !== null &&
      deliveries.length > 0 &&
      !(procedure === 'no_state_regression' && kind !== 'text');
    const observation = emptyObservation(check);
    observation.times = [...this.#times];
    if (readsProbe) observation.readings = [];
    if (READ_AFTER_EACH.includes(procedure)) await this.#sendApart(deliveries, observation);
    else {
      await this.#settleAndRead(observation, deliveries[0], { before: true });
      await this.#sendFor(observation, deliveries, SENDING[procedure]);
      await this.#settleAndRead(observation, deliveries[0]);
    }
    if (!readsProbe && deliveries.length > 0) this.#isUnsettled = true;
    return observation;
  }

  /** Sends deliveries one by one. Reads the probe before the first of each order, and after each. */
  async #sendApart(deliveries: readonly Delivery[], observation: Observation): Promise<void> {
    const hangsUp = observation.check.procedure === 'hang_up';
    let order: string | undefined;
    for (const [n, delivery] of deliveries.entries()) {
      if (delivery.orderId !== order) {
        await this.#settleAndRead(observation, delivery, { before: true });
      }
      order = delivery.orderId;
      if (hangsUp && n > 0) await this.#sleep(this.#timing.repeatPause);
      await this.#sendFor(observation, [delivery], hangsUp && n === 0 ? 'hang_up' : 'in_turn');
      await this.#settleAndRead(observation, delivery);
    }
  }

  async #sendFor(
    { deliveries: sent }: Observation,
    deliveries: readonly Delivery[],
    sending?: Sending,
  ): Promise<void> {
    const attempts = await this.#send(deliveries, sending);
    attempts.forEach((attempt, n) => {
      const delivery = deliveries[n];
      if (delivery) sent.push({ delivery, attempt });
    });
  }

  /** Reads the probe when the settle time is over, or a single delivery has had its one effect. */
  async #settleAndRead(
    { check, readings }: Observation,
    delivery: Delivery | undefined,
    { before = false } = {},
  ): Promise<void> {
    if (readings === null) return;
    const read = () => this.#read(check.id, delivery);
    const calibration = this.#calibration;
    const first = readings[0];
    if (before) await this.#settleIfNeeded();
    else if (check.procedure !== 'in_turn' || check.expected.effect !== 'one') await this.#settle();
    else {
      const hasEffect = (now: ProbeReading) =>
        first !== undefined &&
        calibration !== null &&
        !isFailure(first) &&
        !isFailure(now) &&
        effectsIn(first, now, calibration) === 1;
      readings.push(await this.#poll(this.#settleMs, this.#timing.pollPause, read, hasEffect));
      return;
    }
    readings.push(await read());
  }

  async #read(check: string, delivery?: Delivery): Promise<ProbeReading> {
    const { probe, cwd } = this.#options;
    if (!probe) return { problem: 'there is no probe' };
    const order = delivery?.orderId ?? '';
    const subject = { check, event: delivery?.eventId ?? '', order };
    const context = { cwd, runtime: this.#runtime, signal: this.#signal };
    const result = await runProbe(probe, subject, context);
    this.#signal.throwIfAborted();
    if ('output' in result) {
      const text = result.output.trim();
      return { text, count: /^-?\d{1,15}$/.test(text) ? Number(text) : null, order };
    }
    const name = typeof probe === 'string' ? 'the probe command' : 'the probe';
    return { problem: `${name} ${result.problem}` };
  }

  /** @throws ReceiverTestInputError if there is a probe that does not work */
  async #requireReading(delivery?: Delivery): Promise<Reading> {
    const reading = await this.#read('calibration', delivery);
    if (!isFailure(reading)) return reading;
    throw new ReceiverTestInputError(`--probe: ${reading.problem}`);
  }

  async #send(deliveries: readonly Delivery[], sending?: Sending): Promise<Attempt[]> {
    this.#signal.throwIfAborted();
    const attempts = await this.#sender.send(deliveries, sending);
    this.#signal.throwIfAborted();
    attempts.forEach(({ status, outcome, duration_ms }, n) => {
      if (status !== null) this.#times.push(duration_ms);
      if (outcome === 'ok' && deliveries[n] && !deliveries[n].forged) this.#hasAccepted = true;
    });
    return attempts;
  }

  /** Sends a valid delivery that belongs to no check. */
  async #sendValid(): Promise<Attempt> {
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

/** Procedures that read the probe after each delivery. */
const READ_AFTER_EACH: readonly Procedure[] = [
  'apart',
  'hang_up',
  'forgery_first',
  'no_state_regression',
];

const SENDING: Partial<Record<Procedure, Sending>> = {
  at_once: 'at_once',
  one_connection: 'one_connection',
};

/** @param notRunReason why the check has not run */
function emptyObservation(check: Check, notRunReason: string | null = null): Observation {
  return {
    check,
    deliveries: [],
    readings: null,
    notRunReason,
    stillResponds: true,
    times: [],
  };
}
