import type { EventRow } from '../events/events.ts';
import { hasWebhookFaults } from '../faults/match-fault.ts';
import type { Owner } from '../store/schema/partners.ts';
import type { Tx } from '../store/transaction.ts';
import type { World } from '../world/world.ts';
import {
  type Attempt,
  clearDelayedFault,
  type DueDelivery,
  findDelivery,
  findDue,
  nextDueDelivery,
  recordAttempt,
  releaseReordered,
} from './deliveries.ts';
import { deliveredBody } from './event.ts';
import { injectFault } from './inject-fault.ts';
import { findRegistration, listRegistrations, type RegistrationRow } from './registrations.ts';
import type { Send, SendRequest, SendResult } from './send.ts';

/** An attempt that has begun. */
interface Begun {
  deliveryId: string;
  event: EventRow;
  /** Sandbox time, Unix ms. */
  at: number;
  /** What is sent, as often as this says. A fault may drop it. */
  request: SendRequest;
  times: number;
  /** Recorded instead of sending. */
  result: SendResult | undefined;
  /** Whether a fault makes its signature invalid. */
  isForged: boolean;
  /** Of which world state it is. */
  stateVersion: object;
}

/** An attempt whose outcome is committed. */
export interface FinishedAttempt {
  deliveryId: string;
  event: EventRow;
  /** Whether a fault made its signature invalid. */
  isForged: boolean;
  attempt: Attempt;
}

/** The attempts to deliver the webhooks of a world: how one begins, and what its outcome changes. */
export class Attempts {
  readonly #world: World;
  /** Those that have begun and have no outcome, by delivery. */
  readonly #begun = new Map<string, Begun>();

  constructor(world: World) {
    this.#world = world;
  }

  /**
   * Begins an attempt of a due delivery.
   * @returns undefined if it is not due, or the world was reset meanwhile
   */
  async begin(id: string): Promise<Begun | 'delayed' | undefined> {
    const world = this.#world;
    const cause = { type: 'attempt', id } as const;
    const { due, registration, hasFaults } = world.read((tx) => {
      const found = findDue(tx, id);
      return {
        due: found,
        // As it is now: an attempt uses the url and secret that are registered when it is made.
        registration: found && findRegistration(tx, found.delivery),
        hasFaults: hasWebhookFaults(tx),
      };
    });
    if (!due || !registration) return undefined;
    // Without faults, nothing is written.
    const begun =
      hasFaults || due.delivery.fault !== null
        ? await world.act(cause, (tx) =>
            this.#begin(tx, due, registration, injectFault(tx, due.delivery, due.event)),
          )
        : await world.actOutside(cause, () =>
            world.read((tx) => this.#begin(tx, due, registration)),
          );
    return begun !== 'delayed' && this.isGone(begun) ? undefined : begun;
  }

  #begin(
    tx: Tx,
    { delivery, event }: DueDelivery,
    { url, secret }: RegistrationRow,
    injected?: ReturnType<typeof injectFault>,
  ): Begun | 'delayed' {
    if (injected === 'delayed') return injected;
    const { result, sign, repeats = 0 } = injected ?? {};
    const body = deliveredBody(event);
    const signature = sign?.(secret, body);
    const begun: Begun = {
      deliveryId: delivery.id,
      event,
      at: tx.now,
      request: { url, secret, body, ...(signature !== undefined && { signature }) },
      times: 1 + repeats,
      result,
      isForged: sign !== undefined,
      stateVersion: this.#world.stateVersion,
    };
    this.#begun.set(delivery.id, begun);
    return begun;
  }

