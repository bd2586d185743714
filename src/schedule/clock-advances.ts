import { conflict } from '../kernel/errors.ts';
import type { Tx } from '../store/transaction.ts';
import type { Cause } from '../world/acts.ts';
import type { Clock } from '../world/clock.ts';
import type { World } from '../world/world.ts';

/** What an advance needs of the scheduler of its world. */
interface Scheduling {
  /** Resolves when no work is running or due. */
  idle(): Promise<void>;
  readonly isClosed: boolean;
  /** Whether it does scheduled work. */
  readonly works: boolean;
  /** When the first work is due, Unix ms of sandbox time. */
  nextDueAt(): number | undefined;
}

/** Where an advance goes. */
export interface Goal {
  /** Sandbox time, Unix ms. */
  to: number;
  /** Ends the advance earlier, at the scheduled work after which it is true; the clock does not go on to `to`. */
  until?: (tx: Tx) => boolean;
}

/** Moves the clock of a world forward, one advance after the other. */
export class ClockAdvances {
  readonly #world: World;
  readonly #scheduling: Scheduling;
  #last: Promise<unknown> = Promise.resolve();
  #isRunning = false;

  constructor(world: World, scheduling: Scheduling) {
    this.#world = world;
    this.#scheduling = scheduling;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /**
   * Advances the clock. Work that falls due on the way runs in order, each at its own time, and is finished when this
   * resolves. Advances of a world run one after the other.
   * @param begin returns the goal; it runs when the advance begins, and what it throws rejects the advance
   * @param end runs when the clock is there, in the act that lets it run again
   * @throws validation_error if the goal has passed, conflict if the world is reset, restored or deleted meanwhile
   */
  advance<G extends Goal, T>(
    cause: Cause,
    begin: (tx: Tx) => G,
    end: (tx: Tx, goal: G) => T,
  ): Promise<T> {
    const advance = this.#last.then(async () => {
      this.#isRunning = true;
      try {
        return await this.#advance(cause, begin, end);
      } finally {
        this.#isRunning = false;
      }
    });
    this.#last = advance.catch(() => {});
    return advance;
  }

  /** Sets the clock, which is held, to a time, and commits before work runs at that time. */
  async stepTo(to: number): Promise<void> {
    await this.#world.act({ type: 'clock.to', params: { to } }, (tx) => {
      const { clock } = this.#world;
      clock.set(to, clock.frozen);
      clock.hold(to);
      tx.wakeScheduler();
    });
  }

  async #advance<G extends Goal, T>(
    cause: Cause,
    begin: (tx: Tx) => G,
    end: (tx: Tx, goal: G) => T,
  ): Promise<T> {
    const world = this.#world;
    const { clock, goal } = await world.actOutside(cause, () =>
      world.read((tx) => {
        const { clock } = world;
        // Held first: a running clock may be ahead at a second reading.
        clock.hold(tx.now);
        try {
          const goal = begin(tx);
          if (!goal.until) clock.assertReachable(goal.to);
          return { clock, goal };
        } catch (error) {
          clock.release();
          throw error;
        }
      }),
    );
    let failure: { error: unknown } | undefined;
    try {
      if (this.#scheduling.works) await this.#walk(clock, goal);
    } catch (error) {
      failure = { error };
    }
    return world.actOutside(cause, () => {
      clock.release();
      this.#assertNotLost(clock);
      if (failure) throw failure.error;
      return world.read((tx) => end(tx, goal));
    });
  }

  /** Holds the clock, except where it moves from one piece of work to the next. */
  async #walk(clock: Clock, { to, until }: Goal): Promise<void> {
    for (;;) {
      await this.#scheduling.idle();
      this.#assertNotLost(clock);
      if (until && this.#world.read(until)) return;
      const due = this.#scheduling.nextDueAt();
      if (due === undefined || due > to) break;
      await this.stepTo(due);
    }
    if (until) return;
    await this.stepTo(to);
    await this.#scheduling.idle();
  }

  /** @throws conflict if the world was replaced or deleted */
  #assertNotLost(clock: Clock): void {
    if (!this.#scheduling.isClosed && this.#world.clock === clock) return;
    throw conflict(
      `world: ${this.#world.name} was reset, restored or deleted while its clock was moving`,
    );
  }
}
