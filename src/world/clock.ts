import { sql } from 'drizzle-orm';
import { validationError } from '../kernel/errors.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { isoTime } from '../kernel/time.ts';
import type { HasDb } from '../store/prepared.ts';
import { param, prepared } from '../store/prepared.ts';
import { world } from '../store/schema/world.ts';

/** The clock goes no further, so every time has four-digit years and months stay few. */
export const LAST_MOMENT = Date.UTC(2200, 0, 1);

export interface ClockReading {
  /** Sandbox time, Unix ms. */
  nowMs: number;
  /** Sandbox time less real time. */
  offsetMs: number;
  frozen: boolean;
}

const read = prepared((db) =>
  db.select({ offsetMs: world.clockOffsetMs, frozenAt: world.clockFrozenAt }).from(world).prepare(),
);
const write = prepared((db) =>
  db
    .update(world)
    .set({
      clockOffsetMs: sql`${param('offsetMs')}`,
      clockFrozenAt: sql`${param('frozenAt')}`,
    })
    .prepare(),
);

/** Sandbox time: real time + offset, or frozen. It never runs backward. */
export class Clock {
  readonly #on: HasDb;
  readonly #runtime: Runtime;
  #offsetMs = 0;
  #frozenAt: number | null = null;
  #latest = 0;
  #heldAt: number | undefined;

  constructor(on: HasDb, runtime: Runtime) {
    this.#on = on;
    this.#runtime = runtime;
    this.reload();
  }

  /** @param realNow the caller's reading of real time, if it has one: two readings may differ */
  now(realNow = this.#runtime.now()): number {
    if (this.#heldAt !== undefined) return this.#heldAt;
    if (this.#frozenAt !== null) return this.#frozenAt;
    // The machine's own clock may be set back; sandbox time waits until it has caught up.
    this.#latest = Math.max(this.#latest, realNow + this.#offsetMs);
    return this.#latest;
  }

  reading(): ClockReading {
    const realNow = this.#runtime.now();
    const nowMs = this.now(realNow);
    return { nowMs, offsetMs: nowMs - realNow, frozen: this.#frozenAt !== null };
  }

  /** Whether the clock of the machine was set back, so that sandbox time waits until it has caught up. */
  get waits(): boolean {
    return this.#frozenAt === null && this.#runtime.now() + this.#offsetMs < this.#latest;
  }

  get frozen(): boolean {
    return this.#frozenAt !== null;
  }

  /**
   * Puts the clock at `to` (Unix ms), frozen or running on from there. Inside a transaction.
   * @throws validation_error when that would be backward, or absurdly far
   */
  set(to: number, frozen: boolean): void {
    const realNow = this.#runtime.now();
    this.#assertReachable(to, this.now(realNow));
    this.#put(to, frozen, realNow);
  }

  /** Freezes the clock where it is, or lets it run on from there. Inside a transaction. */
  setFrozen(frozen: boolean): void {
    const realNow = this.#runtime.now();
    this.#put(this.now(realNow), frozen, realNow);
  }

  /** @throws validation_error when `to` (Unix ms) has passed, or is absurdly far */
  assertReachable(to: number): void {
    this.#assertReachable(to, this.now());
  }

  /**
   * Stays at `at` (Unix ms) until `release`, so that what falls due while the clock advances
   * through time happens at exactly its own time.
   */
  hold(at: number): void {
    this.#heldAt = at;
  }

  release(): void {
    this.#heldAt = undefined;
  }

  /** Takes the rows for truth again, after a lost commit. */
  reload(): void {
    const row = read(this.#on).get();
    this.#offsetMs = row?.offsetMs ?? 0;
    this.#frozenAt = row?.frozenAt ?? null;
    this.#latest = 0;
  }

  #put(to: number, frozen: boolean, realNow: number): void {
    this.#offsetMs = to - realNow;
    this.#frozenAt = frozen ? to : null;
    this.#latest = to;
    write(this.#on).run({ offsetMs: this.#offsetMs, frozenAt: this.#frozenAt });
  }

  #assertReachable(to: number, now: number): void {
    if (to > LAST_MOMENT) {
      throw validationError(`to: the sandbox clock goes no further than ${isoTime(LAST_MOMENT)}`);
    }
    if (to >= now) return;
    throw validationError(
      `to: the sandbox clock never runs backward and is at ${isoTime(now)}; a reset goes back`,
    );
  }
}
