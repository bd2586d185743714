import { conflict } from '../kernel/errors.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { SECOND } from '../kernel/time.ts';
import { runScheduledMoves } from '../market/orders/magic-moves.ts';
import { earliestMove } from '../market/orders/scheduled-moves.ts';
import type { Tx } from '../store/transaction.ts';
import { Dispatcher } from '../webhooks/dispatcher.ts';
import type { Send } from '../webhooks/send.ts';
import type { Clock } from '../world/clock.ts';
import type { World } from '../world/world.ts';
import { nextDueAt, type Upcoming, upcoming } from './upcoming.ts';

/** After this long, real time, what the disk did not take is tried again. */
const RETRY_AFTER_MS = SECOND;

/**
 * Runs what falls due in one world: order moves and deliveries. It wakes after every commit that may have
 * made something due, and by a timer for what the running clock will reach.
 */
export class Scheduler {
  readonly #world: World;
  readonly #runtime: Runtime;
  readonly #dispatcher: Dispatcher;
  #cancelTimer: () => void = () => {};
  #moving: Promise<unknown> = Promise.resolve();
  #advances: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(world: World, send: Send, runtime: Runtime) {
    this.#world = world;
    this.#runtime = runtime;
    this.#dispatcher = new Dispatcher(world, send, () => this.#retryLater());
    world.onWork(() => this.wake());
  }

  /** Starts what is due and sets the timer for what comes next. */
  wake(): void {
    if (this.#closed) return;
    this.#cancelTimer();
    const due = this.#world.read((tx) => nextDueAt(tx));
    if (due === undefined) return;
    const { nowMs, frozen } = this.#world.clock.reading();
    if (due <= nowMs) {
      this.#runMoves();
      this.#dispatcher.pump();
    }
    if (frozen) return;
    // Pending work of the lanes wakes us when it is recorded; only the future needs a timer.
    const next = due > nowMs ? due : this.#world.read((tx) => nextDueAt(tx, nowMs));
    if (next === undefined) return;
    this.#cancelTimer = this.#runtime.after(next - nowMs, () => this.wake());
  }

  /**
   * Resolves when nothing is being done and nothing is due at the present sandbox time; rejects when the disk
   * does not take what is done.
   */
  async idle(): Promise<void> {
    for (;;) {
      await this.#world.committed();
      if (this.#closed) return;
      this.#runMoves();
      await this.#moving;
      await this.#dispatcher.idle();
      if (this.#closed) return;
      const due = this.#world.read((tx) => nextDueAt(tx));
      if (due === undefined || due > this.#world.clock.now()) return;
    }
  }

  /**
   * Moves the clock to `to` (Unix ms, not backward). What falls due on the way happens in order, each at
   * its own time, and is finished when this resolves. Journeys queue up.
   * @throws validation_error when `to` has passed, conflict when the world is reset, restored or deleted on the way
   */
  advanceTo(to: number): Promise<void> {
    return this.#queueAdvance(() => this.#moveTo(() => to));
  }

  /** As `advanceTo`, by `ms` from when its turn comes. */
  advanceBy(ms: number): Promise<void> {
    return this.#queueAdvance(() => this.#moveTo((from) => from + ms));
  }

  /** Travels to whatever falls due next. Returns what that was; undefined when there is nothing. */
  advanceToNext(): Promise<Upcoming | undefined> {
    return this.#queueAdvance(async () => {
      const [next] = this.#world.read((tx) => upcoming(tx, { limit: 1 }));
      if (next) await this.#moveTo((from) => Math.max(next.at, from));
      return next;
    });
  }

  /**
   * Travels from one due thing to the next until `isThere`, and stands at that moment; goes nowhere when it
   * is there already. Where it never comes, it stands at the last thing that fell due within `ms` from when
   * its turn came, which is as far as trying took it. Returns whether it came.
   */
  advanceUntil(isThere: (tx: Tx) => boolean, ms: number): Promise<boolean> {
    return this.#queueAdvance(() => this.#advance((from) => this.#walkDue(from + ms, isThere)));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelTimer();
    await Promise.allSettled([this.#moving, this.#dispatcher.close()]);
  }

  #queueAdvance<T>(go: () => Promise<T>): Promise<T> {
    const advance = this.#advances.then(go);
    this.#advances = advance.catch(() => {});
    return advance;
  }

  /** @param goal computes the end from the start: a running clock may be further at a second read */
  #moveTo(goal: (from: number) => number): Promise<void> {
    return this.#advance(async (from) => {
      const to = goal(from);
      this.#world.clock.assertReachable(to);
      await this.#walkDue(to, () => false);
      await this.#stepTo(to);
      await this.idle();
    });
  }

  /** The clock stands while `go` is under way, except where `go` moves it. */
  async #advance<T>(go: (from: number) => Promise<T>): Promise<T> {
    const { clock } = this.#world;
    try {
      const from = clock.now();
      clock.hold(from);
      return await go(from);
    } finally {
      clock.release();
    }
  }

  /** From one due thing to the next, none later than `to`, until `isThere`. Returns whether it is. */
  async #walkDue(to: number, isThere: (tx: Tx) => boolean): Promise<boolean> {
    const { clock } = this.#world;
    for (;;) {
      await this.idle();
      this.#assertNotLost(clock);
      if (this.#world.read(isThere)) return true;
      const due = this.#world.read((tx) => nextDueAt(tx));
      if (due === undefined || due > to) return false;
      await this.#stepTo(due);
    }
  }

  /** An advance ends when its world does. @throws conflict */
  #assertNotLost(clock: Clock): void {
    if (!this.#closed && this.#world.clock === clock) return;
    throw conflict(
      `world: ${this.#world.name} was reset, restored or deleted while its clock was moving`,
    );
  }

  /** Sets the clock to a moment and commits it before anything runs at that moment. */
  async #stepTo(moment: number): Promise<void> {
    const { clock } = this.#world;
    await this.#world.transaction((tx) => {
      clock.set(moment, clock.frozen);
      clock.hold(moment);
      tx.wakeScheduler();
    });
  }

  #runMoves(): void {
    const due = this.#world.read((tx) => earliestMove(tx));
    if (due === undefined || due > this.#world.clock.now()) return;
    const moving = this.#world.transaction((tx) => runScheduledMoves(tx));
    this.#moving = moving;
    moving.catch(() => {
      if (this.#moving === moving) this.#moving = Promise.resolve();
      this.#retryLater();
    });
  }

  /** The rows are as before, and nothing else may wake for them. */
  #retryLater(): void {
    if (this.#closed) return;
    this.#cancelTimer();
    this.#cancelTimer = this.#runtime.after(RETRY_AFTER_MS, () => this.wake());
  }
}
