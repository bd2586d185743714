import type { EventRow } from '../events/record-event.ts';
import { hasWebhookFaults } from '../faults/active-faults.ts';
import type { Runtime } from '../kernel/runtime.ts';
import type { Owner } from '../store/schema/partners.ts';
import type { Tx } from '../store/transaction.ts';
import type { World } from '../world/world.ts';
import { clearDelayedFault, hasReordered, releaseReordered } from './delayed.ts';
import { type Attempt, dueDeliveries, findDelivery, recordAttempt } from './deliveries.ts';
import type { DeliveryRow } from './delivery.ts';
import { deliveredBody } from './event.ts';
import { type DeliveryInjection, injectFault } from './inject-fault.ts';
import { findRegistration, type RegistrationRow, registrationsVersion } from './registrations.ts';
import type { Send } from './send.ts';

/** The attempt of a delivery, and its repetitions if a fault injects any. */
type Attempts = readonly [Attempt, ...Attempt[]];

/** How many due deliveries are read at a time. */
const BATCH = 64;
/** How many outcomes are written together, and how long the first waits for others. A kill repeats these deliveries. */
const MAX_UNWRITTEN = 32;
const WRITE_AFTER_MS = 10;

/**
 * The deliveries of a partner and environment, sent one after the other in the order of their events. Outcomes are
 * written together: a transaction for each costs half as much as a whole order.
 */
export class DeliveryQueue {
  readonly #world: World;
  readonly #owner: Owner;
  readonly #send: Send;
  readonly #runtime: Runtime;
  #closed = false;
  /** Of which world state the fields below are. */
  #generation: object | undefined;
  /** Attempts by delivery whose outcome is not committed. If it cannot be written now, the attempt is not repeated. */
  #uncommitted = new Map<string, Attempts>();
  /** Deliveries whose outcome is not written, in the order of their attempts. */
  #unwritten: string[] = [];
  #writing: Promise<void>[] = [];
  #failure: { error: unknown } | undefined;
  #cancelTimer: (() => void) | undefined;
  #registration: { version: object; current: RegistrationRow | undefined } | undefined;

  constructor(world: World, owner: Owner, send: Send, runtime: Runtime) {
    this.#world = world;
    this.#owner = owner;
    this.#send = send;
    this.#runtime = runtime;
  }

  hasDue(): boolean {
    return this.#world.read((tx) => dueDeliveries(tx, this.#owner, 1)).length > 0;
  }

  /** Sends until nothing is due. Rejects if outcomes cannot be written; they are written by the next run. */
  async run(): Promise<void> {
    let goesOn = true;
    while (goesOn && !this.#closed) {
      this.#followGeneration();
      const due = this.#world.read((tx) => dueDeliveries(tx, this.#owner, BATCH));
      if (due.length === 0) return;
      // No event is sent that a kill could still take back.
      await this.#world.committed();
      try {
        goesOn = await this.#sendAll(due);
      } finally {
        await this.#committed();
      }
    }
  }

  /** Ends `run` after the attempt in flight. */
  close(): void {
    this.#closed = true;
  }

  /** Returns false if nothing more can be sent. */
  async #sendAll(due: ReturnType<typeof dueDeliveries>): Promise<boolean> {
    let hasWaiting = this.#world.read((tx) => hasReordered(tx, this.#owner));
    for (const { delivery, event } of due) {
      // After a reset or restore, these events belong to a world state that is gone.
      if (this.#isGone()) return true;
      // The url and secret are those registered when the attempt is made.
      const registration = this.#currentRegistration();
      if (this.#closed || !registration) return false;
      if (!this.#uncommitted.has(delivery.id)) {
        const injection = await this.#injectFault(delivery, event);
        if (this.#isGone()) return true;
        if (injection === 'delayed') {
          hasWaiting = true;
          continue;
        }
        const attempts = await this.#attempt(registration, deliveredBody(event), injection);
        if (this.#isGone()) return true;
        this.#uncommitted.set(delivery.id, attempts);
      }
      const released = this.#addOutcome(delivery.id, hasWaiting);
      // Reordered deliveries come next, before the rest of what was read.
      if (released || this.#failure) return true;
    }
    return true;
  }

  #followGeneration(): void {
    this.#failure = undefined;
    if (!this.#isGone()) return;
    this.#generation = this.#world.generation;
    this.#uncommitted = new Map();
    this.#unwritten = [];
  }

  #isGone(): boolean {
    return this.#world.generation !== this.#generation;
  }

  #currentRegistration(): RegistrationRow | undefined {
    return this.#world.read((tx) => {
      const version = registrationsVersion(tx);
      if (this.#registration?.version !== version) {
        this.#registration = { version, current: findRegistration(tx, this.#owner) };
      }
      return this.#registration.current;
    });
  }

  /** Counts the hit of the fault that the attempt triggers; writes nothing while there are no faults. */
  async #injectFault(
    delivery: DeliveryRow,
    event: EventRow,
  ): Promise<DeliveryInjection | 'delayed' | undefined> {
    if (delivery.fault === null && !this.#world.read(hasWebhookFaults)) return undefined;
    return this.#world.transaction((tx) => injectFault(tx, delivery, event));
  }

  /** Sends as a fault injects. The first attempt is the one that counts. */
  async #attempt(
    { url, secret }: RegistrationRow,
    body: string,
    { result, sign, repeats = 0 }: DeliveryInjection = {},
  ): Promise<Attempts> {
    const once = async (): Promise<Attempt> => {
      const at = this.#world.clock.now();
      if (result) return { at, url, ...result };
      const signature = sign?.(secret, body);
      const sent = await this.#send({ url, secret, body, ...(signature && { signature }) });
      return { at, url, ...sent };
    };
    const attempts: [Attempt, ...Attempt[]] = [await once()];
    while (attempts.length <= repeats) attempts.push(await once());
    return attempts;
  }

  /** @param atOnce whether reordered deliveries may wait for this one. @returns whether it made some due */
  #addOutcome(deliveryId: string, atOnce: boolean): boolean {
    this.#unwritten.push(deliveryId);
    if (atOnce || this.#unwritten.length >= MAX_UNWRITTEN) return this.#write();
    this.#cancelTimer ??= this.#runtime.after(WRITE_AFTER_MS, () => this.#write());
    return false;
  }

  /** Writes the outcomes so far. @returns whether reordered deliveries are due now */
  #write(): boolean {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const ids = this.#unwritten;
    this.#unwritten = [];
    if (ids.length === 0 || this.#isGone()) return false;
    const uncommitted = this.#uncommitted;
    let released = false;
    const written = this.#world.optimisticTransaction((tx) =>
      tx.optimistic(() => {
        for (const id of ids) {
          const attempts = uncommitted.get(id);
          if (attempts && this.#record(tx, id, attempts)) released = true;
        }
      }),
    );
    const settled = written.then(
      () => {
        for (const id of ids) uncommitted.delete(id);
      },
      (error: unknown) => {
        this.#failure ??= { error };
      },
    );
    this.#writing.push(settled);
    return released;
  }

  #record(tx: Tx, id: string, [first, ...repeats]: Attempts): boolean {
    const delivery = findDelivery(tx, id);
    if (!delivery) return false;
    recordAttempt(tx, delivery, first, repeats);
    clearDelayedFault(tx, delivery);
    return releaseReordered(tx, delivery);
  }

  /** Writes the outcomes and waits for their commit. */
  async #committed(): Promise<void> {
    this.#write();
    await Promise.all(this.#writing);
    this.#writing = [];
    if (this.#failure) throw this.#failure.error;
  }
}
