import { notFound } from '../kernel/errors.ts';
import type { Runtime } from '../kernel/runtime.ts';
import type { FinishedAttempt } from '../webhooks/attempts.ts';
import type { Send } from '../webhooks/send.ts';
import type { World } from '../world/world.ts';
import { Scheduler } from './scheduler.ts';

/** The schedulers of all worlds. */
export class Schedulers {
  readonly #send: Send;
  readonly #runtime: Runtime;
  readonly #onAttempt: (world: World, attempt: FinishedAttempt) => void;
  readonly #works: () => boolean;
  readonly #of = new Map<World, Scheduler>();

  /**
   * @param onAttempt called with each attempt whose outcome is committed
   * @param works returns false in a replay: no work is done by itself
   */
  constructor(
    send: Send,
    runtime: Runtime,
    onAttempt: (world: World, attempt: FinishedAttempt) => void,
    works: () => boolean,
  ) {
    this.#send = send;
    this.#runtime = runtime;
    this.#onAttempt = onAttempt;
    this.#works = works;
  }

  /** Starts scheduling a world. Work that fell due while it was closed begins at once. */
  begin(world: World): void {
    const onAttempt = (attempt: FinishedAttempt) => this.#onAttempt(world, attempt);
    const works = this.#works;
    const scheduler = new Scheduler(world, { send: this.#send, onAttempt, works }, this.#runtime);
    this.#of.set(world, scheduler);
    scheduler.wake();
  }

  /** @throws not_found if the world is being deleted */
  of(world: World): Scheduler {
    const scheduler = this.#of.get(world);
    if (scheduler) return scheduler;
    throw notFound(`world: ${world.name} has been deleted`);
  }

  /** Stops scheduling a world; resolves when no work is running. */
  async end(world: World): Promise<void> {
    await this.#of.get(world)?.close();
    this.#of.delete(world);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#of.keys()].map((world) => this.end(world)));
  }
}
