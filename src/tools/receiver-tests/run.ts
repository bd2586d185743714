import { randomBytes } from 'node:crypto';
import { shellQuote } from '../../client/curl.ts';
import { secretText } from '../../http/fields.ts';
import { systemRuntime } from '../../kernel/runtime.ts';
import { isoTime, SECOND } from '../../kernel/time.ts';
import { KnownTexts } from '../../redaction/redact.ts';
import { VERSION } from '../../version.ts';
import { shownAttempt } from '../../webhooks/send.ts';
import { groupOf, type ReceiverCheck } from './check.ts';
import { selectChecks } from './checks/index.ts';
import {
  type Calibration,
  calibrate,
  effectsIn,
  type Observation,
  type ProbeChange,
  type ProbeReading,
  type Reading,
  whyUnseen,
} from './effect.ts';
import { evaluate, NOT_ACCEPTED } from './evaluate.ts';
import {
  ReceiverTestInputError,
  type ReceiverTestOptions,
  requireEventType,
  requireTarget,
} from './options.ts';
import { explainOutcome, isConnected, mayHaveCrashed } from './outcomes.ts';
import {
  type CheckOutcome,
  type CheckResult,
  type ReceiverTestReport,
  type TestAttempt,
  unseen,
} from './result.ts';
import { runProbe } from './run-probe.ts';
import { type SenderOptions, type SentDelivery, sendDeliveries } from './sender.ts';
import { DeliverySource, type TestDelivery } from './source.ts';
import { TIMING, type Timing } from './timing.ts';

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

const SETTLE_MS = 2_000;

/** Ends a run early. Checks that did not run are unseen for this reason. */
class EndOfRun extends Error {}

/** Runs the checks against a receiver once, and keeps what it has observed. */
class Run {
  readonly #options: ReceiverTestOptions &
    Required<Pick<ReceiverTestOptions, 'runtime' | 'settleMs' | 'signal'>>;
  readonly #timing: Timing;
  readonly #secrets: KnownTexts;
  readonly #checks: readonly ReceiverCheck[];
  readonly #source: DeliverySource;
  readonly #sender: SenderOptions;
  /** By the id of the check. */
  readonly #observations = new Map<string, Observation>();
  /** Of the last check that has sent a delivery. */
  #lastObservation: Observation | undefined;
  readonly #responseTimesMs: number[] = [];
  /** Whether a valid delivery has received 200 in time. */
  #hasAccepted = false;
  /** Whether a delivery may still take effect, so that the probe cannot be read yet. */
  #isUnsettled = false;
  /** Null without a probe. */
  #calibration: Calibration | null = null;

  constructor(options: ReceiverTestOptions, timing: Timing) {
    const { secret, runtime = systemRuntime, settleMs = SETTLE_MS } = options;
    const { signal = new AbortController().signal } = options;
    const url = requireTarget(options);
    if (!secretText().safeParse(secret).success) {
      const problem = 'must be 1 to 255 visible ASCII characters, as the service requires';
      throw new ReceiverTestInputError(`--secret: ${problem}`);
    }
    const type = requireEventType(options);
    const runTag = randomBytes(5).toString('hex');
    this.#options = { ...options, runtime, settleMs, signal };
    this.#timing = timing;
    this.#secrets = new KnownTexts([secret], 1);
    this.#checks = selectChecks(options);
    this.#source = new DeliverySource({ secret, type, runTag, now: () => runtime.now() });
    this.#sender = { url, runtime, timing, signal };
  }

