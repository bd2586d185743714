import { randomSecret } from '../../kernel/ids.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import type { RequestLogEntry } from '../../requests/log-entry.ts';
import type { RequestLog } from '../../requests/request-log.ts';
import { UNSEEN } from '../../world/inputs.ts';
import type { World } from '../../world/world.ts';
import type { Activity } from './activity.ts';
import { cutText } from './evidence.ts';
import type { Source } from './export-file.ts';
import {
  addObservations,
  addToRun,
  deleteObservations,
  mergeObservations,
  type ObservationRow,
  type RunRow,
  readObservations,
  readRun,
  readSeen,
} from './observation-rows.ts';
import type { Observer } from './observer.ts';
import type { Observation } from './rule.ts';

/** So many entries are read at a time, so that other requests are served in between. */
const SLICE = 100;
/** So many attempts wait before the rules read them, and so many at most, if the log is written more slowly. */
const MAX_NOTED = 500;
const MAX_WAITING = 5_000;
const RUN_LENGTH = 20;

export interface Rules {
  observer: Observer;
  revs: ReadonlyMap<string, number>;
  readEntry(entry: RequestLogEntry): Activity | 'boundary' | undefined;
}

interface WorldObservationsOptions {
  runtime: Runtime;
  log: RequestLog;
  loadRules(): Promise<Rules>;
  redact(text: string): string;
  report(error: unknown): void;
}

export interface Observed {
  run: RunRow | undefined;
  rows: ObservationRow[];
}

/** What the rules see in the request log and the webhook attempts of a world. */
export class WorldObservations {
  readonly #world: World;
  readonly #options: WorldObservationsOptions;
  #rules: Rules | undefined;
  /** Number of the newest log entry that was read; undefined before the first. */
  #read: { last: number; stored: number; ownFrom: number | undefined } | undefined;
  /** Entries that were read before the rules were loaded. */
  #early: (RequestLogEntry | Activity)[] = [];
  /** What is not in the log, each with the number of the log entry before it. */
  #noted: { after: number; activity: Activity }[] = [];
  #unstored = new Map<string, ObservationRow>();
  #requests = 0;
  #attempts = 0;
  #run: string | undefined;
  #running: Promise<void> = Promise.resolve();
  #isScheduled = false;
  #closed = false;

  constructor(world: World, options: WorldObservationsOptions) {
    this.#world = world;
    this.#options = options;
  }

  /** Notes what the request log does not have. */
  note(activity: Activity): void {
    if (this.#isOver) return;
    this.#noted.push({ after: this.#options.log.span.last, activity });
    if (this.#noted.length > MAX_WAITING) this.#noted.shift();
    if (this.#noted.length >= MAX_NOTED) {
      this.#runLater(() => this.#options.log.span.written);
    }
  }

  /** Reads entries that the log is about to drop. */
  beforeDrop(last: number): void {
    if (this.#isOver) return;
    if (this.#position().last >= last) return;
    this.#readUpTo(last);
    this.#runLater(() => last);
  }

  /** Runs the rules over what was not read yet, and stores what they observe. */
  run(): Promise<void> {
    return this.#runNext(() => {
      this.#options.log.flush();
      return this.#options.log.span.last;
    });
  }

  /** @param last returns the number of the last entry to read */
  #runNext(last: () => number): Promise<void> {
    const running = this.#running.then(
      () => this.#runUpTo(last),
      () => this.#runUpTo(last),
    );
    this.#running = running;
    return running;
  }

  /**
   * Returns the observations.
   * @returns undefined if there are none, unless they are required
   */
  async source(
    label: string | null,
    isRequired: boolean,
  ): Promise<Omit<Source, 'export'> | undefined> {
    await this.run();
    // It may have been deleted meanwhile.
    if (this.#isOver) return undefined;
    const { run, rows } = this.#stored();
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
    await this.run();
    this.#rules?.observer.forget();
    if (items.length === 0) this.#run = undefined;
    return this.#world.transaction(UNSEEN, (tx) => deleteObservations(tx, items));
  }

  /** Takes the observations away, for another world. */
  async take(): Promise<Observed> {
    await this.run();
    const observed = this.#stored();
    await this.clear([]);
    this.#closed = true;
    return observed;
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
  }

  /** Nothing can be stored any more. */
  get #isOver(): boolean {
    return this.#closed || this.#world.isClosed;
  }

