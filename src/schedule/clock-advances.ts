import { conflict } from '../kernel/errors.ts';
import type { Tx } from '../store/transaction.ts';
import type { Clock } from '../world/clock.ts';
import { SAME_INPUT } from '../world/inputs.ts';
import type { World } from '../world/world.ts';
import { nextDueAt, type Upcoming, upcoming } from './upcoming.ts';

/** What an advance needs of the scheduler of its world. */
interface Scheduling {
  /** Resolves when no work is running or due. */
  idle(): Promise<void>;
  readonly isClosed: boolean;
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
   * Advances the clock to `to`, Unix ms. Work that falls due on the way runs in order, each at its own time, and is
   * finished when this resolves. Advances of a world run one after the other.
   * @throws validation_error if `to` has passed, conflict if the world is reset, restored or deleted meanwhile
   */
  to(to: number): Promise<void> {
    return this.#queueAdvance(() => this.#moveTo(() => to));
  }

  /** As `to`, by `ms` from the time at which this advance begins. */
  by(ms: number): Promise<void> {
    return this.#queueAdvance(() => this.#moveTo((from) => from + ms));
  }

  /** Advances to the next scheduled work. @returns that work; undefined if there is none */
  toNext(): Promise<Upcoming | undefined> {
    return this.#queueAdvance(async () => {
      const [next] = this.#world.read((tx) => upcoming(tx, { limit: 1 }));
      if (next) await this.#moveTo((from) => Math.max(next.at, from));
      return next;
    });
  }

  /**
   * Advances from one piece of scheduled work to the next until `isThere`. If that does not happen within `ms`, the clock
   * stays at the last work that fell due.
   * @returns whether `isThere`
   */
  until(isThere: (tx: Tx) => boolean, ms: number): Promise<boolean> {
    return this.#queueAdvance(() => this.#advance((from) => this.#walkDue(from + ms, isThere)));
  }

  #queueAdvance<T>(go: () => Promise<T>): Promise<T> {
    const advance = this.#last.then(async () => {
      this.#isRunning = true;
      try {
        const turn = this.#clockStep();
        if (turn) await turn;
        return await go();
      } finally {
        this.#isRunning = false;
      }
    });
    this.#last = advance.catch(() => {});
    return advance;
  }

  /** Marks that an advance begins, stops or ends. Call it before reading what an earlier `await` may have changed. */
  #clockStep(): Promise<unknown> | undefined {
    return this.#world.step({ label: 'clock' });
  }

  /** @param goal computes the end from the start: a running clock may be ahead at a second read */
  #moveTo(goal: (from: number) => number): Promise<void> {
    return this.#advance(async (from) => {
      const to = goal(from);
      this.#world.clock.assertReachable(to);
      await this.#walkDue(to, () => false);
      const turn = this.#clockStep();
      if (turn) await turn;
      await this.#stepTo(to);
      await this.#scheduling.idle();
    });
  }

  /** Holds the clock while `go` runs, except where `go` moves it. */
  async #advance<T>(go: (from: number) => Promise<T>): Promise<T> {
    const { clock } = this.#world;
    try {
      const from = clock.now();
      clock.hold(from);
      return await go(from);
    } finally {
      const turn = this.#clockStep();
      if (turn) await turn;
      clock.release();
    }
  }

  /** Advances from one piece of work to the next, not beyond `to`, until `isThere`. @returns whether `isThere` */
  async #walkDue(to: number, isThere: (tx: Tx) => boolean): Promise<boolean> {
    const { clock } = this.#world;
    for (;;) {
      await this.#scheduling.idle();
      const turn = this.#clockStep();
      if (turn) await turn;
      this.#assertNotLost(clock);
      if (this.#world.read(isThere)) return true;
      const due = this.#world.read((tx) => nextDueAt(tx));
      if (due === undefined || due > to) return false;
      await this.#stepTo(due);
    }
  }

  /** @throws conflict if the world was replaced or deleted */
  #assertNotLost(clock: Clock): void {
    if (!this.#scheduling.isClosed && this.#world.clock === clock) return;
    throw conflict(
      `world: ${this.#world.name} was reset, restored or deleted while its clock was moving`,
    );
  }

  /** Sets the clock and commits before work runs at that time. */
  async #stepTo(moment: number): Promise<void> {
    const { clock } = this.#world;
    await this.#world.transaction(SAME_INPUT, (tx) => {
      clock.set(moment, clock.frozen);
      clock.hold(moment);
      tx.wakeScheduler();
    });
  }
}
