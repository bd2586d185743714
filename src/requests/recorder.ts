import type { Runtime } from '../kernel/runtime.ts';
import { serializeStore } from '../store/open.ts';
import {
  type ActFollower,
  type ActStamp,
  type Cause,
  type RequestCause,
  UNRECORDED,
} from '../world/acts.ts';
import type { World } from '../world/world.ts';
import type { LogEntryBuilder } from './entry-builder.ts';
import { type Base, OpenRecording, type RecordedSettings, type SeedBase } from './recording.ts';
import type { QueueRecord } from './write-queue.ts';

/** A recording ends at the first idle moment after this many requests, and at the latest after twice as many. */
export const RECORDED_REQUESTS = 5_000;

export interface RecorderOptions {
  runtime: Runtime;
  /** Largest base, in bytes. */
  maxBase: number;
  settings(): RecordedSettings;
  push(record: QueueRecord): void;
  /** Whether the log has stored most of what came before. */
  hasRoom(): boolean;
  /** Called with a recording before its first input. */
  begin(recording: OpenRecording): void;
}

export interface RecordingStatus {
  /** Real time at which the recording began, Unix ms; null if there is none at the moment. */
  since: number | null;
  requests: number;
  /** Why nothing is recorded at the moment. */
  reason: string | null;
}

/** Numbers the acts of a world and passes them on to its log. */
export class Recorder implements ActFollower {
  /** Of the last act. */
  #number = 0;
  readonly #world: World;
  readonly #options: RecorderOptions;
  #current: OpenRecording | undefined;
  /** Requests that have used the world and have no response yet. */
  readonly #active = new Set<LogEntryBuilder>();
  #lastAt = 0;
  /** The last number when a COMMIT succeeded. */
  #committed = 0;
  /** Whether the current recording is in the log. */
  #isWritten = false;
  #waitsFor: string | null = null;
  /** Snapshots that were not taken at one moment. */
  readonly #changed = new Set<string>();
  /** The world state that is too large to keep. */
  #tooLarge: object | undefined;

  constructor(world: World, options: RecorderOptions) {
    this.#world = world;
    this.#options = options;
  }

  get status(): RecordingStatus {
    const current = this.#current;
    return {
      since: current?.began ?? null,
      requests: current?.requests ?? 0,
      reason: current ? null : this.#waitsFor,
    };
  }

  get current(): OpenRecording | undefined {
    return this.#current;
  }

  /** Begins the recording of a new world. */
  beginAtBirth(base: SeedBase): void {
    this.#beginWith(base, base.createdAt);
  }

