import { deliveredBody, type EventRow } from '../events/record-event.ts';
import { hasWebhookFaults } from '../faults/active-faults.ts';
import type { World } from '../world/world.ts';
import { clearDelayedFault, releaseReordered } from './delayed.ts';
import {
  type Attempt,
  type Delivery,
  dueDeliveries,
  findDelivery,
  recordAttempt,
} from './deliveries.ts';
import { type DeliveryInjection, injectFault } from './inject-fault.ts';
import { findRegistration, listRegistrations, type Registration } from './registrations.ts';
import type { Send } from './send.ts';

/** How many due deliveries a lane reads at a time. */
const BATCH = 64;

/**
 * Sends what is due. Each partner and environment has a lane of its own, in which deliveries go one after
 * the other in the order of their events: a slow receiver delays nobody else, and two runs agree.
 */
export class Dispatcher {
  readonly #world: World;
  readonly #send: Send;
  readonly #lanes = new Map<string, Promise<void>>();
  #closed = false;

  constructor(world: World, send: Send) {
    this.#world = world;
    this.#send = send;
  }

  /** Opens a lane for everybody who is owed something and has none open. */
  pump(): void {
    if (this.#closed) return;
    for (const registration of this.#world.peek(listRegistrations)) {
      const lane = `${registration.partnerId} ${registration.environment}`;
      if (this.#lanes.has(lane) || !this.#owes(registration)) continue;
      const run = this.#runLane(registration).then(
        () => {
          this.#lanes.delete(lane);
          this.pump();
        },
        // The disk refused the outcome. The rows are as before; the next wake tries again.
        () => {
          this.#lanes.delete(lane);
        },
      );
      this.#lanes.set(lane, run);
    }
  }

  /** Resolves when nothing is being sent and nothing is due. */
  async idle(): Promise<void> {
    this.pump();
    while (this.#lanes.size > 0) await Promise.all(this.#lanes.values());
  }

  /** Sends nothing more; resolves when what is in flight has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#lanes.values());
  }

  #owes(registration: Registration): boolean {
    return this.#world.peek((tx) => dueDeliveries(tx, registration, 1)).length > 0;
  }

  async #runLane(registration: Registration): Promise<void> {
    while (!this.#closed) {
      const { store } = this.#world;
      const due = this.#world.peek((tx) => dueDeliveries(tx, registration, BATCH));
      if (due.length === 0) return;
      // Nobody hears of an event that a kill could still take back.
      await this.#world.durable();
      let recorded: Promise<unknown> = Promise.resolve();
      for (const { delivery, event } of due) {
        // A reset or restore in the meantime: nobody hears of an event of a world that is gone.
        if (this.#world.store !== store) break;
        // The url and secret are those registered when the attempt is made.
        const hook = this.#world.peek((tx) => findRegistration(tx, registration));
        if (this.#closed || !hook) return;
        const injection = await this.#injectFault(delivery, event);
        if (this.#world.store !== store) break;
        if (injection === 'delayed') continue;
        const attempts = await this.#attempt(hook, deliveredBody(event), injection);
        // The same while it was under way: what came of it belongs to a world that is gone.
        if (this.#world.store !== store) break;
        let released = false;
        const attempt = this.#world.enter((tx) =>
          tx.refusingFirst(() => {
            const current = findDelivery(tx, delivery.id);
            if (!current) return;
            const [first, ...repeats] = attempts;
            recordAttempt(tx, current, first, repeats);
            clearDelayedFault(tx, current);
            released = releaseReordered(tx, current);
          }),
        );
        recorded = Promise.all([recorded, attempt]);
        // Whether the disk took them is asked below, when the rest has been sent.
        recorded.catch(() => {});
        // What waited for it comes next, before the rest of what was read.
        if (released) break;
      }
      await recorded;
    }
  }

  /** Counts the fault that the attempt triggers, durably; writes nothing while there are no faults. */
  async #injectFault(
    delivery: Delivery,
    event: EventRow,
  ): Promise<DeliveryInjection | 'delayed' | undefined> {
    if (delivery.fault === null && !this.#world.peek(hasWebhookFaults)) return undefined;
    return this.#world.transact((tx) => injectFault(tx, delivery, event));
  }

  /** Sends, as often and in the manner that a fault injects. The first attempt is the one that counts. */
  async #attempt(
    { url, secret }: Registration,
    body: string,
    { result, sign, repeats = 0 }: DeliveryInjection = {},
  ): Promise<[Attempt, ...Attempt[]]> {
    const once = async (): Promise<Attempt> => {
      const at = this.#world.clock.now();
      if (result) return { at, url, ...result };
      const signature = sign?.(secret, body);
      return {
        at,
        url,
        ...(await this.#send({ url, secret, body, ...(signature && { signature }) })),
      };
    };
    const attempts: [Attempt, ...Attempt[]] = [await once()];
    while (attempts.length <= repeats) attempts.push(await once());
    return attempts;
  }
}
