import { randomBytes } from 'node:crypto';
import { type Runtime, systemRuntime } from '../kernel/runtime.ts';
import { SECOND } from '../kernel/time.ts';
import { type Check, type Delivery, groupOf } from './check.ts';
import { CHECKS, selectChecks } from './checks/index.ts';
import { delivery, newEvent } from './delivery.ts';
import { type Calibration, calibrate, hasOneEffect } from './effect.ts';
import { NOT_ACCEPTED, type Observation } from './evaluate.ts';
import { GauntletInputError } from './input-error.ts';
import {
  type GauntletOptions,
  requireEventType,
  requireOrders,
  requireSecret,
  requireTarget,
} from './options.ts';
import { isFailure, openProbe, type Probe, type ProbeFailure, type Reading } from './probe.ts';
import { buildReport } from './report.ts';
import { isTrouble } from './responses.ts';
import type { GauntletReport } from './result.ts';
import { DeliverySource } from './source.ts';
import { TIMING, type Timing } from './timing.ts';
import { type Attempt, Transport } from './transport.ts';

const DEFAULT_SETTLE_MS = 2 * SECOND;
/** Only `order.no_return` is not read though its orders are known. */
const ONLY_TEXT = 'Only a probe that prints text shows a state.';
const RAN_OUT = '--data has too few orders.';

/** Ends a run early; the checks that did not run are unseen for this reason. */
class EndOfRun extends Error {}

/**
 * Tests a receiver with valid, unusual, forged and repeated deliveries.
 * @throws GauntletInputError for invalid options, or a probe that does not work; the reason of `signal`
 */
export async function runGauntlet(
  options: GauntletOptions,
  timing: Timing = TIMING,
): Promise<GauntletReport> {
  const run = new Run(options, timing);
  return run.report();
}

class Run {
  readonly #options: GauntletOptions;
  readonly #runtime: Runtime;
  readonly #target: URL;
  readonly #checks: readonly Check[];
  readonly #source: DeliverySource;
  readonly #transport: Transport;
  readonly #probe: Probe | undefined;
  readonly #settleMs: number;
  readonly #timing: Timing;
  readonly #stop = new AbortController();
  readonly #seen = new Map<string, Observation>();
  readonly #times: number[] = [];
  #calibration: Calibration | null = null;
  #accepted = false;
  /** Whether a delivery may still take effect that no reading has waited for. */
  #unsettled = false;
  #lastCheck: Observation | undefined;
  #connected = false;