  setUp(): void {
    const base = this.#current?.base;
    if (base?.kind !== 'seed' || this.#number > 0) return;
    // What is set up later than the world is not part of its seed.
    if (base.createdAt !== this.#options.runtime.now()) this.#current = undefined;
  }

  begin(cause: Cause): void {
    if (cause === UNRECORDED) return;
    if ('acts' in cause) {
      const entry = cause as LogEntryBuilder;
      if (!this.#use(entry)) return;
      const given = entry.given === undefined ? undefined : { given: entry.given };
      entry.given = undefined;
      entry.acts.push({ ...this.#stamp(), ...given });
      return;
    }
    this.#tick();
    const recording = this.#current;
    if (!recording) return;
    this.#writeDown(recording);
    const { n, ...stamp } = this.#stamp();
    this.#options.push({ recording, n, text: JSON.stringify({ ...stamp, ...cause }) });
  }

  read(request: RequestCause): void {
    const entry = request as LogEntryBuilder;
    if (entry.readAfter || !this.#use(entry)) return;
    entry.readAfter = { n: this.#number, at: this.#lastAt };
  }

  /** Makes a request part of the recording, if it is not. @returns whether it is part of it */
  #use(entry: LogEntryBuilder): boolean {
    const now = this.#tick();
    if (!entry.isRecorded) return false;
    if (!this.#active.has(entry)) {
      this.#active.add(entry);
      const current = this.#current ?? this.#begin(now);
      if (!current) {
        entry.isRecorded = false;
        return false;
      }
      this.#writeDown(current);
      current.requests += 1;
      entry.recording = current;
      if (current.requests >= 2 * RECORDED_REQUESTS) this.end('it has 10,000 requests');
    }
    return entry.recording === this.#current;
  }

  /** The first use writes the recording down: a sandbox that is not used writes nothing. */
  #writeDown(recording: OpenRecording): void {
    if (this.#isWritten) return;
    this.#isWritten = true;
    recording.freezeSettings();
    this.#options.begin(recording);
  }

  #stamp(): ActStamp {
    this.#number += 1;
    const counters = this.#world.takeCounters(this.#number === 1);
    return {
      n: this.#number,
      at: this.#lastAt,
      now: this.#world.clock.now(this.#lastAt),
      ...(counters && { counters }),
    };
  }

  finish(request: RequestCause): void {
    const entry = request as LogEntryBuilder;
    this.read(entry);
    this.#active.delete(entry);
    entry.isLate = entry.recording !== this.#current;
    if (this.#current && !entry.isLate && entry.acts.length === 0) this.#current.reads += 1;
    const { requests = 0 } = this.#current ?? {};
    if (requests >= RECORDED_REQUESTS && this.#isIdle) this.end('it has 5,000 requests');
  }

  committed(): void {
    this.#committed = this.#number;
  }

  commitFailed(): void {
    this.end('a write failed', this.#committed);
  }

  snapshot(name: string, act: 'saved' | 'changed' | 'used'): void {
    const snapshots = this.#current?.snapshots;
    if (act === 'saved') snapshots?.add(name);
    else if (act === 'changed') snapshots?.delete(name);
    else if (snapshots?.has(name) === false) {
      const why = this.#changed.has(name)
        ? 'holds a large world, which may have changed while it was saved'
        : 'was saved before the recording';
      this.unrecordable(`snapshot ${name} ${why}`);
    }
    if (act === 'changed') this.#changed.add(name);
    else if (act === 'saved') this.#changed.delete(name);
  }

  unrecordable(reason: string, n = this.#number + 1): void {
    this.end(reason, n - 1);
  }

  /**
   * Ends the recording. The next one begins with a request that finds the world idle.
   * @param last the last number that belongs to it
   */
  end(reason: string, last = this.#number): void {
    const recording = this.#current;
    if (!recording) return;
    this.#current = undefined;
    if (this.#isWritten)
      this.#options.push({ recording, ended: { reason, last: Math.max(last, 0) } });
  }

  /** Ends the recording because records of it are lost. */
  lose(recording: OpenRecording): void {
    if (recording === this.#current) this.end('the requests came faster than they were stored');
  }

  get #isIdle(): boolean {
    return this.#active.size === 0 && !this.#world.isBusy;
  }

  /** Returns real time; ends the recording if the clock of the machine was set back, which sandbox time does not follow. */
  #tick(): number {
    const now = this.#options.runtime.now();
    if (now < this.#lastAt) this.end('the clock of the machine was set back');
    this.#lastAt = now;
    return now;
  }

  #begin(now: number): OpenRecording | undefined {
    const { maxBase } = this.#options;
    const world = this.#world;
    if (world.isClosed || this.#active.size > 1 || world.isBusy || world.clock.waits)
      return undefined;
    if (this.#tooLarge === world.stateVersion) return undefined;
    if (!this.#options.hasRoom()) {
      this.#waitsFor = 'the requests come faster than they are stored';
      return undefined;
    }
    const bytes = world.store.client.pragma('page_count', { simple: true }) as number;
    const page = world.store.client.pragma('page_size', { simple: true }) as number;
    if (bytes * page > maxBase) {
      this.#tooLarge = world.stateVersion;
      this.#waitsFor = 'the world is too large to record';
      return undefined;
    }
    this.#waitsFor = null;
    return this.#beginWith({ kind: 'database', bytes: serializeStore(world.store) }, now);
  }

  #beginWith(base: Base, began: number): OpenRecording {
    const recording = new OpenRecording(base, began, this.#options.settings);
    this.#number = 0;
    this.#isWritten = false;
    this.#committed = 0;
    this.#current = recording;
    return recording;
  }
}
