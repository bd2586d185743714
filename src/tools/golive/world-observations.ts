import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { randomSecret } from '../../kernel/ids.ts';
import { parseJson } from '../../kernel/json.ts';
import { SECOND } from '../../kernel/time.ts';
import { nextTurn } from '../../kernel/timers.ts';
import type { RequestLogEntry } from '../../requests/log-entry.ts';
import type { RequestLog } from '../../requests/request-log.ts';
import { makePrivateFolder, PRIVATE_FILE } from '../../store/private-files.ts';
import type { World } from '../../world/world.ts';
import type { Activity, AttemptActivity } from './activity.ts';
import { type Run, runSchema, type Source } from './export-file.ts';
import { Observations, observationSchema } from './observation.ts';
import { Observer } from './observer.ts';
import { type ExcludedCredentials, readEntry } from './read-entry.ts';

/** Number of entries that are read before other requests are served. */
const SLICE = 100;
/** Number of entries that are read per second without a request for a report, so that the load is limited. */
const MAX_READ_PER_SECOND = 500;
/** With more waiting attempts, the rules read entries before a report is requested. */
const MAX_WAITING_ATTEMPTS = 500;

interface WorldObservationsOptions {
  log: RequestLog;
  /** The file of the observations; undefined in memory. */
  file: string | undefined;
  excluded: ExcludedCredentials;
  isObserving: boolean;
  now(): number;
  report(error: unknown): void;
}

/** Runs the rules over the request log and the webhook attempts of a world. */
export class WorldObservations {
  readonly #world: World;
  readonly #options: WorldObservationsOptions;
  readonly #observer: Observer;
  readonly #observations: Observations;
  #run: Run;
  /** Number of the newest log entry that was read or skipped. */
  #lastRead: number;
  /** Number of the last entry that the rules have read. */
  #lastObserved = 0;
  /** Number of entries that were read in the current second while requests waited. */
  #readCount = { second: 0, entries: 0 };
  /** Unread webhook attempts, each with the number of the log entry before it. */
  readonly #attempts: { after: number; attempt: AttemptActivity }[] = [];
  #isSaved = true;
  #closed = false;

  constructor(world: World, options: WorldObservationsOptions) {
    this.#world = world;
    this.#options = options;
    this.#observer = new Observer(world.name);
    const { run, seen, observations } = readRecord(options.file, world.name);
    this.#run = run;
    // The log may have been recreated since the record was stored.
    this.#lastRead = Math.min(seen, options.log.span.before);
    this.#observations = new Observations(observations);
  }