  /** How many attempts have begun and have no outcome. */
  get inFlight(): number {
    return [...this.#begun.values()].filter((begun) => !this.isGone(begun)).length;
  }

  /** Returns an attempt that has begun and has no outcome. */
  find(id: string): Begun | undefined {
    const begun = this.#begun.get(id);
    return begun && !this.isGone(begun) ? begun : undefined;
  }

  /** Whether the world was reset or restored since the attempt began. */
  isGone({ stateVersion }: Begun): boolean {
    return this.#world.stateVersion !== stateVersion;
  }

  /**
   * Records the outcome of an attempt, unless the world was reset or restored since. If the commit fails, it can be
   * recorded again.
   * @param sent how each send ended; empty if nothing was sent
   * @returns what was recorded
   */
  async end(begun: Begun, sent: readonly SendResult[]): Promise<FinishedAttempt[]> {
    if (this.isGone(begun)) return [];
    const { deliveryId, event, at, request, result, isForged } = begun;
    const results = result ? Array.from({ length: begun.times }, () => result) : sent;
    const attempts = results.map((each): Attempt => ({ at, url: request.url, ...each }));
    const params = { body: request.body };
    const cause = { type: 'outcome', id: deliveryId, params, given: sent } as const;
    await this.#world.actWithoutSavepoint(cause, (tx) =>
      tx.withoutSavepoint(() => {
        // The first attempt is the one that counts.
        const [first, ...repeats] = attempts;
        const delivery = findDelivery(tx, deliveryId);
        if (!delivery || !first) return;
        recordAttempt(tx, delivery, first, repeats);
        clearDelayedFault(tx, delivery);
        releaseReordered(tx, delivery);
      }),
    );
    if (this.#begun.get(deliveryId) === begun) this.#begun.delete(deliveryId);
    return attempts.map((attempt) => ({ deliveryId, event, isForged, attempt }));
  }
}

export interface Sending {
  send: Send;
  /** Called with each attempt whose outcome is committed. */
  onAttempt(attempt: FinishedAttempt): void;
}

/**
 * Sends the due deliveries of a world: those of a partner and environment one after the other, in the order of their
 * events, and a slow receiver delays no other.
 */
export class Dispatcher {
  readonly #world: World;
  readonly #sending: Sending;
  readonly #attempts: Attempts;
  readonly #onFailed: () => void;
  /** By partner and environment. */
  readonly #running = new Map<string, Promise<void>>();
  /** The outcome that could not be written, if so: its attempt is not repeated. */
  readonly #unwritten = new Map<string, { begun: Begun; sent: readonly SendResult[] }>();
  #closed = false;

  /** @param onFailed called if an outcome could not be written; a later `start` writes it */
  constructor(world: World, attempts: Attempts, sending: Sending, onFailed: () => void) {
    this.#world = world;
    this.#attempts = attempts;
    this.#sending = sending;
    this.#onFailed = onFailed;
  }

  /** Starts to send for every owner that has due deliveries, unless it is running. */
  start(): void {
    if (this.#closed) return;
    for (const owner of this.#world.read(listRegistrations)) {
      const queue = `${owner.partnerId} ${owner.environment}`;
      if (this.#running.has(queue)) continue;
      if (this.#unwritten.has(queue) || this.#nextDue(owner) !== undefined) this.#run(queue, owner);
    }
  }

  /** Resolves when nothing is being sent and nothing is due; rejects if outcomes cannot be written. */
  async idle(): Promise<void> {
    this.start();
    // The disk may have been full only until now.
    await Promise.allSettled(this.#running.values());
    this.start();
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  get isRunning(): boolean {
    return this.#running.size > 0;
  }

  /** Sends nothing more; resolves after the attempts in flight. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#running.values());
  }

  #run(queue: string, owner: Owner): void {
    const run = this.#sendAll(queue, owner).then(
      () => {
        this.#running.delete(queue);
        this.start();
      },
      (error: unknown) => {
        this.#running.delete(queue);
        this.#onFailed();
        throw error;
      },
    );
    run.catch(() => {});
    this.#running.set(queue, run);
  }

  /** Sends until nothing is due. Rejects if an outcome cannot be written. */
  async #sendAll(queue: string, owner: Owner): Promise<void> {
    if (this.#unwritten.has(queue)) await this.#record(queue);
    while (!this.#closed) {
      const id = this.#nextDue(owner);
      if (id === undefined) return;
      // No event is sent that a kill could still take back.
      await this.#world.committed();
      const begun = await this.#attempts.begin(id);
      if (!begun) return;
      if (begun === 'delayed') continue;
      const { request, times, result } = begun;
      const sent: SendResult[] = [];
      while (!result && sent.length < times) sent.push(await this.#sending.send(request));
      this.#unwritten.set(queue, { begun, sent });
      await this.#record(queue);
    }
  }

  async #record(queue: string): Promise<void> {
    const unwritten = this.#unwritten.get(queue);
    if (!unwritten) return;
    const finished = await this.#attempts.end(unwritten.begun, unwritten.sent);
    this.#unwritten.delete(queue);
    for (const each of finished) this.#sending.onAttempt(each);
  }

  #nextDue(owner: Owner): string | undefined {
    return this.#world.read((tx) => nextDueDelivery(tx, owner));
  }
}