  /** Runs the rules over entries that are written. Under load, the log is written slowly, and nothing waits for it. */
  #runLater(last: () => number): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const done = () => {
      this.#isScheduled = false;
    };
    this.#runNext(last).catch(this.#options.report).then(done, done);
  }

  async #runUpTo(lastOf: () => number): Promise<void> {
    const { loadRules, runtime } = this.#options;
    this.#rules ??= await loadRules();
    if (this.#isOver) return;
    for (const early of this.#early.splice(0)) this.#observeAny(early);
    const last = lastOf();
    for (let at = this.#position(); at.last < last; at = this.#position()) {
      this.#readUpTo(Math.min(at.last + SLICE, last));
      if (this.#position().last === last) break;
      await runtime.sleep(0);
      if (this.#isOver) return;
    }
    this.#readNoted(last + 1);
    await this.#store();
  }

  #position() {
    if (this.#read) return this.#read;
    const { last, before } = this.#options.log.span;
    // A restored or imported world may come from another log.
    const stored = Math.min(this.#world.read(readSeen), before);
    this.#read = { last: stored, stored, ownFrom: last > before ? before + 1 : undefined };
    return this.#read;
  }

  #readUpTo(last: number): void {
    const position = this.#position();
    const span = { first: position.last + 1, last };
    position.last = last;
    for (const entry of this.#options.log.listSpan({}, span)) {
      this.#readNoted(entry.seq);
      // A restart is a boundary.
      if (position.ownFrom !== undefined && entry.seq >= position.ownFrom) {
        position.ownFrom = undefined;
        this.#rules?.observer.forget();
      }
      this.#observeAny(entry);
    }
  }

  /** Reads what was noted before the log entry of this number. */
  #readNoted(seq: number): void {
    for (let [next] = this.#noted; next && next.after < seq; [next] = this.#noted) {
      this.#noted.shift();
      this.#observeAny(next.activity);
    }
  }

  #observeAny(given: RequestLogEntry | Activity): void {
    if (!this.#rules) {
      this.#early.push(given);
      return;
    }
    const { observer, readEntry } = this.#rules;
    const activity = 'kind' in given ? given : readEntry(given);
    if (activity === undefined) return;
    if (activity === 'boundary') {
      observer.forget();
      return;
    }
    for (const observation of observer.observe(activity)) this.#add(observation);
    if (activity.kind === 'attempt') this.#attempts += 1;
    if (activity.kind !== 'request') return;
    this.#requests += 1;
    // The rules remember some requests, but never these.
    activity.input = undefined;
    activity.response = undefined;
  }

  #add({ item, result, count, evidence }: Observation): void {
    const at = evidence[evidence.length - 1]?.at ?? 0;
    const world = this.#world.name;
    const rev = this.#rules?.revs.get(item) ?? 1;
    const pieces = evidence.map((piece) => ({ ...piece, world }));
    this.#merge({ item, result, rev, count, firstAt: at, lastAt: at, evidence: [pieces] });
  }

  #merge(row: ObservationRow): void {
    const key = `${row.result} ${row.item}`;
    const known = this.#unstored.get(key);
    this.#unstored.set(key, known ? mergeObservations(known, row) : row);
  }

  async #store(): Promise<void> {
    const position = this.#position();
    const isRead = this.#world.file !== undefined && position.stored < position.last;
    if (this.#unstored.size === 0 && !isRead) return;
    const added = { requests: this.#requests, attempts: this.#attempts, seen: position.last };
    const rows = [...this.#unstored.values()];
    this.#unstored = new Map();
    this.#requests = 0;
    this.#attempts = 0;
    try {
      await this.#world.transaction(UNSEEN, (tx) => {
        addToRun(tx, { ...this.#newRun(), ...added, ...(rows.length === 0 && { run: null }) });
        addObservations(
          tx,
          rows.map((row) => this.#redacted(row)),
        );
      });
      position.stored = added.seen;
    } catch (error) {
      const later = [...this.#unstored.values()];
      this.#unstored = new Map();
      for (const row of [...rows, ...later]) this.#merge(row);
      this.#requests += added.requests;
      this.#attempts += added.attempts;
      throw error;
    }
  }

  #stored(): Observed {
    return this.#world.read((tx) => ({ run: readRun(tx), rows: readObservations(tx) }));
  }

  #newRun(): RunRow {
    this.#run ??= randomSecret(RUN_LENGTH);
    return { run: this.#run, worlds: [this.#world.name], requests: 0, attempts: 0 };
  }

  #redacted({ evidence, ...row }: ObservationRow): ObservationRow {
    const { redact } = this.#options;
    return {
      ...row,
      evidence: evidence.map((group) =>
        group.map(({ kind, id, world, at, text }) => ({
          kind,
          id,
          world,
          at,
          text: cutText(redact(text)),
        })),
      ),
    };
  }
}