  /** @param after number of the log entry before it */
  addAttempt(attempt: AttemptActivity, after: number): void {
    if (this.#hasEnded) return;
    this.#attempts.push({ after, attempt });
    if (this.#attempts.length <= MAX_WAITING_ATTEMPTS) return;
    if (this.#canRead())
      this.#readNow(Math.min(this.#lastRead + SLICE, this.#options.log.span.written));
    else this.#attempts.shift();
  }

  /** Reads entries that the log is about to drop. @param dropped the entries, if the log has dropped them already */
  beforeDrop(last: number, dropped?: readonly RequestLogEntry[]): void {
    if (this.#hasEnded || this.#lastRead >= last) return;
    // Under load, the log drops its oldest entries, of which some may be skipped. A reset drops all, which are always read.
    const isReset = last === this.#options.log.span.last;
    if (dropped || isReset || this.#canRead()) {
      this.#readNow(last, dropped);
      // After a kill, dropped entries cannot be read again.
      this.#save();
    } else this.#lastRead = last;
  }

  /** Whether the limit of entries per second is not reached. */
  #canRead(): boolean {
    const second = Math.floor(this.#options.now() / SECOND);
    if (second !== this.#readCount.second) this.#readCount = { second, entries: 0 };
    return this.#readCount.entries < MAX_READ_PER_SECOND;
  }

  #readNow(last: number, entries?: readonly RequestLogEntry[]): void {
    this.#readCount.entries += last - this.#lastRead;
    this.#readUpTo(last, entries);
  }

  /** Runs the rules over unread entries and attempts, and saves the observations. */
  async run(): Promise<void> {
    const { log } = this.#options;
    if (this.#hasEnded) return;
    log.flush();
    const { last } = log.span;
    while (this.#lastRead < last) {
      this.#readUpTo(Math.min(this.#lastRead + SLICE, last));
      await nextTurn();
      if (this.#hasEnded) return;
    }
    this.#observeAttempts(last);
    this.#save();
  }

  /** @returns undefined if the world was deleted */
  async source(): Promise<Omit<Source, 'export' | 'label'> | undefined> {
    await this.run();
    if (this.#closed || this.#world.isClosed) return undefined;
    const observations = this.#observations.list();
    const isEmpty = observations.length === 0;
    return {
      ...this.#run,
      from: isEmpty ? null : Math.min(...observations.map(({ first_at }) => first_at)),
      to: isEmpty ? null : Math.max(...observations.map(({ last_at }) => last_at)),
      made_at: this.#options.now(),
      observations,
    };
  }

  /** Deletes the observations of some items; if `items` is empty, all and the run. @returns their number */
  async clear(items: readonly string[]): Promise<number> {
    await this.run();
    this.#observer.reset();
    if (items.length === 0) this.#run = newRun(this.#world.name);
    const cleared = this.#observations.delete(items);
    this.#isSaved = false;
    this.#save();
    return cleared;
  }

  /** Removes the observations from a world that is being deleted, and returns them. */
  async take(): Promise<WorldRecord> {
    await this.run();
    this.#closed = true;
    const { file } = this.#options;
    if (file !== undefined) fs.rmSync(file, { force: true });
    return { run: this.#run, seen: this.#lastRead, observations: this.#observations.list() };
  }

  /** Adds the observations of a deleted world. */
  add({ run, observations }: WorldRecord): void {
    for (const observation of observations) this.#observations.add(observation);
    const { worlds, requests, attempts } = this.#run;
    this.#run = {
      ...this.#run,
      worlds: [...new Set([...worlds, ...run.worlds])],
      requests: requests + run.requests,
      attempts: attempts + run.attempts,
    };
    this.#isSaved = false;
    this.#save();
  }

  close(): void {
    this.#closed = true;
  }

  /** Whether observing has ended. */
  get #hasEnded(): boolean {
    return !this.#options.isObserving || this.#closed || this.#world.isClosed;
  }

  #readUpTo(last: number, entries?: readonly RequestLogEntry[]): void {
    if (last < this.#lastRead) return;
    const { log, excluded } = this.#options;
    const { before } = log.span;
    const first = this.#lastRead + 1;
    this.#lastRead = last;
    this.#isSaved = false;
    for (const entry of entries ?? log.listSpan({}, { first, last })) {
      if (entry.seq < first) continue;
      this.#observeAttempts(entry.seq - 1);
      // A restart is a boundary, because the clock of `startedAt` starts again. So is a gap, because later requests may
      // relate to skipped ones.
      if (entry.seq === before + 1 || entry.seq !== this.#lastObserved + 1) this.#observer.reset();
      this.#lastObserved = entry.seq;
      const activity = readEntry(entry, excluded);
      if (activity === 'boundary') this.#observer.reset();
      else if (activity) this.#observe(activity);
    }
    this.#observeAttempts(last);
  }

  /** Reads the attempts that ended before the log entry after this number. */
  #observeAttempts(seq: number): void {
    for (let [next] = this.#attempts; next && next.after <= seq; [next] = this.#attempts) {
      this.#attempts.shift();
      this.#observe(next.attempt);
    }
  }

  #observe(activity: Activity): void {
    this.#isSaved = false;
    for (const observation of this.#observer.observe(activity)) this.#observations.add(observation);
    if (activity.kind === 'attempt') this.#run.attempts += 1;
    if (activity.kind !== 'request') return;
    this.#run.requests += 1;
    // The rules may keep the request, but never its bodies.
    activity.input = undefined;
    activity.response = undefined;
  }

  /** If the disk is full, the observations stay in memory until the next call. */
  #save(): void {
    const { file, report } = this.#options;
    if (this.#isSaved || file === undefined) return;
    try {
      const observations = this.#observations.list();
      writeRecord(file, { run: this.#run, seen: this.#lastRead, observations });
      this.#isSaved = true;
    } catch (error) {
      report(error);
    }
  }
}

const recordSchema = z.object({
  run: runSchema,
  /** Number of the newest entry of the request log that the rules have read. */
  seen: z.int().min(0),
  observations: z.array(observationSchema),
});

/** The stored record of a world. */
export type WorldRecord = z.output<typeof recordSchema>;

const RUN_LENGTH = 20;

function newRun(world: string): Run {
  return { run: randomSecret(RUN_LENGTH), worlds: [world], requests: 0, attempts: 0 };
}

/** Reads the file of a world; starts a new run if the file is invalid. @param file undefined in memory */
function readRecord(file: string | undefined, world: string): WorldRecord {
  if (file !== undefined && fs.existsSync(file)) {
    const { data } = recordSchema.safeParse(parseJson(fs.readFileSync(file, 'utf8')));
    if (data) return data;
  }
  return { run: newRun(world), seen: 0, observations: [] };
}

/** Replaces the file of a world atomically: after a kill, it contains the old or the new record. */
function writeRecord(file: string, record: WorldRecord): void {
  const folder = path.dirname(file);
  makePrivateFolder(path.dirname(folder));
  makePrivateFolder(folder);
  const temporary = `${file}.new`;
  fs.writeFileSync(temporary, JSON.stringify(record), { mode: PRIVATE_FILE });
  fs.renameSync(temporary, file);
}
