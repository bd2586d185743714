import { conflict, notFound } from '../kernel/errors.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { MINUTE, SECOND } from '../kernel/time.ts';
import { earliestMoveAt, runScheduledMoves } from '../market/orders/move-order.ts';
import type { Tx } from '../store/transaction.ts';
import { earliestAttemptAt } from '../webhooks/deliveries.ts';
import { Dispatcher, type FinishedAttempt } from '../webhooks/dispatcher.ts';
import type { Send } from '../webhooks/send.ts';
import type { Clock } from '../world/clock.ts';
import type { RunningRequest } from '../world/run.ts';
import type { World } from '../world/world.ts';

interface SchedulerOptions {
  send: Send;
  runtime: Runtime;
  /** Called with each attempt whose outcome is committed. */
  onAttempt(world: World, attempt: FinishedAttempt): void;
  /** Whether webhooks are sent. */
  sendsWebhooks: boolean;
}

/** The goal of an advance. */
interface Goal {
  /** Sandbox time, Unix ms. With `until`, only a limit: the clock stays at the last work up to it. */
  to: number;
  /** Ends the advance when it returns true. Called after the work of each moment, the present one first. */
  until?: (tx: Tx) => boolean;
}

/**
 * Runs the scheduled work of a world: order moves and deliveries. It wakes after every commit that may have made work
 * due, and by a timer for what the running clock will reach.
 */
export class Scheduler {
  readonly #world: World;
  readonly #options: SchedulerOptions;
  readonly #dispatcher: Dispatcher;
  #cancelTimer: () => void = () => {};
  #lastAdvance: Promise<unknown> = Promise.resolve();
  #closed = false;
  /** No move is due before `until` (sandbox time), as long as the world has this version of its work. */
  #noMoveDue = { workVersion: -1, until: 0 };

