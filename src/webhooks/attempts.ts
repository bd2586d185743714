import type { EventRow } from '../events/events.ts';
import { hasWebhookFaults } from '../faults/active-faults.ts';
import type { Tx } from '../store/transaction.ts';
import type { World } from '../world/world.ts';
import { clearDelayedFault, releaseReordered } from './delayed.ts';
import {
  type Attempt,
  type DueDelivery,
  findDelivery,
  findDue,
  recordAttempt,
} from './deliveries.ts';
import { deliveredBody } from './event.ts';
import { injectFault } from './inject-fault.ts';
import { findRegistration, type RegistrationRow, registrationsVersion } from './registrations.ts';
import type { SendRequest, SendResult } from './send.ts';

/** An attempt that has begun. */
export interface Begun {
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
