import { validationError } from '../kernel/errors.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { isoTime } from '../kernel/time.ts';
import type { HasDb } from '../store/prepared.ts';
import { worldTable } from '../store/schema/world.ts';
import { updater } from '../store/table.ts';

/** The latest time of the clock: years have four digits, and the number of months stays small. */
export const LAST_MOMENT = Date.UTC(2200, 0, 1);

const writeClock = updater(worldTable, 'id', 'clockOffsetMs', 'clockFrozenAt', 'clockLatest');

const newest = Object.entries({
  at: ['order_timeline', 'case_timeline', 'clicks', 'delivery_attempts'],
  created_at: ['events', 'quotes', 'checkout_sessions', 'links', 'ledger'],
  period_start: ['settlement_periods'],
}).flatMap(([time, tables]) =>
  tables.map((table) => `ifnull((SELECT ${time} FROM ${table} ORDER BY id DESC LIMIT 1), 0)`),
);
/** Selects the latest sandbox time in a database: every order, move and sale has a row in one of these tables. */
const NEWEST_TIME = `SELECT max((SELECT ifnull(max(created_at), 0) FROM partners), ${newest})`;

/** Sandbox time: real time + offset, or frozen. It never runs backward. */
export class Clock {
  readonly #db: HasDb;
  readonly #runtime: Runtime;
  #offsetMs: number;
  #frozenAt: number | null;
  /** The last reading, Unix ms: no later one is lower. */
  #latest: number;
  /** The time that `hold` has set. */
  #heldAt: number | undefined;

  /** @param row of table `world` in `db` */
  constructor(db: HasDb, runtime: Runtime, row: typeof worldTable.$inferSelect) {
    this.#db = db;
    this.#runtime = runtime;
    this.#offsetMs = row.clockOffsetMs;
    this.#frozenAt = row.clockFrozenAt;
    this.#latest = row.clockLatest ?? 0;
  }

  /** @param realNow real time, if the caller has read it already: two readings may differ */
  now(realNow = this.#runtime.now()): number {
    if (this.#heldAt !== undefined) return this.#heldAt;
    if (this.#frozenAt !== null) return this.#frozenAt;
    // If the clock of the machine was set back, sandbox time goes on from its last value.
    this.#offsetMs = Math.max(this.#offsetMs, this.#latest - realNow);
    this.#latest = realNow + this.#offsetMs;
    return this.#latest;
  }

  /** Returns sandbox time, Unix ms, and how far it is ahead of real time. */
  reading() {
    const realNow = this.#runtime.now();
    const nowMs = this.now(realNow);
    return { nowMs, offsetMs: nowMs - realNow, frozen: this.#frozenAt !== null };
  }

  get frozen(): boolean {
    return this.#frozenAt !== null;
  }

  /** Sets the clock to a time that `assertReachable` accepts, Unix ms. Must be called in a transaction. */
  set(to: number, frozen = this.frozen, realNow = this.#runtime.now()): void {
    this.#offsetMs = to - realNow;
    this.#frozenAt = frozen ? to : null;
    this.#latest = to;
    this.save();
  }

  /** Freezes the clock, or lets it run. Must be called in a transaction. */
  setFrozen(frozen: boolean): void {
    const realNow = this.#runtime.now();
    this.set(this.now(realNow), frozen, realNow);
  }

  /** @throws validation_error if `to` (Unix ms) is in the past or after the latest time */
  assertReachable(to: number): void {
    const now = this.now();
    if (to > Math.max(LAST_MOMENT, now)) {
      throw validationError(`clock: goes no further than ${isoTime(LAST_MOMENT)}; advance it less`);
    }
    if (to >= now) return;
    throw validationError(
      `to: is before the sandbox clock (${isoTime(now)}), which never runs backward; to go back, reset the world or restore a snapshot`,
    );
  }

  /** Goes on from the latest time in the database, if the clock was not stored: after a kill, for example. */
  recover(): void {
    const stored = this.#db.db.$client.prepare(NEWEST_TIME).pluck().get();
    this.#latest = Math.max(this.#latest, Math.min(Number(stored), LAST_MOMENT));
  }

  /** Makes `now` return `at` (Unix ms) until `release`, also after a rollback: scheduled work runs at its own, past time. */
  hold(at: number): void {
    this.#heldAt = at;
  }

  release(): void {
    this.#heldAt = undefined;
  }

  /** Stores the clock, so that it continues from here even if the clock of the machine is set back before a restart. */
  save(): void {
    writeClock(this.#db, {
      id: 1,
      clockOffsetMs: this.#offsetMs,
      clockFrozenAt: this.#frozenAt,
      clockLatest: this.#latest,
    });
  }

  /** Returns a function that takes the clock back to its present state, for a transaction that is rolled back. */
  mark(): () => void {
    const [offsetMs, frozenAt, latest] = [this.#offsetMs, this.#frozenAt, this.#latest];
    return () => {
      this.#offsetMs = offsetMs;
      this.#frozenAt = frozenAt;
      this.#latest = latest;
    };
  }
}
