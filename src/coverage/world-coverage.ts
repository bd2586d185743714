import { randomSecret } from '../kernel/ids.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { SECOND } from '../kernel/time.ts';
import { UNSEEN } from '../world/inputs.ts';
import type { World } from '../world/world.ts';
import type { Activity, Evidence } from './activity.ts';
import { cutText } from './evidence.ts';
import type { Source, StoredEvidence } from './export-file.ts';
import {
  addObservations,
  addToRun,
  deleteObservations,
  type ObservationRow,
  type RunRow,
  readObservations,
  readRun,
} from './observation-rows.ts';
import type { Observer } from './observer.ts';
import { Pending } from './pending.ts';

/** Observations are stored at most this often. */
const STORE_AFTER_MS = SECOND;
/** The rules are loaded a little later, so that the first request does not wait for them. */
const LOAD_AFTER_MS = 50;
/** So many log entries are written before observations of them; more are waited for. */
const MAX_FLUSHED = 200;
const RUN_LENGTH = 20;

export interface EvidenceLog {
  flush(): void;
  readonly progress: { appended: number; settled: number };
}

interface LoadedRules {
  newObserver(): Observer;
  revs: ReadonlyMap<string, number>;
}

interface WorldCoverageOptions {
  runtime: Runtime;
  log: EvidenceLog;
  loadRules(): Promise<LoadedRules>;
  redact(text: string): string;
  report(error: unknown): void;
}

export interface Observed {
  run: RunRow | undefined;
  rows: ObservationRow[];
}

export class WorldCoverage {
  readonly #world: World;
  readonly #options: WorldCoverageOptions;
  /** Activities from before the rules are loaded. */
  #early: { activity: Activity; generation: object }[] = [];
  #rules: { observer: Observer; revs: ReadonlyMap<string, number> } | undefined;
  #generation: object;
  #run: string | undefined;
  #pending = new Pending();
  /** Observations of log entries up to a number; they are stored when these entries are written. */
  #held: { pending: Pending; upTo: number } | undefined;
  #cancelTimer: (() => void) | undefined;
  #closed = false;

  constructor(world: World, options: WorldCoverageOptions) {
    this.#world = world;
    this.#options = options;
    this.#generation = world.generation;
  }