  constructor(world: World, options: SchedulerOptions) {
    this.#world = world;
    this.#options = options;
    this.#dispatcher = new Dispatcher(world, {
      send: options.send,
      onAttempt: (attempt) => options.onAttempt(world, attempt),
      onFailure: () => this.#wakeAfter(),
    });
    // A closed dispatcher sends nothing.
    if (!options.sendsWebhooks) void this.#dispatcher.close();
  }

  /** Starts the work that is due and sets the timer for the next. */
  wake(): void {
    if (this.#closed) return;
    this.#cancelTimer();
    try {
      this.runMoves();
      this.#dispatcher.start();
      const { nowMs, frozen } = this.#world.clock.reading();
      if (frozen) return;
      // The delivery queues wake us when an outcome is recorded; only future work needs a timer.
      const next = this.#nextDueAt(nowMs);
      // Real time may jump ahead of the timers, as on a machine that slept.
      if (next < Infinity) this.#wakeAfter(Math.min(next - nowMs, MINUTE));
    } catch {
      // The disk rejects a write, or a row cannot be read. The next request or `idle` throws it again.
      this.#wakeAfter();
    }
  }

  /** @param ms real time; by default, how soon to try again what has failed */
  #wakeAfter(ms: number = SECOND): void {
    this.#cancelTimer();
    if (!this.#closed) this.#cancelTimer = this.#options.runtime.after(ms, () => this.wake());
  }

  /** Resolves when no work is running or due now (sandbox time), or on `close`. Rejects if the disk rejects a write. */
  async idle(): Promise<void> {
    while (!this.#closed) {
      this.runMoves();
      await this.#dispatcher.idle();
      if (this.#closed || this.#nextDueAt() > this.#world.clock.now()) return;
    }
  }

  /** Whether nothing is being delivered. */
  get isIdle(): boolean {
    return !this.#dispatcher.isRunning;
  }

  /** Returns when the first work after `after` is due, Unix ms of sandbox time or Infinity. Expiries are not work. */
  #nextDueAt(after?: number): number {
    return this.#world.read((tx) => {
      const attemptAt = this.#options.sendsWebhooks ? earliestAttemptAt(tx, after) : undefined;
      return Math.min(attemptAt ?? Infinity, earliestMoveAt(tx, after) ?? Infinity);
    });
  }

  /**
   * Advances the clock. Work that falls due on the way runs in order, each at its own time, and is finished when this
   * resolves. Advances of a world run one after the other.
   * @param request the request that advances it, whose runs are recorded
   * @param begin returns the goal; it runs when the advance begins, and what it throws rejects the advance
   * @returns the goal
   * @throws validation_error for a time that the clock cannot reach, conflict if the world is replaced or deleted
   */
  advance<G extends Goal>(request: RunningRequest | undefined, begin: (tx: Tx) => G): Promise<G> {
    const advance = this.#lastAdvance.then(() => this.#advance(request, begin));
    this.#lastAdvance = advance.catch(() => {});
    return advance;
  }

  async #advance<G extends Goal>(
    request: RunningRequest | undefined,
    begin: (tx: Tx) => G,
  ): Promise<G> {
    const { clock } = this.#world;
    // Held before `begin` reads it: a running clock could be ahead at a second reading.
    clock.hold(this.#world.recordRun(request)?.now ?? clock.now());
    try {
      const goal = this.#world.read(begin);
      if (!goal.until) clock.assertReachable(goal.to);
      try {
        await this.#moveTo(clock, goal);
      } finally {
        // A second run: what the request reads now comes after the moves.
        this.#world.recordRun(request);
      }
      this.#assertNotReplaced(clock);
      return goal;
    } finally {
      clock.release();
      // While it was held, the timer was set as if no time passed.
      this.wake();
    }
  }

  /** Steps the held clock from one piece of due work to the next, up to the goal. */
  async #moveTo(clock: Clock, { to, until }: Goal): Promise<void> {
    for (;;) {
      await this.idle();
      this.#assertNotReplaced(clock);
      if (until && this.#world.read(until)) return;
      const dueAt = this.#nextDueAt();
      if (dueAt > to) break;
      this.#stepTo(dueAt);
    }
    if (until) return;
    this.#stepTo(to);
    await this.idle();
  }

  /** Sets the held clock to a time. Commits before work runs at that time. */
  #stepTo(to: number): void {
    const { clock } = this.#world;
    this.#world.transaction((tx) => {
      clock.set(to);
      clock.hold(to);
      // The timer was set for the former time.
      tx.wakeScheduler();
    });
  }

  /** @throws conflict if the world was replaced or deleted */
  #assertNotReplaced(clock: Clock): void {
    if (!this.#closed && this.#world.clock === clock) return;
    throw conflict(
      `world: ${this.#world.name} was reset, restored, deleted or closed while its clock was moving`,
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelTimer();
    await this.#dispatcher.close();
  }

  /** Runs the order moves that are due, each at its time. @throws if the disk rejects a write */
  runMoves(): void {
    for (let dueAt = this.#dueMoveAt(); dueAt !== undefined; dueAt = this.#dueMoveAt()) {
      this.#world.transaction(runScheduledMoves, undefined, dueAt);
    }
  }

  /** Returns when the first due move is due, Unix ms of sandbox time; undefined if none is due. */
  #dueMoveAt(): number | undefined {
    const { workVersion, clock } = this.#world;
    const now = clock.now();
    if (this.#noMoveDue.workVersion === workVersion && now < this.#noMoveDue.until)
      return undefined;
    const dueAt = this.#world.read((tx) => earliestMoveAt(tx));
    if (dueAt !== undefined && dueAt <= now) return dueAt;
    this.#noMoveDue = { workVersion, until: dueAt ?? Number.POSITIVE_INFINITY };
    return undefined;
  }
}

/** The schedulers of all worlds. */
export class Schedulers {
  readonly #options: SchedulerOptions;
  readonly #schedulers = new Map<World, Scheduler>();

  constructor(options: SchedulerOptions) {
    this.#options = options;
  }

  /** Adds a scheduler to a world. It does nothing before its first `wake`. */
  add(world: World): Scheduler {
    const scheduler = new Scheduler(world, this.#options);
    this.#schedulers.set(world, scheduler);
    return scheduler;
  }

  /** @throws not_found if the world is being deleted */
  of(world: World): Scheduler {
    const scheduler = this.#schedulers.get(world);
    if (scheduler) return scheduler;
    throw notFound(`world: ${world.name} has been deleted`);
  }

  /** Stops scheduling a world; resolves when no work is running. */
  async end(world: World): Promise<void> {
    await this.#schedulers.get(world)?.close();
    this.#schedulers.delete(world);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#schedulers.keys()].map((world) => this.end(world)));
  }
}
