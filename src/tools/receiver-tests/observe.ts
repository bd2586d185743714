import type { Check, Procedure } from './check.ts';
import type { EffectReader, ProbeReading } from './effect.ts';
import { isTrouble } from './response-fault.ts';
import type { Attempt } from './result.ts';
import type { Sending, Session } from './session.ts';
import type { Delivery } from './source.ts';

export interface Observation {
  check: Check;
  deliveries: { delivery: Delivery; attempt: Attempt }[];
  /** Output of the probe, in order; null if it was not read for this check. */
  readings: ProbeReading[] | null;
  notRunReason: string | null;
  /** Whether the receiver responded to a valid delivery after this check. */
  stillResponds: boolean;
  /** Response times so far, for `wire.fast`. */
  times: readonly number[];
}

export function hasTrouble({ deliveries }: Observation): boolean {
  return deliveries.some(({ attempt }) => isTrouble(attempt));
}

/** Returns the observation of a check that has not run. @param notRunReason why it will not run */
export function emptyObservation(check: Check, notRunReason: string | null = null): Observation {
  return {
    check,
    deliveries: [],
    readings: null,
    notRunReason,
    stillResponds: true,
    times: [],
  };
}

/**
 * Sends the deliveries of a check and reads the probe, according to its procedure.
 * @param options `read`: whether the probe is read
 */
export async function observe(
  check: Check,
  session: Session,
  reader: EffectReader,
  { read = true } = {},
): Promise<Observation> {
  const deliveries = check.build(session.source);
  const readsProbe =
    read &&
    reader.isUsable &&
    check.expected.effect !== null &&
    deliveries.length > 0 &&
    // Other checks may read a probe that is not calibrated yet: their effect is evaluated after the run.
    !(check.procedure === 'no_state_regression' && reader.calibration?.kind !== 'text');
  const run = new CheckRun(check, deliveries, session, reader, readsProbe);
  if (check.procedure === 'response_times') run.observation.times = [...session.times];
  await run.begin();
  await PROCEDURES[check.procedure](run);
  if (!readsProbe && deliveries.length > 0) session.isUnsettled = true;
  return run.observation;
}

const PROCEDURES: Record<Procedure, (run: CheckRun) => Promise<void>> = {
  async in_turn(run) {
    await run.send(run.deliveries);
    await run.readExpected();
  },
  async at_once(run) {
    await run.send(run.deliveries, 'at_once');
    await run.settleAndRead();
  },
  one_connection: (run) => run.send(run.deliveries, 'one_connection'),
  repeat: (run) =>
    run.sendSeparately('in_turn', async () => {
      if (run.printsText) await run.settleAndRead();
    }),
  forgery_first: (run) => run.sendSeparately('in_turn', () => run.settleAndRead()),
  hang_up: (run) => run.sendSeparately('hang_up', () => run.pauseBeforeRepeat()),
  /** Reads three times for each order: before, after the newest event, after the older ones. */
  async no_state_regression(run) {
    const second = run.deliveries.slice(3);
    await run.send(run.deliveries.slice(0, 1));
    await run.settleAndRead();
    await run.send(run.deliveries.slice(1, 3));
    await run.settleAndRead();
    await run.read(second[0]);
    for (const delivery of second) {
      await run.send([delivery]);
      await run.settleAndRead(second[0]);
    }
  },
  async response_times() {},
};

class CheckRun {
  readonly observation: Observation;
  readonly deliveries: readonly Delivery[];
  readonly #prior: readonly Delivery[];
  readonly #session: Session;
  readonly #reader: EffectReader;
  readonly #readsProbe: boolean;

  constructor(
    check: Check,
    deliveries: readonly Delivery[],
    session: Session,
    reader: EffectReader,
    readsProbe: boolean,
  ) {
    this.observation = { ...emptyObservation(check), readings: readsProbe ? [] : null };
    this.deliveries = deliveries.filter(({ prior }) => prior !== true);
    this.#prior = deliveries.filter(({ prior }) => prior === true);
    this.#session = session;
    this.#reader = reader;
    this.#readsProbe = readsProbe;
  }

  get printsText(): boolean {
    return this.#reader.calibration?.kind === 'text';
  }

  async begin(): Promise<void> {
    await this.send(this.#prior);
    if (!this.#readsProbe) return;
    if (this.#prior.length > 0) this.#session.isUnsettled = true;
    await this.#session.settleIfNeeded();
    await this.read();
  }

  async send(deliveries: readonly Delivery[], sending: Sending = 'in_turn'): Promise<void> {
    const attempts = await this.#session.send(deliveries, sending);
    attempts.forEach((attempt, n) => {
      const delivery = deliveries[n];
      if (delivery) this.observation.deliveries.push({ delivery, attempt });
    });
  }

  /** Sends the first delivery, then the others. */
  async sendSeparately(sending: Sending, pause: () => Promise<void>): Promise<void> {
    await this.send(this.deliveries.slice(0, 1), sending);
    await pause();
    await this.send(this.deliveries.slice(1));
    await this.settleAndRead();
  }

  async read(delivery = this.deliveries[0]): Promise<void> {
    if (!this.#readsProbe) return;
    this.observation.readings?.push(await this.#reader.read(this.observation.check.id, delivery));
  }

  async settleAndRead(delivery = this.deliveries[0]): Promise<void> {
    if (!this.#readsProbe) return;
    await this.#session.settle();
    await this.read(delivery);
  }

  async readExpected(): Promise<void> {
    const { id, expected } = this.observation.check;
    const canPoll = expected.effect === 'one' && this.#reader.calibration !== null;
    if (!this.#readsProbe || !canPoll) return this.settleAndRead();
    const before = this.observation.readings?.[0];
    this.observation.readings?.push(
      await this.#reader.readUntilOne(id, this.deliveries[0], before),
    );
  }

  async pauseBeforeRepeat(): Promise<void> {
    const { timing, settleMs } = this.#session;
    const readsText = this.#readsProbe && this.printsText;
    await this.#session.sleep(Math.max(timing.repeatPause, readsText ? settleMs : 0));
    if (readsText) await this.read();
  }
}
