import type { EventRow } from '../events/events.ts';
import { hasWebhookFaults } from '../faults/match-fault.ts';
import type { Owner } from '../store/schema/partners.ts';
import type { Tx } from '../store/transaction.ts';
import type { World } from '../world/world.ts';
import {
  type Attempt,
  clearDelayedFault,
  type DueDelivery,
  dueDeliveries,
  findDelivery,
  findDue,
  recordAttempt,
  releaseReordered,
} from './deliveries.ts';
import { deliveredBody } from './event.ts';
import { injectFault } from './inject-fault.ts';
import {
  findRegistration,
  listRegistrations,
  type RegistrationRow,
  registrationsVersion,
} from './registrations.ts';
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
  #registrations:
    | { version: object; byOwner: Map<string, RegistrationRow | undefined> }
    | undefined;

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
        registration: found && this.registration(tx, found.delivery),
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
   * Records the outcome of an attempt. If the commit fails, it can be recorded again.
   * @param sent how each send ended; empty if nothing was sent
   * @returns whether reordered deliveries are due now, and what was recorded
   */
  end(
    begun: Begun,
    sent: readonly SendResult[],
  ): { released: boolean; committed: Promise<FinishedAttempt[]> } {
    const { deliveryId, event, at, request, result, isForged } = begun;
    const results = result ? Array.from({ length: begun.times }, () => result) : sent;
    const attempts = results.map((each): Attempt => ({ at, url: request.url, ...each }));
    const params = { body: request.body };
    const cause = { type: 'outcome', id: deliveryId, params, given: sent } as const;
    let released = false;
    const written = this.#world.actWithoutSavepoint(cause, (tx) =>
      tx.withoutSavepoint(() => {
        // The first attempt is the one that counts.
        const [first, ...repeats] = attempts;
        const delivery = findDelivery(tx, deliveryId);
        if (!delivery || !first) return;
        recordAttempt(tx, delivery, first, repeats);
        clearDelayedFault(tx, delivery);
        released = releaseReordered(tx, delivery);
      }),
    );
    const committed = written.then(() => {
      if (this.#begun.get(deliveryId) === begun) this.#begun.delete(deliveryId);
      return attempts.map((attempt) => ({ deliveryId, event, isForged, attempt }));
    });
    return { released, committed };
  }

  /** Returns the registration as it is now: an attempt uses the url and secret that are registered when it is made. */
  registration(tx: Tx, owner: Pick<RegistrationRow, 'partnerId' | 'environment'>) {
    const version = registrationsVersion(tx);
    if (this.#registrations?.version !== version) {
      this.#registrations = { version, byOwner: new Map() };
    }
    const { byOwner } = this.#registrations;
    const key = `${owner.partnerId} ${owner.environment}`;
    if (!byOwner.has(key)) byOwner.set(key, findRegistration(tx, owner));
    return byOwner.get(key);
  }
}

type OnAttempt = (attempt: FinishedAttempt) => void;

export interface Sending {
  send: Send;
  /** Called with each attempt whose outcome is committed. */
  onAttempt: OnAttempt;
}

/** How many due deliveries are read together. */
const BATCH = 64;

/** The deliveries of a partner and environment, sent one after the other in the order of their events. */
class DeliveryQueue {
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

/**
 * Sends the due deliveries of a world. Each partner and environment has a queue of its own, so that a slow receiver
 * delays no other.
 */
export class Dispatcher {
  readonly #world: World;
  readonly #sending: Sending;
  readonly #attempts: Attempts;
  readonly #onFailed: () => void;
  readonly #queues = new Map<string, DeliveryQueue>();
  readonly #running = new Map<DeliveryQueue, Promise<void>>();
  #closed = false;

  /** @param onFailed called if outcomes could not be written; a later `start` writes them */
  constructor(world: World, attempts: Attempts, sending: Sending, onFailed: () => void) {
    this.#world = world;
    this.#attempts = attempts;
    this.#sending = sending;
    this.#onFailed = onFailed;
  }

  /** Starts every queue that has due deliveries and is not running. */
  start(): void {
    if (this.#closed) return;
    for (const { partnerId, environment } of this.#world.read(listRegistrations)) {
      const name = `${partnerId} ${environment}`;
      const queue =
        this.#queues.get(name) ??
        new DeliveryQueue(this.#world, { partnerId, environment }, this.#attempts, this.#sending);
      this.#queues.set(name, queue);
      if (!this.#running.has(queue) && queue.hasDue()) this.#run(queue);
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
    for (const queue of this.#queues.values()) queue.close();
    await Promise.allSettled(this.#running.values());
  }

  #run(queue: DeliveryQueue): void {
    const run = queue.run().then(
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
}
