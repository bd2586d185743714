import { conflict } from '../kernel/errors.ts';
import type { Tx } from '../store/transaction.ts';
import type { Clock } from '../world/clock.ts';
import type { RunningRequest } from '../world/run.ts';
import type { World } from '../world/world.ts';

/** The part of the scheduler that an advance uses. */
interface WorkScheduler {
  /** Resolves when no work is running or due. */
  idle(): Promise<void>;
  readonly isClosed: boolean;
  /** When the first work is due, Unix ms of sandbox time. */
  nextDueAt(): number | undefined;
}

/** The goal of an advance. */
interface Goal {
  /** Sandbox time, Unix ms. */
  to: number;
}

/** Moves the clock of a world forward, one advance after the other. */
export class ClockAdvances {
  readonly #world: World;
  readonly #scheduler: WorkScheduler;
  #last: Promise<unknown> = Promise.resolve();

  constructor(world: World, scheduler: WorkScheduler) {
    this.#world = world;
    this.#scheduler = scheduler;
  }

  /**
   * Advances the clock. Work that falls due on the way runs in order, each at its own time, and is finished when this
   * resolves. Advances of a world run one after the other.
   * @param begin returns the goal; it runs when the advance begins, and what it throws rejects the advance
   * @param end runs at the goal, in the act that releases the clock
   * @throws validation_error if the goal has passed, conflict if the world is reset, restored or deleted meanwhile
   */
  advance<G extends Goal, T>(
    request: RunningRequest | undefined,
    begin: (tx: Tx) => G,
    end: (tx: Tx, goal: G) => T,
  ): Promise<T> {
    const advance = this.#last.then(() => this.#advance(request, begin, end));
    this.#last = advance.catch(() => {});
    return advance;
  }

  /** Sets the held clock to a time. Commits before work runs at that time. */
  async stepTo(to: number): Promise<void> {
    await this.#world.transaction((tx) => {
      const { clock } = this.#world;
      clock.set(to, clock.frozen);
      clock.hold(to);
      tx.wakeScheduler();
    });
  }

  async #advance<G extends Goal, T>(
    request: RunningRequest | undefined,
    begin: (tx: Tx) => G,
    end: (tx: Tx, goal: G) => T,
  ): Promise<T> {
    const world = this.#world;
    const { clock } = world;
    // Held before `begin` reads it: a running clock could be ahead at a second reading.
    clock.hold(world.run(request)?.now ?? clock.now());
    let goal: G;
    try {
      goal = world.read(begin);
      clock.assertReachable(goal.to);
    } catch (error) {
      clock.release();
      throw error;
    }
    let failure: { error: unknown } | undefined;
    try {
      await this.#moveTo(clock, goal);
    } catch (error) {
      failure = { error };
    }
    world.run(request);
    clock.release();
    this.#assertNotReplaced(clock);
    if (failure) throw failure.error;
    return world.read((tx) => end(tx, goal));
  }

  /** Steps the held clock from one piece of due work to the next, up to the goal. */
  async #moveTo(clock: Clock, { to }: Goal): Promise<void> {
    for (;;) {
      await this.#scheduler.idle();
      this.#assertNotReplaced(clock);
      const dueAt = this.#scheduler.nextDueAt();
      if (dueAt === undefined || dueAt > to) break;
      await this.stepTo(dueAt);
    }
    await this.stepTo(to);
    await this.#scheduler.idle();
  }

  /** @throws conflict if the world was replaced or deleted */
  #assertNotReplaced(clock: Clock): void {
    if (!this.#scheduler.isClosed && this.#world.clock === clock) return;
    throw conflict(
      `world: ${this.#world.name} was reset, restored or deleted while its clock was moving`,
    );
  }
}