  constructor(options: GauntletOptions, timing: Timing) {
    this.#options = options;
    this.#timing = timing;
    this.#runtime = options.runtime ?? systemRuntime;
    this.#target = requireTarget(options);
    requireSecret(options.secret);
    const baseType = requireEventType(options.event ?? 'order.recorded');
    this.#checks = selectChecks(baseType, options.only ?? []);
    this.#source = new DeliverySource({
      secret: options.secret,
      baseType,
      tag: randomBytes(5).toString('hex'),
      now: () => this.#runtime.now(),
      ...(options.data && { known: requireOrders(options.data) }),
    });
    this.#settleMs = options.settleMs ?? DEFAULT_SETTLE_MS;
    this.#transport = new Transport(this.#target, this.#runtime, timing);
    this.#probe = options.probe ? openProbe(options.probe, this.#runtime, options.cwd) : undefined;
  }

  async report(): Promise<GauntletReport> {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    const startedAt = this.#runtime.now();
    const begun = this.#runtime.monotonic();
    const interrupt = () => this.#end('Interrupted.');
    signal?.addEventListener('abort', interrupt);
    const cancel = this.#runtime.after(this.#timing.run, () =>
      this.#end('The run ended after 5 minutes.'),
    );
    let ending = 'The check did not run.';
    try {
      await this.#run();
    } catch (error) {
      if (!(error instanceof EndOfRun)) throw error;
      ending = error.message;
    } finally {
      cancel();
      signal?.removeEventListener('abort', interrupt);
      this.#transport.close();
      this.#probe?.close();
    }
    signal?.throwIfAborted();
    return buildReport({
      options: this.#options,
      checks: this.#checks,
      seen: this.#checks.map((check) => this.#seen.get(check.id) ?? notRun(check, ending)),
      facts: { accepted: this.#accepted, calibration: this.#calibration },
      hasProbe: this.#probe !== undefined,
      connected: this.#connected,
      startedAt,
      durationMs: Math.round(this.#runtime.monotonic() - begun),
    });
  }

  #end(reason: string): void {
    this.#stop.abort(new EndOfRun(reason));
    this.#transport.close();
    this.#probe?.close();
  }

  async #run(): Promise<void> {
    if (this.#probe) {
      const reading = await this.#probe.read({ check: 'calibration', event: '', order: '' });
      this.#requireReading(reading);
    }
    await this.#connect();
    await this.#runGroup('right');
    if (!this.#accepted) {
      await this.#runGroup('sig');
      throw new EndOfRun(NOT_ACCEPTED);
    }
    if (this.#probe) this.#calibration = await this.#calibrate(this.#probe);
    const groups = new Set(CHECKS.map(({ id }) => groupOf(id)));
    groups.delete('right');
    for (const group of groups) await this.#runGroup(group);
    await this.#runEach(this.#checks.filter(({ id }) => id === 'dup.late'));
  }

  async #connect(): Promise<void> {
    const attempt = await this.#sendValid();
    if (!attempt.connected) {
      const why = UNREACHABLE[attempt.outcome] ?? attempt.outcome;
      throw new EndOfRun(`The receiver cannot be reached: ${why}.`);
    }
    this.#connected = true;
    if (attempt.status === 401 || attempt.status === 403) {
      this.#options.onNote?.(
        `warning: the receiver rejected a valid delivery with ${attempt.status}; its secret is probably different`,
      );
    }
  }

  /** Sends a valid delivery that belongs to no check. */
  async #sendValid(): Promise<Attempt> {
    const valid = this.#source.buildFor(false, (source) => delivery(source, newEvent(source)));
    const attempt = await this.#send(valid);
    this.#unsettled = true;
    return attempt;
  }

  async #runGroup(group: string): Promise<void> {
    const checks = this.#checks.filter(({ id }) => groupOf(id) === group && id !== 'dup.late');
    if (checks.length === 0) return;
    if (group === 'sig' && this.#usableProbe) await this.#runForged(checks);
    else await this.#runEach(checks);
    if (this.#lastCheck) await this.#requireHealth(this.#lastCheck);
  }

  async #runEach(checks: readonly Check[]): Promise<void> {
    for (const check of checks) {
      const previous = this.#lastCheck;
      let seen = await this.#observe(check);
      if (previous?.survived && seen.deliveries.some(({ attempt }) => !attempt.connected)) {
        // The receiver was gone before this check began.
        await this.#requireHealth(previous);
        if (!previous.survived) seen = await this.#observe(check);
      }
      this.#keep(seen);
      if (seen.deliveries.some(({ attempt }) => isTrouble(attempt)))
        await this.#requireHealth(seen);
    }
  }

  /** Runs `sig.*` with one reading for all, and one by one if that shows an effect. */
  async #runForged(checks: readonly Check[]): Promise<void> {
    await this.#settleIfNeeded();
    const first = await this.#readFor(checks[0], undefined);
    let disturbed = false;
    for (const check of checks) {
      const seen = await this.#observe(check, { read: false });
      seen.readings = [first];
      this.#keep(seen);
      if (!seen.deliveries.some(({ attempt }) => isTrouble(attempt))) continue;
      await this.#requireHealth(seen);
      disturbed = true;
    }
    await this.#settle();
    const last = await this.#readFor(checks[0], undefined);
    const changed = !isFailure(first) && !isFailure(last) && first.text !== last.text;
    if (!disturbed && !changed) {
      for (const check of checks) this.#seen.get(check.id)?.readings?.push(last);
      return;
    }
    for (const check of checks) {
      const seen = await this.#observe(check, { alone: true });
      const survived = this.#seen.get(check.id)?.survived ?? true;
      this.#keep({ ...seen, survived });
      if (seen.deliveries.some(({ attempt }) => isTrouble(attempt))) {
        const kept = this.#seen.get(check.id);
        if (kept) await this.#requireHealth(kept);
      }
    }
  }

  #keep(seen: Observation): void {
    this.#seen.set(seen.check.id, seen);
    if (seen.deliveries.length > 0) this.#lastCheck = seen;
  }

  /** Sends the deliveries of a check and reads the probe as its procedure wants. */
  async #observe(check: Check, { read = true, alone = false } = {}): Promise<Observation> {
    const { procedure } = check;
    const deliveries = this.#source.build(check, { alone });
    const { ranOut } = this.#source;
    // The effect of the base type is read before the probe is calibrated, and judged afterwards.
    const probe = this.#calibration === null ? this.#probe : this.#usableProbe;
    const reads =
      read &&
      probe !== undefined &&
      check.expected.effect !== null &&
      !ranOut &&
      deliveries.length > 0 &&
      !(procedure === 'no_return' && this.#calibration?.kind !== 'text');
    const observation: Observation = {
      check,
      deliveries: [],
      readings: reads ? [] : null,
      unread: ranOut ? RAN_OUT : ONLY_TEXT,
      notRun: null,
      survived: true,
      times: procedure === 'response_times' ? [...this.#times] : [],
    };
    const record = (given: readonly Delivery[], attempts: readonly Attempt[]) => {
      attempts.forEach((attempt, n) => {
        const sent = given[n];
        if (sent) observation.deliveries.push({ delivery: sent, attempt });
      });
    };
    const sendEach = async (given: readonly Delivery[]) => {
      for (const each of given) record([each], [await this.#send(each)]);
    };
    const readNow = async () => {
      if (reads) observation.readings?.push(await this.#readFor(check, deliveries[0]));
    };
    const settleAndRead = async () => {
      if (!reads) return;
      await this.#settle();
      await readNow();
    };
    const isText = this.#calibration?.kind === 'text';
    if (reads) await this.#settleIfNeeded();
    await readNow();
    const [first, second] = deliveries;
    switch (procedure) {
      case 'at_once':
        record(deliveries, await this.#sendAll(() => this.#transport.sendAtOnce(deliveries)));
        await settleAndRead();
        break;
      case 'one_connection':
        record(
          deliveries,
          await this.#sendAll(() => this.#transport.sendOnOneConnection(deliveries)),
        );
        break;
      case 'repeat':
      case 'forgery_first':
        if (first) await sendEach([first]);
        if (procedure === 'forgery_first' || isText) await settleAndRead();
        if (second) await sendEach([second]);
        await settleAndRead();
        break;
      case 'hang_up':
        if (first)
          record(
            [first],
            await this.#sendAll(async () => [await this.#transport.sendAndHangUp(first)]),
          );
        await this.#sleep(Math.max(this.#timing.repeatPause, isText && reads ? this.#settleMs : 0));
        if (isText) await readNow();
        if (second) await sendEach([second]);
        await settleAndRead();
        break;
      case 'no_return':
        if (!reads) await sendEach(deliveries);
        else {
          await sendEach(deliveries.slice(0, 1));
          await settleAndRead();
          await sendEach(deliveries.slice(1, 3));
          await settleAndRead();
          observation.readings?.push(await this.#readFor(check, deliveries[3]));
          for (const late of deliveries.slice(3)) {
            await sendEach([late]);
            await this.#settle();
            observation.readings?.push(await this.#readFor(check, deliveries[3]));
          }
        }
        break;
      default:
        await sendEach(deliveries);
        if (reads && check.expected.effect === 'one' && this.#calibration !== null) {
          await this.#readUntilOne(check, deliveries[0], observation);
        } else await settleAndRead();
    }
    if (!reads && deliveries.length > 0) this.#unsettled = true;
    return observation;
  }

  /** Reads the probe until it shows one effect, or the time to settle is over. */
  async #readUntilOne(check: Check, about: Delivery | undefined, seen: Observation): Promise<void> {
    const before = seen.readings?.[0];
    const until = this.#runtime.monotonic() + this.#settleMs;
    for (;;) {
      const isLast = this.#runtime.monotonic() >= until;
      const reading = await this.#readFor(check, about);
      const found =
        before !== undefined &&
        this.#calibration !== null &&
        !isFailure(before) &&
        !isFailure(reading) &&
        hasOneEffect(before, reading, this.#calibration);
      if (found || isLast) {
        seen.readings?.push(reading);
        return;
      }
      await this.#sleep(this.#timing.pollPause);
    }
  }

  /** Two valid deliveries about two orders must each change the value. */
  async #calibrate(probe: Probe): Promise<Calibration> {
    const pairs: [Reading, Reading][] = [];
    for (let n = 0; n < 2; n += 1) {
      const valid = this.#source.buildFor(true, (source) => delivery(source, newEvent(source)));
      if (this.#source.ranOut) return { kind: 'unchanged', why: RAN_OUT };
      await this.#settleIfNeeded();
      const subject = { check: 'calibration', event: valid.eventId, order: valid.orderId };
      const before = this.#requireReading(await probe.read(subject));
      await this.#send(valid);
      await this.#settle();
      pairs.push([before, this.#requireReading(await probe.read(subject))]);
    }
    return calibrate(pairs);
  }

  #requireReading(reading: Reading | ProbeFailure): Reading {
    this.#stop.signal.throwIfAborted();
    if (!isFailure(reading)) return reading;
    throw new GauntletInputError(`--probe: ${reading.problem}`);
  }

  get #usableProbe(): Probe | undefined {
    const { kind } = this.#calibration ?? { kind: 'unchanged' };
    return kind === 'unchanged' ? undefined : this.#probe;
  }

  async #readFor(
    check: Check | undefined,
    about: Delivery | undefined,
  ): Promise<Reading | ProbeFailure> {
    const subject = {
      check: check?.id ?? '',
      event: about?.eventId ?? '',
      order: about?.orderId ?? '',
    };
    const reading = (await this.#probe?.read(subject)) ?? { problem: 'there is no probe' };
    this.#stop.signal.throwIfAborted();
    return reading;
  }

  /**
   * Sends a valid delivery, if an earlier one received 200. If the response is not 200, the check before it goes
   * wrong, and the run waits for the receiver.
   */
  async #requireHealth(after: Observation): Promise<void> {
    if (!this.#accepted) return;
    if ((await this.#sendValid()).status === 200) return;
    after.survived = false;
    const until = this.#runtime.monotonic() + this.#timing.recovery;
    while (this.#runtime.monotonic() < until) {
      await this.#sleep(this.#timing.recoveryPause);
      if ((await this.#sendValid()).status === 200) return;
    }
    throw new EndOfRun(`The receiver did not recover within 10 s after ${after.check.id}.`);
  }

  async #send(each: Delivery): Promise<Attempt> {
    const [attempt] = await this.#sendAll(async () => [await this.#transport.send(each)], [each]);
    if (!attempt) throw new EndOfRun('No delivery was sent.');
    return attempt;
  }

  /** Sends, unless the run has ended, and keeps what is needed of the responses. */
  async #sendAll(
    send: () => Promise<Attempt[]>,
    deliveries: readonly Delivery[] = [],
  ): Promise<Attempt[]> {
    this.#stop.signal.throwIfAborted();
    const attempts = await send();
    this.#stop.signal.throwIfAborted();
    attempts.forEach(({ status, outcome, durationMs }, n) => {
      if (status !== null) this.#times.push(durationMs);
      if (outcome === 'ok' && deliveries[n] && !deliveries[n].forged) this.#accepted = true;
    });
    return attempts;
  }

  async #settleIfNeeded(): Promise<void> {
    if (this.#unsettled) await this.#settle();
  }

  async #settle(): Promise<void> {
    await this.#sleep(this.#settleMs);
    this.#unsettled = false;
  }

  async #sleep(ms: number): Promise<void> {
    await this.#runtime.sleep(ms, this.#stop.signal);
    this.#stop.signal.throwIfAborted();
  }
}

function notRun(check: Check, reason: string): Observation {
  return {
    check,
    deliveries: [],
    readings: null,
    unread: null,
    notRun: reason,
    survived: true,
    times: [],
  };
}

const UNREACHABLE: Record<string, string> = {
  connection_refused: 'connection refused',
  dns_failed: 'its name does not resolve',
  tls_failed: 'the TLS handshake failed',
  unreachable: 'there is no route to it',
  connect_timeout: 'no connection within 8 s',
  connection_failed: 'the connection failed',
  forbidden_address: 'its name resolves to a link-local, metadata, multicast or broadcast address',
};
