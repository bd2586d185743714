import { randomBytes } from 'node:crypto';
import { systemRuntime } from '../../kernel/runtime.ts';
import { type Check, groupOf } from './check.ts';
import { GROUPS } from './checks/index.ts';
import { describeOutcome, TIMING, type Timing } from './connection.ts';
import { EffectReader, isFailure } from './effect.ts';
import { NOT_ACCEPTED } from './evaluate.ts';
import { emptyObservation, hasTrouble, type Observation, observe } from './observe.ts';
import { type ReceiverTestOptions, requireTarget } from './options.ts';
import { prepare } from './prepare.ts';
import { buildReport } from './report.ts';
import { isConnected } from './response-fault.ts';
import type { ReceiverTestReport } from './result.ts';
import { EndOfRun, Session } from './session.ts';

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

class Run {
  readonly #options: ReceiverTestOptions;
  readonly #checks: readonly Check[];
  readonly #session: Session;
  readonly #reader: EffectReader;
  readonly #observations = new Map<string, Observation>();
  #lastCheck: Observation | undefined;
  #connected = false;

  constructor(options: ReceiverTestOptions, timing: Timing) {
    const { runtime = systemRuntime, settleMs = DEFAULT_SETTLE_MS } = options;
    const url = requireTarget(options);
    const tag = randomBytes(5).toString('hex');
    const { source, checks } = prepare(options, { tag, now: () => runtime.now() });
    this.#options = options;
    this.#checks = checks;
    this.#session = new Session({ url, runtime, timing, source, settleMs });
    this.#reader = new EffectReader(options, this.#session);
  }

  async report(): Promise<ReceiverTestReport> {
    const { signal } = this.#options;
    const session = this.#session;
    const { runtime, timing } = session;
    signal?.throwIfAborted();
    const startedAt = runtime.now();
    const start = runtime.monotonic();
    const interrupt = () => session.end('Interrupted.');
    signal?.addEventListener('abort', interrupt);
    const cancel = runtime.after(timing.run, () => session.end('The run ended after 5 minutes.'));
    let endReason = 'The check did not run.';
    try {
      await this.#run();
    } catch (error) {
      if (!(error instanceof EndOfRun)) throw error;
      endReason = error.message;
    } finally {
      cancel();
      signal?.removeEventListener('abort', interrupt);
      session.close();
    }
    signal?.throwIfAborted();
    return buildReport({
      options: this.#options,
      observations: this.#checks.map(
        (check) => this.#observations.get(check.id) ?? emptyObservation(check, endReason),
      ),
      facts: { accepted: session.hasAccepted, calibration: this.#reader.calibration },
      connected: this.#connected,
      startedAt,
      durationMs: Math.round(runtime.monotonic() - start),
    });
  }

  async #run(): Promise<void> {
    await this.#reader.requireProbe();
    await this.#connect();
    await this.#runGroup('right');
    if (!this.#session.hasAccepted) {
      await this.#runGroup('sig');
      throw new EndOfRun(NOT_ACCEPTED);
    }
    await this.#reader.calibrate();
    for (const group of GROUPS) if (group !== 'right') await this.#runGroup(group);
    await this.#runEach(this.#checks.filter(({ id }) => id === 'dup.late'));
  }

  async #connect(): Promise<void> {
    const attempt = await this.#session.sendValid();
    if (!isConnected(attempt)) {
      throw new EndOfRun(`The receiver cannot be reached: ${describeOutcome(attempt.outcome)}.`);
    }
    this.#connected = true;
    const { status } = attempt;
    if (status === 401 || status === 403) {
      this.#options.onNote?.(
        `warning: the receiver rejected a valid delivery with ${status}; its secret is probably different`,
      );
    }
  }

  async #runGroup(group: string): Promise<void> {
    const checks = this.#checks.filter(({ id }) => groupOf(id) === group && id !== 'dup.late');
    if (checks.length === 0) return;
    if (group === 'sig' && this.#reader.isCalibrated) await this.#runForged(checks);
    else await this.#runEach(checks);
    if (this.#lastCheck) await this.#requireHealth(this.#lastCheck);
  }

  async #runEach(checks: readonly Check[]): Promise<void> {
    for (const check of checks) {
      const previous = this.#lastCheck;
      let latest = await this.#observe(check);
      if (
        previous?.stillResponds &&
        latest.deliveries.some(({ attempt }) => !isConnected(attempt))
      ) {
        // The receiver was already unreachable before this check.
        await this.#requireHealth(previous);
        if (!previous.stillResponds) latest = await this.#observe(check);
      }
      this.#store(latest);
      if (hasTrouble(latest)) await this.#requireHealth(latest);
    }
  }

  /** Runs `sig.*` with a single reading for all checks, and one by one if it shows an effect. */
  async #runForged(checks: readonly Check[]): Promise<void> {
    await this.#session.settleIfNeeded();
    const before = await this.#reader.read('sig');
    let hadTrouble = false;
    for (const check of checks) {
      const observation = await this.#observe(check, { read: false });
      observation.readings = [before];
      this.#store(observation);
      if (!hasTrouble(observation)) continue;
      await this.#requireHealth(observation);
      hadTrouble = true;
    }
    await this.#session.settle();
    const after = await this.#reader.read('sig');
    const hasChanged = !isFailure(before) && !isFailure(after) && before.text !== after.text;
    if (!hadTrouble && !hasChanged) {
      for (const check of checks) this.#observations.get(check.id)?.readings?.push(after);
      return;
    }
    for (const check of checks) {
      const stillResponds = this.#observations.get(check.id)?.stillResponds ?? true;
      const observation = { ...(await this.#observe(check)), stillResponds };
      this.#store(observation);
      if (hasTrouble(observation)) await this.#requireHealth(observation);
    }
  }

  #observe(check: Check, options?: { read?: boolean }): Promise<Observation> {
    return observe(check, this.#session, this.#reader, options);
  }

  #store(observation: Observation): void {
    this.#observations.set(observation.check.id, observation);
    if (observation.deliveries.length > 0) this.#lastCheck = observation;
  }

  /**
   * Sends a valid delivery, if an earlier one received 200. If the response is not 200, the observed check fails, and the
   * run waits for the receiver.
   */
  async #requireHealth(observation: Observation): Promise<void> {
    const session = this.#session;
    const responds = async () => (await session.sendValid()).status === 200;
    if (!session.hasAccepted || (await responds())) return;
    observation.stillResponds = false;
    const { recovery, recoveryPause } = session.timing;
    await session.sleep(recoveryPause);
    if (await session.poll(recovery - recoveryPause, responds, Boolean, recoveryPause)) return;
    throw new EndOfRun(`The receiver did not recover within 10 s after ${observation.check.id}.`);
  }
}
