import type { World } from '../world/world.ts';
import type { Attempts } from './attempts.ts';
import { DeliveryQueue, type Sending } from './delivery-queue.ts';
import { listRegistrations } from './registrations.ts';

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
