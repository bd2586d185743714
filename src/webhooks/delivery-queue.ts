import { type AttemptActivity, text } from '../coverage/activity.ts';
import type { EventRow } from '../events/events.ts';
import { hasWebhookFaults } from '../faults/active-faults.ts';
import type { Runtime } from '../kernel/runtime.ts';
import type { Owner } from '../store/schema/partners.ts';
import type { Tx } from '../store/transaction.ts';
import { SAME_INPUT } from '../world/inputs.ts';
import type { World } from '../world/world.ts';
import { clearDelayedFault, hasReordered, releaseReordered } from './delayed.ts';
import {
  type Attempt,
  type DueDelivery,
  dueDeliveryIds,
  findDelivery,
  findDue,
  recordAttempt,
} from './deliveries.ts';
import { deliveredBody } from './event.ts';
import { type DeliveryInjection, injectFault } from './inject-fault.ts';
import { findRegistration, type RegistrationRow, registrationsVersion } from './registrations.ts';
import { LISTEN_SERVER, type Send } from './send.ts';

/** Called with each attempt whose outcome is committed. */
export type OnAttempt = (owner: Owner, attempt: AttemptActivity) => void;

export interface Sending {
  send: Send;
  onAttempt: OnAttempt;
}

/** An attempt whose outcome is not committed, and repetitions that a fault injects. */
interface Sent {
  attempts: readonly Attempt[];
  event: EventRow;
  isForged: boolean;
}

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
  readonly #onAttempt: OnAttempt;
  readonly #runtime: Runtime;
  #closed = false;
  /** Of which world state the fields below are. */
  #generation: object | undefined;
  /** By delivery. If an outcome cannot be written now, the attempt is not repeated. */
  #uncommitted = new Map<string, Sent>();
  /** Deliveries whose outcome is not written, in the order of their attempts. */
  #unwritten: string[] = [];
  #writing: Promise<void>[] = [];
  #failure: { error: unknown } | undefined;
  #cancelTimer: (() => void) | undefined;
  #registration: { version: object; current: RegistrationRow | undefined } | undefined;

  constructor(world: World, owner: Owner, { send, onAttempt }: Sending, runtime: Runtime) {
    this.#world = world;
    this.#owner = owner;
    this.#send = send;
    this.#onAttempt = onAttempt;
    this.#runtime = runtime;
  }

  hasDue(): boolean {
    return this.#world.read((tx) => dueDeliveryIds(tx, this.#owner, 1)).length > 0;
  }

  /** Sends until nothing is due. Rejects if outcomes cannot be written; they are written by the next run. */
  async run(): Promise<void> {
    let goesOn = true;
    while (goesOn && !this.#closed) {
      this.#followGeneration();
      const due = this.#due();
      if (due.length === 0 && this.#unwritten.length === 0) return;
      // No event is sent that a kill could still take back.
      await this.#world.committed();
      try {
        goesOn = await this.#sendAll(due);
      } finally {
        // A replay attempts one delivery at a time, and writes when the recording did.
        if (!goesOn || due.length === 0 || !this.#world.inputs.isReplay) await this.#committed();
      }
    }
  }

  /** Ends `run` after the attempt in flight. */
  close(): void {
    this.#closed = true;
  }

  /** Ids of due deliveries, in the order of their events. */
  #due(): string[] {
    const { isReplay } = this.#world.inputs;
    const limit = isReplay ? this.#uncommitted.size + 1 : BATCH;
    const ids = this.#world.read((tx) => dueDeliveryIds(tx, this.#owner, limit));
    return isReplay ? ids.filter((id) => !this.#uncommitted.has(id)) : ids;
  }

  /** Returns false if nothing more can be sent. */
  async #sendAll(due: readonly string[]): Promise<boolean> {
    for (const id of due) {
      // After a reset or restore, these events belong to a world state that is gone.
      if (this.#isGone()) return true;
      if (this.#closed) return false;
      if (this.#uncommitted.has(id)) {
        if (this.#addOutcome(id) || this.#failure) return true;
        continue;
      }
      const turn = this.#world.step({ label: 'attempt', delivery: id });
      const taken = turn ? await turn : id;
      if (taken === undefined || this.#isGone()) return true;
      // The url and secret are those registered when the attempt is made.
      const registration = this.#currentRegistration();
      if (this.#closed || !registration) return false;
      const found = this.#world.read((tx) => findDue(tx, taken));
      // Reordered deliveries come next, before the rest of what was read.
      if (found && !(await this.#deliver(found, registration))) return true;
    }
    return true;
  }

  /** Makes the attempt of a delivery. @returns whether those after it come next */
  async #deliver(
    { delivery, event }: DueDelivery,
    { url, secret }: RegistrationRow,
  ): Promise<boolean> {
    const world = this.#world;
    const { id } = delivery;
    let injection: DeliveryInjection = {};
    let of = world.inputs.number;
    const nextSend = async () => {
      const turn = world.step({ label: 'send', delivery: id });
      const isTaken = !turn || (await turn) !== undefined;
      of = world.inputs.number;
      return isTaken;
    };
    // Nothing is written while there are no faults.
    if (delivery.fault !== null || world.read(hasWebhookFaults)) {
      const found = await world.transaction(SAME_INPUT, (tx) => injectFault(tx, delivery, event));
      if (this.#isGone()) return false;
      if (found === 'delayed') return true;
      injection = found ?? {};
      if (!(await nextSend())) return false;
    }
    const { result, sign, repeats = 0 } = injection;
    const body = deliveredBody(event);
    const signature = sign?.(secret, body);
    // The first attempt is the one that counts.
    const attempts: Attempt[] = [];
    while (attempts.length <= repeats) {
      if (attempts.length > 0 && !(await nextSend())) return false;
      const at = world.clock.now();
      if (result) attempts.push({ at, url, ...result });
      else {
        const sent = await this.#send({ url, secret, body, of, ...(signature && { signature }) });
        world.step({ label: 'outcome', of, delivery: id, body, result: sent });
        attempts.push({ at, url, ...sent });
      }
    }
    if (this.#isGone()) return false;
    this.#uncommitted.set(id, { attempts, event, isForged: sign !== undefined });
    return !this.#addOutcome(id) && !this.#failure;
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

  /** Reordered deliveries may wait for an outcome. @returns whether it made some due */
  #addOutcome(deliveryId: string): boolean {
    this.#unwritten.push(deliveryId);
    const atOnce = this.#world.read((tx) => hasReordered(tx, this.#owner));
    if (atOnce || this.#unwritten.length >= MAX_UNWRITTEN) return this.#write();
    const { inputs } = this.#world;
    this.#cancelTimer ??=
      inputs.later({ label: 'record', delivery: deliveryId }, () => this.#write()) ??
      this.#runtime.after(WRITE_AFTER_MS, () => {
        this.#world.step({ label: 'record', delivery: deliveryId });
        this.#write();
      });
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
    const written = this.#world.optimisticTransaction(SAME_INPUT, (tx) =>
      tx.optimistic(() => {
        for (const id of ids) {
          const sent = uncommitted.get(id);
          if (sent && this.#record(tx, id, sent)) released = true;
        }
      }),
    );
    const settled = written.then(
      () => {
        for (const id of ids) {
          const sent = uncommitted.get(id);
          uncommitted.delete(id);
          if (sent) this.#observe(id, sent);
        }
      },
      (error: unknown) => {
        this.#failure ??= { error };
      },
    );
    this.#writing.push(settled);
    return released;
  }

  #observe(id: string, { attempts, event, isForged }: Sent): void {
    const order = event.data.order as { status?: unknown } | undefined;
    for (const { outcome, httpStatus, server } of attempts) {
      if (server === LISTEN_SERVER) continue;
      this.#onAttempt(this.#owner, {
        kind: 'attempt',
        id,
        at: this.#runtime.now(),
        event: event.id,
        type: event.type,
        subject: event.subjectId,
        orderStatus: text(order?.status),
        signature: isForged ? 'forged' : 'valid',
        outcome,
        status: httpStatus,
      });
    }
  }

  #record(tx: Tx, id: string, { attempts: [first, ...repeats] }: Sent): boolean {
    const delivery = findDelivery(tx, id);
    if (!delivery || !first) return false;
    recordAttempt(tx, delivery, first, repeats);
    clearDelayedFault(tx, delivery);
    return releaseReordered(tx, delivery);
  }

  async #committed(): Promise<void> {
    const [first] = this.#unwritten;
    if (first !== undefined) {
      this.#cancelTimer?.();
      const turn = this.#world.step({ label: 'record', delivery: first });
      if (turn) await turn;
    }
    this.#write();
    await Promise.all(this.#writing);
    this.#writing = [];
    if (this.#failure) throw this.#failure.error;
  }
}