  observe(activity: Activity): void {
    if (this.#isOver) return;
    const { generation } = this.#world;
    if (this.#rules) this.#observe(this.#rules.observer, activity, generation);
    else this.#early.push({ activity, generation });
    this.#cancelTimer ??= this.#options.runtime.after(
      this.#rules ? STORE_AFTER_MS : LOAD_AFTER_MS,
      () => void this.#tick(),
    );
  }

  async store(): Promise<void> {
    if (this.#isOver) return;
    const { log } = this.#options;
    if (this.#early.length > 0) await this.#load();
    log.flush();
    // Taken before the first wait: another call, or the timer, must not store them too.
    const held = this.#held?.pending;
    const pending = this.#pending;
    this.#held = undefined;
    this.#pending = new Pending();
    if (held) await this.#write(held);
    await this.#write(pending);
  }

  /**
   * Returns the stored observations after storing the latest.
   * @returns undefined if there are none, unless they are required
   */
  async source(
    label: string | null,
    isRequired: boolean,
  ): Promise<Omit<Source, 'export'> | undefined> {
    await this.store();
    // It may have been deleted meanwhile.
    if (this.#isOver) return undefined;
    const { run, rows } = this.#read();
    if (!run && !isRequired) return undefined;
    return {
      ...(run ?? this.#newRun()),
      label,
      from: rows.length === 0 ? null : Math.min(...rows.map(({ firstAt }) => firstAt)),
      to: rows.length === 0 ? null : Math.max(...rows.map(({ lastAt }) => lastAt)),
      made_at: this.#options.runtime.now(),
      observations: rows.map(({ firstAt, lastAt, evidence, ...row }) => ({
        ...row,
        first_at: firstAt,
        last_at: lastAt,
        evidence: evidence.flat(),
      })),
    };
  }

  /** Deletes the observations of these items; all, and the run, if none are named. @returns how many */
  async clear(items: readonly string[]): Promise<number> {
    await this.store();
    this.#rules?.observer.forget();
    if (items.length === 0) this.#run = undefined;
    return this.#world.transaction(UNSEEN, (tx) => deleteObservations(tx, items));
  }

  /** Returns the observations for another world; what comes later is lost. */
  async take(): Promise<Observed> {
    await this.store();
    return this.#read();
  }

  async add({ run, rows }: Observed): Promise<void> {
    if (!run) return;
    await this.#world.transaction(UNSEEN, (tx) => {
      const own = this.#newRun();
      addToRun(tx, { ...run, run: own.run, worlds: [...own.worlds, ...run.worlds] });
      addObservations(tx, rows);
    });
  }

  close(): void {
    this.#closed = true;
    this.#cancelTimer?.();
  }

  /** Nothing can be stored any more. */
  get #isOver(): boolean {
    return this.#closed || this.#world.isClosed;
  }

  #observe(observer: Observer, activity: Activity, generation: object): void {
    // A reset or a restore is a boundary.
    if (generation !== this.#generation) observer.forget();
    this.#generation = generation;
    for (const observation of observer.observe(activity)) this.#pending.add(observation);
    if (activity.kind === 'attempt') this.#pending.attempts += 1;
    if (activity.kind !== 'request') return;
    this.#pending.requests += 1;
    // The rules remember some requests, but never these.
    activity.input = undefined;
    activity.response = undefined;
  }

  async #load(): Promise<void> {
    const { newObserver, revs } = await this.#options.loadRules();
    this.#rules ??= { observer: newObserver(), revs };
    const early = this.#early;
    this.#early = [];
    for (const { activity, generation } of early) {
      this.#observe(this.#rules.observer, activity, generation);
    }
  }

  async #tick(): Promise<void> {
    if (this.#isOver) return;
    try {
      if (this.#rules) await this.#storeSettled();
      else await this.#load();
    } catch (error) {
      this.#options.report(error);
    }
    this.#cancelTimer = undefined;
    if (this.#isOver || (this.#pending.isEmpty && !this.#held)) return;
    this.#cancelTimer = this.#options.runtime.after(STORE_AFTER_MS, () => void this.#tick());
  }

  /** Stores observations whose log entries are written: a kill must not leave one without its evidence. */
  async #storeSettled(): Promise<void> {
    const { log } = this.#options;
    this.#held ??= this.#hold();
    const { appended, settled } = log.progress;
    if (appended - settled <= MAX_FLUSHED) log.flush();
    const held = this.#held;
    if (log.progress.settled < held.upTo) return;
    this.#held = undefined;
    await this.#write(held.pending);
  }

  #hold() {
    const pending = this.#pending;
    this.#pending = new Pending();
    return { pending, upTo: this.#options.log.progress.appended };
  }

  async #write(pending: Pending): Promise<void> {
    if (pending.isEmpty) return;
    const { requests, attempts } = pending;
    const rows = pending.rows(this.#rules?.revs ?? new Map(), (piece) => this.#stored(piece));
    try {
      await this.#world.transaction(UNSEEN, (tx) => {
        addToRun(tx, { ...this.#newRun(), requests, attempts });
        addObservations(tx, rows);
      });
    } catch (error) {
      this.#pending.putBack(rows, { requests, attempts });
      throw error;
    }
  }

  #read(): Observed {
    return this.#world.read((tx) => ({ run: readRun(tx), rows: readObservations(tx) }));
  }

  #newRun(): RunRow {
    this.#run ??= randomSecret(RUN_LENGTH);
    return { run: this.#run, worlds: [this.#world.name], requests: 0, attempts: 0 };
  }

  #stored({ kind, id, at, text }: Evidence): StoredEvidence {
    const { name } = this.#world;
    return { kind, id, world: name, at, text: cutText(this.#options.redact(text)) };
  }
}
