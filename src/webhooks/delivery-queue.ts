import { hasWebhookFaults } from '../faults/active-faults.ts';
import type { Runtime } from '../kernel/runtime.ts';
import type { Owner } from '../store/schema/partners.ts';
import { SAME_INPUT } from '../world/inputs.ts';
import type { World } from '../world/world.ts';
import { type Attempt, type DueDelivery, dueDeliveries, findDue } from './deliveries.ts';
import { deliveredBody } from './event.ts';
import { type DeliveryInjection, injectFault } from './inject-fault.ts';
import { type OnAttempt, Outcomes } from './outcomes.ts';
import { findRegistration, type RegistrationRow, registrationsVersion } from './registrations.ts';
import type { Send } from './send.ts';

export interface Sending {
  send: Send;
  onAttempt: OnAttempt;
}

const BATCH = 64;
/** The deliveries of a partner and environment, sent one after the other in the order of their events. */
export class DeliveryQueue {
  readonly #world: World;
  readonly #owner: Owner;
  readonly #send: Send;
  readonly #outcomes: Outcomes;
  #closed = false;
  #registration: { version: object; current: RegistrationRow | undefined } | undefined;

  constructor(world: World, owner: Owner, { send, onAttempt }: Sending, runtime: Runtime) {
    this.#world = world;
    this.#owner = owner;
    this.#send = send;
    this.#outcomes = new Outcomes(world, owner, onAttempt, runtime);
  }

  hasDue(): boolean {
    return this.#world.read((tx) => dueDeliveries(tx, this.#owner, 1)).length > 0;
  }

  /** Sends until nothing is due. Rejects if outcomes cannot be written; they are written by the next run. */
  async run(): Promise<void> {
    let goesOn = true;
    while (goesOn && !this.#closed) {
      this.#outcomes.followGeneration();
      const registration = this.#currentRegistration();
      const due = this.#due();
      if (due.length === 0 && !this.#outcomes.hasUnwritten) return;
      // No event is sent that a kill could still take back.
      await this.#world.committed();
      try {
        goesOn = await this.#sendAll(due, registration);
      } finally {
        // A replay attempts one delivery at a time, and writes when the recording did.
        if (!goesOn || due.length === 0 || !this.#world.inputs.isReplay)
          await this.#outcomes.committed();
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
    const limit = isReplay ? this.#outcomes.count + 1 : BATCH;
    const due = this.#world.read((tx) => dueDeliveries(tx, this.#owner, limit));
    return isReplay ? due.filter(({ delivery }) => !this.#outcomes.has(delivery.id)) : due;
  }

  /**
   * @param before the registration when they were read
   * @returns false if nothing more can be sent
   */
  async #sendAll(due: readonly DueDelivery[], before?: RegistrationRow): Promise<boolean> {
    for (const next of due) {
      const { id } = next.delivery;
      // After a reset or restore, these events belong to a world state that is gone.
      if (this.#outcomes.isGone) return true;
      if (this.#closed) return false;
      if (this.#outcomes.has(id)) {
        if (this.#outcomes.add(id)) return true;
        continue;
      }
      // An attempt that is not made is not marked: a replay finds no such delivery.
      let registration = this.#currentRegistration();
      // Removing a registration fails what was read; nothing else changes it.
      let found = registration && (registration === before ? next : this.#find(id));
      const turn = found && this.#world.step({ label: 'attempt', delivery: id });
      if (turn) {
        const taken = await turn;
        if (taken === undefined || this.#outcomes.isGone) return true;
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
      if (this.#outcomes.isGone) return false;
      const turn = world.step({ label: 'send', delivery: id });
      const isTaken = !turn || (await turn) !== undefined;
      of = world.inputs.number;
      return isTaken;
    };
    // Nothing is written while there are no faults.
    if (delivery.fault !== null || world.read(hasWebhookFaults)) {
      const found = await world.transaction(SAME_INPUT, (tx) => {
        const injected = injectFault(tx, delivery, event);
        if (injected === 'delayed') this.#outcomes.delayed();
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
    if (this.#outcomes.isGone) return false;
    return !this.#outcomes.add(id, { attempts, event, isForged: sign !== undefined });
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
}
