import { sql } from 'drizzle-orm';
import { validationError } from '../kernel/errors.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { isoTime } from '../kernel/time.ts';
import type { OnDatabase } from '../store/prepared.ts';
import { param, prepared } from '../store/prepared.ts';
import { world } from '../store/schema/world.ts';

/** Far enough for anybody, and near enough that every time keeps its form and every month its row. */
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

/** Sandbox time: real time + offset, or frozen (decisions, "The sandbox clock"). It never runs backward. */
export class Clock {
  readonly #on: OnDatabase;
  readonly #runtime: Runtime;
  #offsetMs = 0;
  #frozenAt: number | null = null;
  #latest = 0;
  #heldAt: number | undefined;

  constructor(on: OnDatabase, runtime: Runtime) {
    this.#on = on;
    this.#runtime = runtime;
    this.reload();
  }

  now(): number {
    if (this.#heldAt !== undefined) return this.#heldAt;
    if (this.#frozenAt !== null) return this.#frozenAt;
    // The machine's own clock may be set back; sandbox time waits until it has caught up.
    this.#latest = Math.max(this.#latest, this.#runtime.now() + this.#offsetMs);
    return this.#latest;
  }

  reading(): ClockReading {
    const nowMs = this.now();
    return { nowMs, offsetMs: nowMs - this.#runtime.now(), frozen: this.#frozenAt !== null };
  }

  get frozen(): boolean {
    return this.#frozenAt !== null;
  }

  /**
   * Puts the clock at `to` (Unix ms), frozen or running on from there. Inside a transaction.
   * @throws validation_error when that would be backward, or absurdly far
   */
  set(to: number, frozen: boolean): void {
    this.refuseUnreachable(to);
    this.#offsetMs = to - this.#runtime.now();
    this.#frozenAt = frozen ? to : null;
    this.#latest = to;
    write(this.#on).run({ offsetMs: this.#offsetMs, frozenAt: this.#frozenAt });
  }

  /** @throws validation_error when `to` (Unix ms) has passed, or is absurdly far */
  refuseUnreachable(to: number): void {
    if (to > LAST_MOMENT) {
      throw validationError(`to: the sandbox clock goes no further than ${isoTime(LAST_MOMENT)}`);
    }
    if (to >= this.now()) return;
    throw validationError(
      `to: the sandbox clock never runs backward and is at ${isoTime(this.now())}; a reset goes back`,
    );
  }

  /**
   * Stands at `at` (Unix ms) until `release`, whatever the rows say: so that what falls due on a journey
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
}
