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
  dueDeliveries,
  findDelivery,
  findDue,
  recordAttempt,
} from './deliveries.ts';
import { deliveredBody } from './event.ts';
import { type DeliveryInjection, injectFault } from './inject-fault.ts';
import { findRegistration, type RegistrationRow, registrationsVersion } from './registrations.ts';
import type { Send } from './send.ts';

/** An attempt whose outcome is committed. */
export interface FinishedAttempt {
  deliveryId: string;
  event: EventRow;
  /** Whether a fault made its signature invalid. */
  isForged: boolean;
  attempt: Attempt;
}

export type OnAttempt = (attempt: FinishedAttempt) => void;

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

/** How many due deliveries are read together. */
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
  #registration: { version: object; current: RegistrationRow | undefined } | undefined;
  /** Of which world state the fields below are. */
  #stateVersion: object | undefined;
  /** By delivery. If an outcome cannot be written now, the attempt is not repeated. */
  #uncommitted = new Map<string, Sent>();
  /** Deliveries whose outcome is not written, in the order of their attempts. */
  #unwritten: string[] = [];
  #writing: Promise<void>[] = [];
  #failure: { error: unknown } | undefined;
  #cancelTimer: (() => void) | undefined;
  /** False if no reordered delivery waits for the next outcome: only a fault that this queue injects makes one wait. */
  #mayRelease = true;
  /** How many unwritten outcomes came before a fault delayed a delivery: they do not release it. */
  #beforeDelay = 0;

  constructor(world: World, owner: Owner, { send, onAttempt }: Sending, runtime: Runtime) {
    this.#world = world;
    this.#owner = owner;
    this.#send = send;
    this.#onAttempt = onAttempt;
    this.#runtime = runtime;
  }

  hasDue(): boolean {
    return this.#world.read((tx) => dueDeliveries(tx, this.#owner, 1)).length > 0;
  }

  /** Sends until nothing is due. Rejects if outcomes cannot be written; they are written by the next run. */
  async run(): Promise<void> {
    let goesOn = true;
    while (goesOn && !this.#closed) {
      this.#followState();
      const registration = this.#currentRegistration();
      const due = this.#due();
      if (due.length === 0 && this.#unwritten.length === 0) return;
      // No event is sent that a kill could still take back.
      await this.#world.committed();
      try {
        goesOn = await this.#sendAll(due, registration);
      } finally {
        // A replay attempts one delivery at a time, and writes when the recording did.
        if (!goesOn || due.length === 0 || !this.#world.inputs.isReplay)
          await this.#outcomesCommitted();
      }
    }
  }

  /** Ends `run` after the attempt in flight. */
  close(): void {
    this.#closed = true;
  }

  /** Due deliveries, in the order of their events. */
  #due(): DueDelivery[] {
    const { isReplay } = this.#world.inputs;
    const limit = isReplay ? this.#uncommitted.size + 1 : BATCH;
    const due = this.#world.read((tx) => dueDeliveries(tx, this.#owner, limit));
    return isReplay ? due.filter(({ delivery }) => !this.#uncommitted.has(delivery.id)) : due;
  }

  /**
   * @param before the registration when they were read
   * @returns false if nothing more can be sent
   */
  async #sendAll(due: readonly DueDelivery[], before?: RegistrationRow): Promise<boolean> {
    for (const next of due) {
      const { id } = next.delivery;
      // After a reset or restore, these events belong to a world state that is gone.
      if (this.#isGone) return true;
      if (this.#closed) return false;
      if (this.#uncommitted.has(id)) {
        if (this.#addOutcome(id)) return true;
        continue;
      }
      // An attempt that is not made is not marked: a replay finds no such delivery.
      let registration = this.#currentRegistration();
      // Removing a registration fails what was read; nothing else changes it.
      let found = registration && (registration === before ? next : this.#find(id));
      const turn = found && this.#world.step({ label: 'attempt', delivery: id });
      if (turn) {
        const taken = await turn;
        if (taken === undefined || this.#isGone) return true;
        registration = this.#currentRegistration();
        found = this.#find(taken);
      }
      if (this.#closed || !registration) return false;
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
      if (this.#isGone) return false;
      const turn = world.step({ label: 'send', delivery: id });
      const isTaken = !turn || (await turn) !== undefined;
      of = world.inputs.number;
      return isTaken;
    };
    // Nothing is written while there are no faults.
    if (delivery.fault !== null || world.read(hasWebhookFaults)) {
      const found = await world.transaction(SAME_INPUT, (tx) => {
        const injected = injectFault(tx, delivery, event);
        if (injected === 'delayed') {
          this.#mayRelease = true;
          this.#beforeDelay = this.#unwritten.length;
        }
        return injected;
      });
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
    if (this.#isGone) return false;
    return !this.#addOutcome(id, { attempts, event, isForged: sign !== undefined });
  }

  #find(id: string): DueDelivery | undefined {
    return this.#world.read((tx) => findDue(tx, id));
  }

  /** Returns the registration as it is now: an attempt uses the url and secret that are registered when it is made. */
  #currentRegistration(): RegistrationRow | undefined {
    return this.#world.read((tx) => {
      const version = registrationsVersion(tx);
      if (this.#registration?.version !== version) {
        this.#registration = { version, current: findRegistration(tx, this.#owner) };
      }
      return this.#registration.current;
    });
  }

  /** Whether the world was reset or restored. */
  get #isGone(): boolean {
    return this.#world.stateVersion !== this.#stateVersion;
  }

  /** Forgets failures, and the outcomes of a world state that is gone. */
  #followState(): void {
    this.#failure = undefined;
    if (!this.#isGone) return;
    this.#stateVersion = this.#world.stateVersion;
    this.#uncommitted = new Map();
    this.#unwritten = [];
    this.#beforeDelay = 0;
    this.#mayRelease = true;
  }

  /**
   * Adds the outcome of a delivery; of one that was added before if `sent` is left out.
   * @returns whether it made reordered deliveries due that waited for it, or an outcome could not be written
   */
  #addOutcome(deliveryId: string, sent?: Sent): boolean {
    if (sent) this.#uncommitted.set(deliveryId, sent);
    return this.#writeSoon(deliveryId) || this.#failure !== undefined;
  }

  /** Writes outcomes now if enough of them wait, else in a moment. @returns whether reordered deliveries are due now */
  #writeSoon(deliveryId: string): boolean {
    this.#unwritten.push(deliveryId);
    this.#mayRelease &&= this.#world.read((tx) => hasReordered(tx, this.#owner));
    if (this.#mayRelease || this.#unwritten.length >= MAX_UNWRITTEN) return this.#writeOutcomes();
    const { inputs } = this.#world;
    this.#cancelTimer ??=
      inputs.later({ label: 'record', delivery: deliveryId }, () => this.#writeOutcomes()) ??
      this.#runtime.after(WRITE_AFTER_MS, () => {
        this.#world.step({ label: 'record', delivery: deliveryId });
        this.#writeOutcomes();
      });
    return false;
  }

  /** Writes the outcomes so far. @returns whether reordered deliveries are due now */
  #writeOutcomes(): boolean {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const ids = this.#unwritten;
    const releasing = this.#mayRelease ? ids.slice(this.#beforeDelay) : [];
    this.#unwritten = [];
    this.#beforeDelay = 0;
    if (ids.length === 0 || this.#isGone) return false;
    const uncommitted = this.#uncommitted;
    let released = false;
    const written = this.#world.transactionWithoutSavepoint(SAME_INPUT, (tx) =>
      tx.withoutSavepoint(() => {
        for (const id of ids) {
          const sent = uncommitted.get(id);
          if (sent && record(tx, id, sent, releasing.includes(id))) released = true;
        }
      }),
    );
    const settled = written.then(
      () => {
        for (const id of ids) {
          const sent = uncommitted.get(id);
          uncommitted.delete(id);
          if (!sent) continue;
          const { attempts, event, isForged } = sent;
          for (const attempt of attempts) {
            this.#onAttempt({ deliveryId: id, event, isForged, attempt });
          }
        }
      },
      (error: unknown) => {
        this.#failure ??= { error };
      },
    );
    this.#writing.push(settled);
    return released;
  }

  /** Writes the outcomes and waits for their commit. Rejects if some cannot be written. */
  async #outcomesCommitted(): Promise<void> {
    const [first] = this.#unwritten;
    if (first !== undefined) {
      this.#cancelTimer?.();
      const turn = this.#world.step({ label: 'record', delivery: first });
      if (turn) await turn;
    }
    this.#writeOutcomes();
    await Promise.all(this.#writing);
    this.#writing = [];
    if (this.#failure) throw this.#failure.error;
  }
}

/** @returns whether reordered deliveries are due now */
function record(
  tx: Tx,
  id: string,
  { attempts: [first, ...repeats] }: Sent,
  mayRelease: boolean,
): boolean {
  const delivery = findDelivery(tx, id);
  if (!delivery || !first) return false;
  recordAttempt(tx, delivery, first, repeats);
  clearDelayedFault(tx, delivery);
  return mayRelease && releaseReordered(tx, delivery);
}
