import type { EventRow } from '../events/record-event.ts';
import { hasWebhookFaults } from '../faults/active-faults.ts';
import type { World } from '../world/world.ts';
import { clearDelayedFault, releaseReordered } from './delayed.ts';
import {
  type Attempt,
  type DeliveryRow,
  dueDeliveries,
  findDelivery,
  recordAttempt,
} from './deliveries.ts';
import { deliveredBody } from './event.ts';
import { type DeliveryInjection, injectFault } from './inject-fault.ts';
import { findRegistration, listRegistrations, type RegistrationRow } from './registrations.ts';
import type { Send } from './send.ts';

/** What came of a delivery, and of its repetition where a fault asks for one. */
type Attempts = [Attempt, ...Attempt[]];

/** How many due deliveries a lane reads at a time. */
const BATCH = 64;

/**
 * Sends what is due. Each partner and environment has a lane of its own, in which deliveries go one after
 * the other in the order of their events: a slow receiver delays nobody else, and two runs agree.
 */
export class Dispatcher {
  readonly #world: World;
  readonly #send: Send;
  readonly #onFailed: () => void;
  readonly #lanes = new Map<string, Promise<void>>();
  /** Attempts that were made, and whose outcome the disk did not take; they are not made again. */
  readonly #unrecorded = new WeakMap<object, Map<string, Attempts>>();
  #closed = false;

  /** @param onFailed called when outcomes could not be recorded; they are due until a later `pump` records them */
  constructor(world: World, send: Send, onFailed: () => void) {
    this.#world = world;
    this.#send = send;
    this.#onFailed = onFailed;
  }

  /** Opens a lane for everybody who is owed something and has none open. */
  pump(): void {
    if (this.#closed) return;
    for (const registration of this.#world.read(listRegistrations)) {
      const lane = `${registration.partnerId} ${registration.environment}`;
      if (this.#lanes.has(lane) || !this.#owes(registration)) continue;
      const run = this.#runLane(registration).then(
        () => {
          this.#lanes.delete(lane);
          this.pump();
        },
        (error: unknown) => {
          this.#lanes.delete(lane);
          this.#onFailed();
          throw error;
        },
      );
      run.catch(() => {});
      this.#lanes.set(lane, run);
    }
  }

  /** Resolves when nothing is being sent and nothing is due; rejects when the disk does not take an outcome. */
  async idle(): Promise<void> {
    this.pump();
    // What fails here may have met a disk that was full only before.
    await Promise.allSettled(this.#lanes.values());
    this.pump();
    while (this.#lanes.size > 0) await Promise.all(this.#lanes.values());
  }

  /** Sends nothing more; resolves when what is in flight has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled(this.#lanes.values());
  }

  #owes(registration: RegistrationRow): boolean {
    return this.#world.read((tx) => dueDeliveries(tx, registration, 1)).length > 0;
  }

  async #runLane(registration: RegistrationRow): Promise<void> {
    while (!this.#closed) {
      const { generation } = this.#world;
      const due = this.#world.read((tx) => dueDeliveries(tx, registration, BATCH));
      if (due.length === 0) return;
      // Nobody hears of an event that a kill could still take back.
      await this.#world.committed();
      const unrecorded = this.#unrecordedIn(generation);
      const recorded: Promise<void>[] = [];
      let failure: { error: unknown } | undefined;
      for (const { delivery, event } of due) {
        // A reset or restore in the meantime: nobody hears of an event of a world that is gone.
        if (this.#world.generation !== generation) break;
        // The url and secret are those registered when the attempt is made.
        const hook = this.#world.read((tx) => findRegistration(tx, registration));
        if (this.#closed || !hook) return;
        let attempts = unrecorded.get(delivery.id);
        if (!attempts) {
          const injection = await this.#injectFault(delivery, event);
          if (this.#world.generation !== generation) break;
          if (injection === 'delayed') continue;
          attempts = await this.#attempt(hook, deliveredBody(event), injection);
        }
        // The same while it was under way: what came of it belongs to a world that is gone.
        if (this.#world.generation !== generation) break;
        let released = false;
        const made = attempts;
        const attempt = this.#world.optimisticTransaction((tx) =>
          tx.optimistic(() => {
            const current = findDelivery(tx, delivery.id);
            if (!current) return;
            const [first, ...repeats] = made;
            recordAttempt(tx, current, first, repeats);
            clearDelayedFault(tx, current);
            released = releaseReordered(tx, current);
          }),
        );
        recorded.push(
          attempt.then(
            () => void unrecorded.delete(delivery.id),
            (error: unknown) => {
              unrecorded.set(delivery.id, made);
              failure ??= { error };
            },
          ),
        );
        // What waited for it comes next, before the rest of what was read.
        if (released || failure) break;
      }
      await Promise.all(recorded);
      if (failure) throw failure.error;
    }
  }

  #unrecordedIn(generation: object): Map<string, Attempts> {
    const known = this.#unrecorded.get(generation) ?? new Map<string, Attempts>();
    this.#unrecorded.set(generation, known);
    return known;
  }

  /** Counts the fault that the attempt triggers, durably; writes nothing while there are no faults. */
  async #injectFault(
    delivery: DeliveryRow,
    event: EventRow,
  ): Promise<DeliveryInjection | 'delayed' | undefined> {
    if (delivery.fault === null && !this.#world.read(hasWebhookFaults)) return undefined;
    return this.#world.transaction((tx) => injectFault(tx, delivery, event));
  }

  /** Sends, as often and in the manner that a fault injects. The first attempt is the one that counts. */
  async #attempt(
    { url, secret }: RegistrationRow,
    body: string,
    { result, sign, repeats = 0 }: DeliveryInjection = {},
  ): Promise<Attempts> {
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
    const attempts: Attempts = [await once()];
    while (attempts.length <= repeats) attempts.push(await once());
    return attempts;
  }
}