  async report(): Promise<ReceiverTestReport> {
    const { runtime, signal, url } = this.#options;
    signal.throwIfAborted();
    const startedAt = runtime.now();
    const start = runtime.monotonic();
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
      url,
      started_at: isoTime(startedAt),
      duration_ms: Math.round(runtime.monotonic() - start),
      ok: totals.fail === 0 && totals.unseen < checks.length,
      probe: this.#calibration?.kind ?? null,
      totals,
      checks,
    };
  }

  /** Evaluates a check, without the secret. @param notRunReason why a check without observation did not run */
  #resultOf(check: ReceiverCheck, notRunReason: string): CheckResult {
    const { id, level, expected } = check;
    const facts = { hasAccepted: this.#hasAccepted, calibration: this.#calibration };
    const observation = this.#observations.get(id);
    const { result, reason, meaning, fix } = observation
      ? evaluate(observation, facts)
      : unseen(notRunReason);
    const deliveries = (observation?.deliveries ?? []).map(({ attempt, delivery }) => ({
      ...shownAttempt(attempt, this.#secrets),
      ...(delivery.forged && { forged: delivery.forged }),
    }));
    const reproduce = commandOf(id, this.#options);
    return { id, level, result, reason, expected, deliveries, meaning, fix, reproduce };
  }

  async #run(): Promise<void> {
    if (this.#options.probe) await this.#requireReading();
    const first = await this.#sendValid();
    if (!isConnected(first)) {
      throw new EndOfRun(`The receiver cannot be reached: ${explainOutcome(first.outcome)}.`);
    }
    if (this.#options.probe) {
      this.#calibration = calibrate(await this.#readChange(), await this.#readChange());
    }
    for (const [group, checks] of Map.groupBy(this.#checks, ({ id }) => groupOf(id))) {
      // If no valid delivery is accepted, only the valid ones, and forgeries that get a response, can say why.
      const canSayWhy = group === 'right' || (group === 'sig' && this.#responseTimesMs.length > 0);
      if (!this.#hasAccepted && !canSayWhy) continue;
      for (const check of checks) await this.#runCheck(check);
      if (this.#lastObservation) await this.#checkHealth(this.#lastObservation);
    }
    if (!this.#hasAccepted) throw new EndOfRun(NOT_ACCEPTED);
  }

  /** Sends a valid delivery about a new order, and reads the probe before and after it. */
  async #readChange(): Promise<ProbeChange> {
    const valid = this.#source.newDelivery();
    await this.#settle();
    const before = await this.#requireReading(valid);
    await this.#send([valid]);
    await this.#settle();
    return { before, after: await this.#requireReading(valid) };
  }

  async #runCheck(check: ReceiverCheck): Promise<void> {
    const previous = this.#lastObservation;
    let observation = await this.#observe(check);
    const [first] = observation.deliveries;
    if (previous?.stillResponds && first && !isConnected(first.attempt)) {
      // If the receiver was already unreachable before this check, the previous one has failed.
      await this.#checkHealth(previous);
      if (!previous.stillResponds) observation = await this.#observe(check);
    }
    this.#observations.set(check.id, observation);
    if (observation.deliveries.length > 0) this.#lastObservation = observation;
    if (observation.deliveries.some(({ attempt }) => mayHaveCrashed(attempt))) {
      await this.#checkHealth(observation);
    }
  }

  /**
   * Sends a valid delivery, if an earlier one received 200. If the response is not 200, notes that in the observation,
   * which fails its check, and waits for the receiver.
   */
  async #checkHealth(observation: Observation): Promise<void> {
    const responds = async () => (await this.#sendValid()).status === 200;
    if (!this.#hasAccepted || (await responds())) return;
    observation.stillResponds = false;
    const { recoveryMs, recoveryPauseMs } = this.#timing;
    await this.#sleep(recoveryPauseMs);
    const limits = { pauseMs: recoveryPauseMs, timeoutMs: recoveryMs - recoveryPauseMs };
    if (await this.#poll(responds, Boolean, limits)) return;
    throw new EndOfRun(
      `The receiver did not recover within ${recoveryMs / SECOND} s after ${observation.check.id}.`,
    );
  }

  /** Sends the deliveries of a check in steps: each alone, or all. Reads the probe before a new order and after a step. */
  async #observe(check: ReceiverCheck): Promise<Observation> {
    const { sending, expected } = check;
    const deliveries = check.build(this.#source);
    const observation: Observation = {
      check,
      deliveries: [],
      readings: [],
      stillResponds: true,
      responseTimesMs: [...this.#responseTimesMs],
    };
    const calibration = this.#calibration;
    const readsProbe =
      expected.effect !== null &&
      calibration !== null &&
      whyUnseen(check, calibration) === undefined;
    const steps = sending === 'in_turn' ? deliveries.map((delivery) => [delivery]) : [deliveries];
    const { readings } = observation;
    let previousSubjectId: string | undefined;
    for (const step of steps) {
      const [first] = step;
      if (readsProbe && first?.subjectId !== previousSubjectId) {
        await this.#settle();
        readings.push(await this.#read(check.id, first));
        previousSubjectId = first?.subjectId;
      }
      observation.deliveries.push(...(await this.#send(step, sending)));
      if (!readsProbe) continue;
      const read = () => this.#read(check.id, first);
      const before = readings.at(-1);
      const expectsOne = deliveries.length === 1 && expected.effect === 'one';
      if (expectsOne && before && !('problem' in before)) {
        readings.push(await this.#readOneEffect(read, before, calibration));
      } else {
        await this.#settle();
        readings.push(await read());
      }
    }
    return observation;
  }

  /** Reads the probe until it shows one effect, or the settle time is over. */
  async #readOneEffect(
    read: () => Promise<ProbeReading>,
    before: Reading,
    calibration: Calibration,
  ): Promise<ProbeReading> {
    const showsOne = (after: ProbeReading) =>
      !('problem' in after) && effectsIn(before, after, calibration) === 1;
    const limits = { pauseMs: this.#timing.pollPauseMs, timeoutMs: this.#options.settleMs };
    const reading = await this.#poll(read, showsOne, limits);
    this.#isUnsettled = false;
    return reading;
  }

  async #read(checkId: string, delivery?: TestDelivery): Promise<ProbeReading> {
    const { eventId = '', subjectId = '' } = delivery ?? {};
    const subject = { check: checkId, event: eventId, order: subjectId };
    const result = await runProbe(this.#options, subject);
    this.#options.signal.throwIfAborted();
    if ('problem' in result) return result;
    const text = result.output.trim();
    // More than 15 digits are not exact in a number.
    return { text, count: /^-?\d{1,15}$/.test(text) ? Number(text) : null, orderId: subjectId };
  }

  /** @throws ReceiverTestInputError if the probe does not work */
  async #requireReading(delivery?: TestDelivery): Promise<Reading> {
    const reading = await this.#read('calibration', delivery);
    if (!('problem' in reading)) return reading;
    throw new ReceiverTestInputError(`--probe: ${reading.problem}`);
  }

  async #send(
    deliveries: readonly TestDelivery[],
    mode: ReceiverCheck['sending'] = 'in_turn',
  ): Promise<SentDelivery[]> {
    const { signal } = this.#options;
    signal.throwIfAborted();
    this.#isUnsettled = true;
    const sent = await sendDeliveries(this.#sender, deliveries, mode);
    signal.throwIfAborted();
    for (const { delivery, attempt } of sent) {
      if (attempt.status !== null) this.#responseTimesMs.push(attempt.duration_ms);
      if (attempt.outcome === 'ok' && !delivery.forged) this.#hasAccepted = true;
    }
    return sent;
  }

  /** Sends a valid delivery that belongs to no check. */
  async #sendValid(): Promise<TestAttempt> {
    const [sent] = await this.#send([this.#source.newDelivery()]);
    if (!sent) throw new EndOfRun('No delivery was sent.');
    return sent.attempt;
  }

  /** Waits until what was sent has taken effect. */
  async #settle(): Promise<void> {
    if (this.#isUnsettled) await this.#sleep(this.#options.settleMs);
    this.#isUnsettled = false;
  }

  /** Reads until `isDone` or the time is over, at least once. @returns the last result */
  async #poll<Result>(
    read: () => Promise<Result>,
    isDone: (result: Result) => boolean,
    { pauseMs, timeoutMs }: { pauseMs: number; timeoutMs: number },
  ): Promise<Result> {
    const { runtime } = this.#options;
    const deadline = runtime.monotonic() + timeoutMs;
    for (;;) {
      const isLast = runtime.monotonic() >= deadline;
      const result = await read();
      if (isLast || isDone(result)) return result;
      await this.#sleep(pauseMs);
    }
  }

  async #sleep(ms: number): Promise<void> {
    const { runtime, signal } = this.#options;
    await runtime.sleep(ms, signal);
    signal.throwIfAborted();
  }
}

/** Returns the command that runs a check, without the secret and functions. */
function commandOf(
  id: string,
  { url, allowRemote, event, probe, settleMs = SETTLE_MS }: ReceiverTestOptions,
): string {
  const words = ['sandlot', 'webhooks', 'test', '--only', id, '--url', url];
  if (allowRemote) words.push('--allow-remote');
  if (event !== undefined && event !== 'order.recorded') words.push('--event', event);
  if (typeof probe === 'string') words.push('--probe', probe);
  if (settleMs !== SETTLE_MS) words.push('--settle', `${settleMs}ms`);
  return words.map(shellQuote).join(' ');
}
