import { type Check, deliveriesOf, type Procedure } from './check.ts';
import { type EffectReader, type ProbeReading, RAN_OUT } from './effect.ts';
import { isTrouble } from './response-fault.ts';
import type { Attempt } from './result.ts';
import type { Session } from './session.ts';
import type { Delivery } from './source.ts';
import type { Sending } from './transport.ts';

export interface Observation {
  check: Check;
  deliveries: { delivery: Delivery; attempt: Attempt }[];
  /** Output of the probe, in order; null if it was not read for this check. */
  readings: ProbeReading[] | null;
  /** Why the probe was not read, though there is one. */
  unread: string | null;
  notRun: string | null;
  /** Whether the receiver responded to a valid delivery after this check. */
  stillResponds: boolean;
  /** Response times so far, for `wire.fast`. */
  times: readonly number[];
}

export function hasTrouble({ deliveries }: Observation): boolean {
  return deliveries.some(({ attempt }) => isTrouble(attempt));
}

/** Why the probe is not read for `order.no_return`; for other checks, it is read if the receiver knows their orders. */
const ONLY_TEXT = 'Only a probe that prints text shows a state.';

/** Returns what is known of a check before it runs. @param notRun why it will not run */
export function nothingSeen(check: Check, notRun: string | null = null): Observation {
  return {
    check,
    deliveries: [],
    readings: null,
    unread: null,
    notRun,
    stillResponds: true,
    times: [],
  };
}

/**
 * Sends the deliveries of a check and reads the probe as its procedure wants.
 * @param options `read`: whether the probe is read; `alone`: whether a `sig.*` check has an order of its own
 */
export async function observe(
  check: Check,
  session: Session,
  reader: EffectReader,
  { read = true, alone = false } = {},
): Promise<Observation> {
  const deliveries = deliveriesOf(check, session.source, alone);
  const { ranOut } = session.source;
  const reads =
    read &&
    reader.usable &&
    check.expected.effect !== null &&
    !ranOut &&
    deliveries.length > 0 &&
    // The effect of the base type is read before the probe is calibrated, and evaluated afterwards.
    !(check.procedure === 'no_state_regression' && reader.calibration?.kind !== 'text');
  const run = new CheckRun(check, deliveries, session, reader, reads);
  run.observation.unread = ranOut ? RAN_OUT : ONLY_TEXT;
  if (check.procedure === 'response_times') run.observation.times = [...session.times];
  await run.begin();
  await PROCEDURES[check.procedure](run);
  if (!reads && deliveries.length > 0) session.leaveUnsettled();
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
    run.sendApart('in_turn', async () => {
      if (run.printsText) await run.settleAndRead();
    }),
  forgery_first: (run) => run.sendApart('in_turn', () => run.settleAndRead()),
  hang_up: (run) => run.sendApart('hang_up', () => run.pauseBeforeRepeat()),
  /** Three readings for each order: before, after the newest event, after the older ones. */
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
  readonly #reads: boolean;

  constructor(
    check: Check,
    deliveries: readonly Delivery[],
    session: Session,
    reader: EffectReader,
    reads: boolean,
  ) {
    this.observation = { ...nothingSeen(check), readings: reads ? [] : null };
    this.deliveries = deliveries.filter(({ prior }) => prior !== true);
    this.#prior = deliveries.filter(({ prior }) => prior === true);
    this.#session = session;
    this.#reader = reader;
    this.#reads = reads;
  }

  get printsText(): boolean {
    return this.#reader.calibration?.kind === 'text';
  }

  async begin(): Promise<void> {
    await this.send(this.#prior);
    if (!this.#reads) return;
    if (this.#prior.length > 0) this.#session.leaveUnsettled();
    await this.#session.settleIfNeeded();
    await this.read();
  }

  async send(deliveries: readonly Delivery[], how: Sending = 'in_turn'): Promise<void> {
    const attempts = await this.#session.send(deliveries, how);
    attempts.forEach((attempt, n) => {
      const delivery = deliveries[n];
      if (delivery) this.observation.deliveries.push({ delivery, attempt });
    });
  }

  /** Sends the first delivery, then the others. */
  async sendApart(how: Sending, between: () => Promise<void>): Promise<void> {
    await this.send(this.deliveries.slice(0, 1), how);
    await between();
    await this.send(this.deliveries.slice(1));
    await this.settleAndRead();
  }

  async read(about = this.deliveries[0]): Promise<void> {
    if (!this.#reads) return;
    this.observation.readings?.push(await this.#reader.read(this.observation.check.id, about));
  }

  async settleAndRead(about = this.deliveries[0]): Promise<void> {
    if (!this.#reads) return;
    await this.#session.settle();
    await this.read(about);
  }

  async readExpected(): Promise<void> {
    const { id, expected } = this.observation.check;
    const canPoll = expected.effect === 'one' && this.#reader.calibration !== null;
    if (!this.#reads || !canPoll) return this.settleAndRead();
    const before = this.observation.readings?.[0];
    this.observation.readings?.push(
      await this.#reader.readUntilOne(id, this.deliveries[0], before),
    );
  }

  async pauseBeforeRepeat(): Promise<void> {
    const { timing, settleMs } = this.#session;
    const reads = this.#reads && this.printsText;
    await this.#session.sleep(Math.max(timing.repeatPause, reads ? settleMs : 0));
    if (reads) await this.read();
  }
}
