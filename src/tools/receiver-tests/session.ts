import type { Runtime } from '../../kernel/runtime.ts';
import type { Attempt } from './result.ts';
import type { Delivery, Source } from './source.ts';
import { type Sending, type Timing, Transport } from './transport.ts';

interface SessionOptions {
  url: URL;
  runtime: Runtime;
  timing: Timing;
  source: Source;
  /** How long an effect may take, in ms. */
  settleMs: number;
}

/** Sends deliveries, waits, and records the facts about responses that a run needs. */
export class Session {
  readonly runtime: Runtime;
  readonly timing: Timing;
  readonly source: Source;
  readonly settleMs: number;
  /** Response times so far, in ms. */
  readonly times: number[] = [];
  readonly #transport: Transport;
  readonly #stop = new AbortController();
  #hasAccepted = false;
  #isUnsettled = false;

  constructor({ url, runtime, timing, source, settleMs }: SessionOptions) {
    this.runtime = runtime;
    this.timing = timing;
    this.source = source;
    this.settleMs = settleMs;
    this.#transport = new Transport(url, runtime, timing);
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Whether a valid delivery has received 200 in time. */
  get hasAccepted(): boolean {
    return this.#hasAccepted;
  }

  /** Ends the run: pending waits and deliveries throw. */
  end(reason: string): void {
    this.#stop.abort(new EndOfRun(reason));
    this.close();
  }

  close(): void {
    this.#transport.close();
  }

  async send(deliveries: readonly Delivery[], sending: Sending = 'in_turn'): Promise<Attempt[]> {
    this.signal.throwIfAborted();
    const attempts = await this.#transport.send(deliveries, sending);
    this.signal.throwIfAborted();
    attempts.forEach(({ status, outcome, duration_ms }, n) => {
      if (status !== null) this.times.push(duration_ms);
      if (outcome === 'ok' && deliveries[n] && !deliveries[n].forged) this.#hasAccepted = true;
    });
    return attempts;
  }

  /** Sends a valid delivery that belongs to no check. */
  async sendValid(): Promise<Attempt> {
    const [attempt] = await this.send([this.source.delivery(this.source.event())]);
    if (!attempt) throw new EndOfRun('No delivery was sent.');
    this.markUnsettled();
    return attempt;
  }

  /** Marks that a delivery may take effect after the last reading. */
  markUnsettled(): void {
    this.#isUnsettled = true;
  }

  async settle(): Promise<void> {
    await this.sleep(this.settleMs);
    this.#isUnsettled = false;
  }

  async settleIfNeeded(): Promise<void> {
    if (this.#isUnsettled) await this.settle();
  }

  /** Polls until `isEnough` or the time is over. @returns the last result */
  async poll<Result>(
    ms: number,
    read: () => Promise<Result>,
    isDone: (result: Result) => boolean,
    pause = this.timing.pollPause,
  ): Promise<Result> {
    const until = this.runtime.monotonic() + ms;
    for (;;) {
      const isLast = this.runtime.monotonic() >= until;
      const result = await read();
      if (isLast || isDone(result)) return result;
      await this.sleep(pause);
    }
  }

  async sleep(ms: number): Promise<void> {
    await this.runtime.sleep(ms, this.signal);
    this.signal.throwIfAborted();
  }
}

/** Ends a run early. Checks that did not run are unseen for this reason. */
export class EndOfRun extends Error {}
