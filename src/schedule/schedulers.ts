import { conflict, notFound } from '../kernel/errors.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { SECOND } from '../kernel/time.ts';
import { runScheduledMoves } from '../market/orders/magic-moves.ts';
import { earliestMove } from '../market/orders/scheduled-moves.ts';
import { findSettlingPeriod } from '../market/settlements/periods.ts';
import { type SettledOrder, settleNext } from '../market/settlements/run-settlement.ts';
import type { Tx } from '../store/transaction.ts';
import type { OnAttempt, Sending } from '../webhooks/delivery-queue.ts';
import { Dispatcher } from '../webhooks/dispatcher.ts';
import type { Send } from '../webhooks/send.ts';
import type { Clock } from '../world/clock.ts';
import { SAME_INPUT } from '../world/inputs.ts';
import type { World } from '../world/world.ts';
import { nextDueAt, type Upcoming, upcoming } from './upcoming.ts';

/** The schedulers of all worlds. */
export class Schedulers {
  readonly #send: Send;
  readonly #runtime: Runtime;
  readonly #onAttempt: (world: World, ...attempt: Parameters<OnAttempt>) => void;
  readonly #of = new Map<World, Scheduler>();

  /** @param onAttempt called with each attempt whose outcome is committed */
  constructor(
    send: Send,
    runtime: Runtime,
    onAttempt: (world: World, ...attempt: Parameters<OnAttempt>) => void,
  ) {
    this.#send = send;
    this.#runtime = runtime;
    this.#onAttempt = onAttempt;
  }

