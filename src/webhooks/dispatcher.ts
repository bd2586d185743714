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

/** An attempt without an outcome yet. */
interface StartedAttempt {
  deliveryId: string;
  event: EventRow;
  /** Sandbox time, Unix ms. */
  at: number;
  request: SendRequest;
  /** How often the request is sent; a fault may repeat it. */
  times: number;
  /** Recorded instead of sending, if a fault drops the webhook. */
  result: SendResult | undefined;
  /** Whether a fault makes its signature invalid. */
  isForged: boolean;
  /** The version of the world state in which the attempt began. */
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

/** Begins the delivery attempts of a world and records their outcomes. */
export class Attempts {
  readonly #world: World;
  /** By delivery. */
  readonly #inProgress = new Map<string, StartedAttempt>();

  constructor(world: World) {
    this.#world = world;
  }

  /**
   * Begins an attempt of a due delivery.
   * @returns undefined if it is not due, or the world was reset meanwhile
   */
  async begin(id: string): Promise<StartedAttempt | 'delayed' | undefined> {
    const world = this.#world;
    const { due, registration, hasFaults } = world.read((tx) => {
      const due = findDue(tx, id);
      return {
        due,
        // An attempt uses the URL and secret that are registered when it begins.
        registration: due && findRegistration(tx, due.delivery),
        hasFaults: hasWebhookFaults(tx),
      };
    });
    if (!due || !registration) return undefined;
    // Without faults, nothing is written.
    const attempt =
      hasFaults || due.delivery.fault !== null
        ? await world.transaction((tx) =>
            this.#begin(tx, due, registration, injectFault(tx, due.delivery, due.event)),
          )
        : world.read((tx) => this.#begin(tx, due, registration));
    return attempt !== 'delayed' && this.isStale(attempt) ? undefined : attempt;
  }

  #begin(
    tx: Tx,
    { delivery, event }: DueDelivery,
    { url, secret }: RegistrationRow,
    injection?: ReturnType<typeof injectFault>,
  ): StartedAttempt | 'delayed' {
    if (injection === 'delayed') return injection;
    const { result, sign, repeats = 0 } = injection ?? {};
    const body = deliveredBody(event);
    const signature = sign?.(secret, body);
    const attempt: StartedAttempt = {
      deliveryId: delivery.id,
      event,
      at: tx.now,
      request: { url, secret, body, ...(signature !== undefined && { signature }) },
      times: 1 + repeats,
      result,
      isForged: sign !== undefined,
      stateVersion: this.#world.stateVersion,
    };
    this.#inProgress.set(delivery.id, attempt);
    return attempt;
  }

  /** How many attempts have no outcome yet. */
  get inFlight(): number {
    return [...this.#inProgress.values()].filter((attempt) => !this.isStale(attempt)).length;
  }

  /** Returns the attempt of a delivery that has no outcome yet. */
  find(id: string): StartedAttempt | undefined {
    const attempt = this.#inProgress.get(id);
    return attempt && !this.isStale(attempt) ? attempt : undefined;
  }

  /** Whether the world was reset or restored since the attempt began. */
  isStale({ stateVersion }: StartedAttempt): boolean {
    return this.#world.stateVersion !== stateVersion;
  }

  /**
   * Records the outcome of an attempt, unless the world was reset or restored since. If the commit fails, it can be
   * recorded again.
   * @param sendResults how each send ended; empty if nothing was sent
   * @returns the recorded attempts
   */
  async end(
    attempt: StartedAttempt,
    sendResults: readonly SendResult[],
  ): Promise<FinishedAttempt[]> {
    if (this.isStale(attempt)) return [];
    const { deliveryId, event, at, request, result, isForged } = attempt;
    const results = result ? Array.from({ length: attempt.times }, () => result) : sendResults;
    const attempts = results.map(
      (sendResult): Attempt => ({ at, url: request.url, ...sendResult }),
    );
    await this.#world.transactionWithoutSavepoint((tx) =>
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
    if (this.#inProgress.get(deliveryId) === attempt) this.#inProgress.delete(deliveryId);
    return attempts.map((attempt) => ({ deliveryId, event, isForged, attempt }));
  }
}

export interface Sending {
  send: Send;
  /** Called with each attempt whose outcome is committed. */
  onAttempt(attempt: FinishedAttempt): void;
}

/**
 * Sends the due deliveries of a world. Each partner and environment has its own queue, in the order of its events, so a
 * slow receiver does not delay others.
 */
export class Dispatcher {
  readonly #world: World;
  readonly #sending: Sending;
  readonly #attempts: Attempts;
  readonly #onFailed: () => void;
  /** By queue: partner and environment. */
  readonly #running = new Map<string, Promise<void>>();
  /** Outcomes to write, by queue. If a write fails, it is repeated; the webhook is not sent again. */
  readonly #unwritten = new Map<
    string,
    { attempt: StartedAttempt; results: readonly SendResult[] }
  >();
  #closed = false;

  /** @param onFailed called if an outcome could not be written; a later `start` writes it */
  constructor(world: World, attempts: Attempts, sending: Sending, onFailed: () => void) {
    this.#world = world;
    this.#attempts = attempts;
    this.#sending = sending;
    this.#onFailed = onFailed;
  }

  /** Starts every queue that has due deliveries and is not running. */
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
    // Earlier failures do not count: the disk may have space again.
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
      // An event is on disk before it is sent, so that a kill cannot undo it.
      await this.#world.committed();
      const attempt = await this.#attempts.begin(id);
      if (!attempt) return;
      if (attempt === 'delayed') continue;
      const { request, times, result } = attempt;
      const results: SendResult[] = [];
      while (!result && results.length < times) results.push(await this.#sending.send(request));
      this.#unwritten.set(queue, { attempt, results });
      await this.#record(queue);
    }
  }

  async #record(queue: string): Promise<void> {
    const unwritten = this.#unwritten.get(queue);
    if (!unwritten) return;
    const finishedAttempts = await this.#attempts.end(unwritten.attempt, unwritten.results);
    this.#unwritten.delete(queue);
    for (const attempt of finishedAttempts) this.#sending.onAttempt(attempt);
  }

  #nextDue(owner: Owner): string | undefined {
    return this.#world.read((tx) => nextDueDelivery(tx, owner));
  }
}
