import { notFound } from '../kernel/errors.ts';
import type { Runtime } from '../kernel/runtime.ts';
import type { Send } from '../webhooks/send.ts';
import type { World } from '../world/world.ts';
import { Scheduler } from './scheduler.ts';

/** One scheduler per open world. */
export class Schedulers {
  readonly #send: Send;
  readonly #runtime: Runtime;
  readonly #of = new Map<World, Scheduler>();

  constructor(send: Send, runtime: Runtime) {
    this.#send = send;
    this.#runtime = runtime;
  }

  /** Starts scheduling a world; what fell due while it was closed begins at once. */
  begin(world: World): void {
    const scheduler = new Scheduler(world, this.#send, this.#runtime);
    this.#of.set(world, scheduler);
    scheduler.wake();
  }

  /** @throws not_found for a world that is being deleted */
  of(world: World): Scheduler {
    const scheduler = this.#of.get(world);
    if (scheduler) return scheduler;
    throw notFound(`world: ${world.name} has been deleted`);
  }

  /** Resolves when nothing more is done for the world. */
  async end(world: World): Promise<void> {
    await this.#of.get(world)?.close();
    this.#of.delete(world);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#of.keys()].map((world) => this.end(world)));
  }
}