  /** Starts scheduling a world. Work that fell due while it was closed begins at once. */
  begin(world: World): void {
    const onAttempt: OnAttempt = (owner, attempt) => this.#onAttempt(world, owner, attempt);
    const scheduler = new Scheduler(world, { send: this.#send, onAttempt }, this.#runtime);
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

/** Delay before work that the disk rejected is tried again, in real time. */
const RETRY_AFTER_MS = SECOND;

/**
 * Runs the scheduled work of a world: order moves and deliveries. It wakes after every commit that may have made work
 * due, and by a timer for what the running clock will reach.
 */
export class Scheduler {
  readonly #world: World;
  readonly #runtime: Runtime;
  readonly #dispatcher: Dispatcher;
  #cancelTimer: () => void = () => {};
  #moving: Promise<unknown> = Promise.resolve();
  /** Runs of moves that are not committed, and advances that are not finished. */
  #running = 0;
  /** Whether a run of moves waits for its turn in a replay. */
  #movesWait = false;
  #settling: Promise<SettledOrder[]> | undefined;
  /** The database that was checked for an unfinished settlement run. */
  #checked: object | undefined;
  #advances: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(world: World, sending: Sending, runtime: Runtime) {
    this.#world = world;
    this.#runtime = runtime;
    this.#dispatcher = new Dispatcher(world, sending, runtime, () => this.#retryLater());
    world.onWork(() => this.wake());
    world.busyWhile(
      () => this.#running > 0 || this.#settling !== undefined || this.#dispatcher.isRunning,
    );
  }

  /** Starts the work that is due and sets the timer for the next. */
  wake(): void {
    if (this.#closed) return;
    this.#cancelTimer();
    this.#resumeSettlement();
    const due = this.#world.read((tx) => nextDueAt(tx));
    if (due === undefined) return;
    const { nowMs, frozen } = this.#world.clock.reading();
    if (due <= nowMs) {
      this.#runMoves();
      this.#dispatcher.start();
    }
    if (frozen) return;
    // The delivery queues wake us when an outcome is recorded; only future work needs a timer.
    const next = due > nowMs ? due : this.#world.read((tx) => nextDueAt(tx, nowMs));
    if (next === undefined) return;
    this.#cancelTimer = this.#runtime.after(next - nowMs, () => this.wake());
  }

  /** Resolves when no work is running or due at the current sandbox time; rejects if the disk rejects a write. */
  async idle(): Promise<void> {
    for (;;) {
      await this.#world.committed();
      if (this.#closed) return;
      this.#runMoves();
      await this.#moving;
      await this.#settling;
      await this.#dispatcher.idle();
      if (this.#closed) return;
      const due = this.#world.read((tx) => nextDueAt(tx));
      if (due === undefined || due > this.#world.clock.now()) return;
    }
  }

  /**
   * Settles the orders of closed periods, a few per transaction.
   * @returns the orders that were settled since this began, also those of a run that it continues
   */
  settle(): Promise<SettledOrder[]> {
    this.#settling ??= this.#settleAll().finally(() => {
      this.#settling = undefined;
    });
    return this.#settling;
  }

  async #settleAll(): Promise<SettledOrder[]> {
    const settled: SettledOrder[] = [];
    for (let unfinished = true; unfinished && !this.#closed; ) {
      const turn = this.#world.step({ label: 'settle' });
      if (turn) await turn;
      const next = await this.#world.transaction(SAME_INPUT, (tx) => settleNext(tx));
      for (const order of next.settled) settled.push(order);
      unfinished = next.unfinished;
    }
    return settled;
  }

  /** Continues a settlement run that a restart, or the save of a restored snapshot, has interrupted. */
  #resumeSettlement(): void {
    const { generation } = this.#world;
    if (this.#checked === generation) return;
    this.#checked = generation;
    if (!this.#world.read(findSettlingPeriod)) return;
    this.settle().catch(() => {
      this.#checked = undefined;
      this.#retryLater();
    });
  }

  /**
   * Advances the clock to `to`, Unix ms. Work that falls due on the way runs in order, each at its own time, and is
   * finished when this resolves. Advances of a world run one after the other.
   * @throws validation_error if `to` has passed, conflict if the world is reset, restored or deleted meanwhile
   */
  advanceTo(to: number): Promise<void> {
    return this.#queueAdvance(() => this.#moveTo(() => to));
  }

  /** As `advanceTo`, by `ms` from the time at which this advance begins. */
  advanceBy(ms: number): Promise<void> {
    return this.#queueAdvance(() => this.#moveTo((from) => from + ms));
  }

  /** Advances to the next scheduled work. @returns that work; undefined if there is none */
  advanceToNext(): Promise<Upcoming | undefined> {
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
  advanceUntil(isThere: (tx: Tx) => boolean, ms: number): Promise<boolean> {
    return this.#queueAdvance(() => this.#advance((from) => this.#walkDue(from + ms, isThere)));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelTimer();
    await Promise.allSettled([this.#moving, this.#settling, this.#dispatcher.close()]);
  }

  #queueAdvance<T>(go: () => Promise<T>): Promise<T> {
    const advance = this.#advances.then(async () => {
      this.#running += 1;
      try {
        const turn = this.#clockStep();
        if (turn) await turn;
        return await go();
      } finally {
        this.#running -= 1;
      }
    });
    this.#advances = advance.catch(() => {});
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
      await this.idle();
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
      await this.idle();
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
    if (!this.#closed && this.#world.clock === clock) return;
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

  #runMoves(): void {
    if (this.#movesWait) return;
    const due = this.#world.read((tx) => earliestMove(tx));
    if (due === undefined || due > this.#world.clock.now()) return;
    const moving = this.#move();
    this.#moving = moving;
    moving.catch(() => {
      if (this.#moving === moving) this.#moving = Promise.resolve();
      this.#retryLater();
    });
  }

  async #move(): Promise<void> {
    const turn = this.#world.step({ label: 'moves' });
    if (turn) {
      this.#movesWait = true;
      const taken = await turn;
      this.#movesWait = false;
      if (taken === undefined) return;
    }
    this.#running += 1;
    try {
      await this.#world.transaction(SAME_INPUT, (tx) => runScheduledMoves(tx));
    } finally {
      this.#running -= 1;
    }
  }

  /** After a rollback, nothing else may wake the scheduler for the work. */
  #retryLater(): void {
    if (this.#closed) return;
    this.#cancelTimer();
    this.#cancelTimer = this.#runtime.after(RETRY_AFTER_MS, () => this.wake());
  }
}
