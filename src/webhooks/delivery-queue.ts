import type { Owner } from '../store/schema/partners.ts';
import type { World } from '../world/world.ts';
import type { Attempts, Begun, FinishedAttempt } from './attempts.ts';
import { dueDeliveries } from './deliveries.ts';
import type { Send, SendResult } from './send.ts';

export type OnAttempt = (attempt: FinishedAttempt) => void;

export interface Sending {
  send: Send;
  /** Called with each attempt whose outcome is committed. */
  onAttempt: OnAttempt;
}

/** How many due deliveries are read together. */
const BATCH = 64;

/** The deliveries of a partner and environment, sent one after the other in the order of their events. */
export class DeliveryQueue {
  readonly #world: World;
  readonly #owner: Owner;
  readonly #attempts: Attempts;
  readonly #sending: Sending;
  #closed = false;
  /** Outcomes that are not committed, by delivery. If they cannot be written now, the attempt is not repeated. */
  readonly #unwritten = new Map<string, { begun: Begun; sent: readonly SendResult[] }>();
  readonly #writing = new Set<Promise<void>>();
  #failure: { error: unknown } | undefined;

  constructor(world: World, owner: Owner, attempts: Attempts, sending: Sending) {
    this.#world = world;
    this.#owner = owner;
    this.#attempts = attempts;
    this.#sending = sending;
  }

  hasDue(): boolean {
    return this.#unwritten.size > 0 || this.#due(1).length > 0;
  }

  /** Sends until nothing is due. Rejects if outcomes cannot be written; they are written by the next run. */
  async run(): Promise<void> {
    this.#failure = undefined;
    for (const { begun, sent } of this.#unwritten.values()) this.#end(begun, sent);
    let goesOn = true;
    while (goesOn && !this.#closed && !this.#failure) {
      const due = this.#due(BATCH);
      if (due.length === 0) break;
      // No event is sent that a kill could still take back.
      await this.#world.committed();
      goesOn = await this.#sendAll(due);
    }
    await Promise.all(this.#writing);
    this.#assertWritten();
  }

  #assertWritten(): void {
    if (this.#failure) throw this.#failure.error;
  }

  /** Ends `run` after the attempt in flight. */
  close(): void {
    this.#closed = true;
  }

  /** Returns the ids of due deliveries, in the order of their events. */
  #due(limit: number): string[] {
    const due = this.#world.read((tx) => dueDeliveries(tx, this.#owner, limit));
    return due.map(({ delivery }) => delivery.id).filter((id) => !this.#unwritten.has(id));
  }

  /** @returns whether more may be due */
  async #sendAll(ids: readonly string[]): Promise<boolean> {
    const { stateVersion } = this.#world;
    let goesOn = false;
    for (const id of ids) {
      if (this.#closed || this.#failure) return false;
      // After a reset or restore, these events belong to a world state that is gone.
      if (this.#world.stateVersion !== stateVersion) return true;
      const begun = await this.#attempts.begin(id);
      if (begun) goesOn = true;
      if (!begun || begun === 'delayed') continue;
      const sent = await this.#send(begun);
      // Reordered deliveries come next, before the rest of what was read.
      if (this.#end(begun, sent)) return true;
    }
    return goesOn;
  }

  /** Sends as often as the attempt says. */
  async #send({ request, times, result }: Begun): Promise<SendResult[]> {
    const sent: SendResult[] = [];
    while (!result && sent.length < times) {
      sent.push(await this.#sending.send(request));
    }
    return sent;
  }

  /**
   * Records the outcome of an attempt; the next attempt does not wait for the commit.
   * @returns whether reordered deliveries are due now
   */
  #end(begun: Begun, sent: readonly SendResult[]): boolean {
    const id = begun.deliveryId;
    if (this.#attempts.isGone(begun)) {
      this.#unwritten.delete(id);
      return false;
    }
    this.#unwritten.set(id, { begun, sent });
    const { released, committed } = this.#attempts.end(begun, sent);
    const written = committed.then(
      (finished) => {
        this.#unwritten.delete(id);
        for (const each of finished) this.#sending.onAttempt(each);
      },
      (error: unknown) => {
        this.#failure ??= { error };
      },
    );
    this.#writing.add(written);
    void written.finally(() => this.#writing.delete(written));
    return released;
  }
}
