import fs from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { randomSecret } from '../../kernel/ids.ts';
import { parseJson } from '../../kernel/json.ts';
import { SECOND } from '../../kernel/time.ts';
import type { RequestLogEntry } from '../../requests/log-entry.ts';
import type { RequestLog } from '../../requests/request-log.ts';
import { makePrivateFolder, PRIVATE_FILE } from '../../store/private-files.ts';
import type { World } from '../../world/world.ts';
import type { Activity, AttemptActivity } from './activity.ts';
import { type Run, runSchema, type Source } from './export-file.ts';
import { Observations, observationSchema } from './observation.ts';
import { Observer } from './observer.ts';
import { type LeftOut, readEntry } from './read-entry.ts';

/** How many entries are read at a time, so that other requests are served in between. */
const SLICE = 100;
/** How many entries are read per second before a report is requested, however many requests come. */
const MAX_READ_PER_SECOND = 500;
/** How many attempts may wait for a report before the rules read them. */
const MAX_WAITING = 500;

interface WorldObservationsOptions {
  log: RequestLog;
  /** The file that stores them; undefined in memory. */
  file: string | undefined;
  leftOut: LeftOut;
  /** False if nothing is observed. */
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
  /** Number of the newest log entry that was read, or left out. */
  #seen: number;
  /** Number of the entry that the rules have read last. */
  #last = 0;
  /** How many entries were read in this second while requests waited for it. */
  #reading = { second: 0, entries: 0 };
  /** Webhook attempts that were not read, each with the number of the log entry before it. */
  readonly #attempts: { after: number; attempt: AttemptActivity }[] = [];
  #isSaved = true;
  #closed = false;

  constructor(world: World, options: WorldObservationsOptions) {
    this.#world = world;
    this.#options = options;
    this.#observer = new Observer(world.name);
    const { run, seen, observations } = readRecord(options.file, world.name);
    this.#run = run;
    // The record may be about an earlier file of the log.
    this.#seen = Math.min(seen, options.log.span.before);
    this.#observations = new Observations(observations);
  }

  /** @param after number of the log entry before it */
  addAttempt(attempt: AttemptActivity, after: number): void {
    if (this.#isOver) return;
    this.#attempts.push({ after, attempt });
    if (this.#attempts.length <= MAX_WAITING) return;
    if (this.#mayRead())
      this.#readNow(Math.min(this.#seen + SLICE, this.#options.log.span.written));
    else this.#attempts.shift();
  }

  /** Reads entries that the log is about to drop. @param dropped those that it had, if it has dropped them already */
  beforeDrop(last: number, dropped?: readonly RequestLogEntry[]): void {
    if (this.#isOver || this.#seen >= last) return;
    // Under load, the log drops only its oldest entries. A reset drops all, which are read however many there are.
    const isReset = last === this.#options.log.span.last;
    if (dropped || isReset || this.#mayRead()) {
      this.#readNow(last, dropped);
      // After a kill, they cannot be read again.
      this.#save();
    } else this.#seen = last;
  }

  /** Whether something can be read while requests wait for it. */
  #mayRead(): boolean {
    const second = Math.floor(this.#options.now() / SECOND);
    if (second !== this.#reading.second) this.#reading = { second, entries: 0 };
    return this.#reading.entries < MAX_READ_PER_SECOND;
  }

  #readNow(last: number, entries?: readonly RequestLogEntry[]): void {
    this.#reading.entries += last - this.#seen;
    this.#readUpTo(last, entries);
  }

  /** Runs the rules over what was not read yet, and saves what they observe. */
  async run(): Promise<void> {
    const { log } = this.#options;
    if (this.#isOver) return;
    log.flush();
    const { last } = log.span;
    while (this.#seen < last) {
      this.#readUpTo(Math.min(this.#seen + SLICE, last));
      await setImmediate();
      if (this.#isOver) return;
    }
    this.#observeAttempts(last);
    this.#save();
  }

  /** @returns undefined if the world was deleted */
  async source(): Promise<Omit<Source, 'export' | 'label'> | undefined> {
    await this.run();
    if (this.#closed || this.#world.isClosed) return undefined;
    const observations = this.#observations.list();
    const isNone = observations.length === 0;
    return {
      ...this.#run,
      from: isNone ? null : Math.min(...observations.map(({ first_at }) => first_at)),
      to: isNone ? null : Math.max(...observations.map(({ last_at }) => last_at)),
      made_at: this.#options.now(),
      observations,
    };
  }

  /** Deletes the observations of these items; all, and the run, if none are named. @returns how many */
  async clear(items: readonly string[]): Promise<number> {
    await this.run();
    this.#observer.forget();
    if (items.length === 0) this.#run = newRun(this.#world.name);
    const cleared = this.#observations.delete(items);
    this.#isSaved = false;
    this.#save();
    return cleared;
  }

  /** Takes the observations away from a world that is deleted. */
  async take(): Promise<WorldRecord> {
    await this.run();
    this.#closed = true;
    const { file } = this.#options;
    if (file !== undefined) fs.rmSync(file, { force: true });
    return { run: this.#run, seen: this.#seen, observations: this.#observations.list() };
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
  get #isOver(): boolean {
    return !this.#options.isObserving || this.#closed || this.#world.isClosed;
  }

  #readUpTo(last: number, entries?: readonly RequestLogEntry[]): void {
    if (last < this.#seen) return;
    const { log, leftOut } = this.#options;
    const { before } = log.span;
    const first = this.#seen + 1;
    this.#seen = last;
    this.#isSaved = false;
    for (const entry of entries ?? log.listSpan({}, { first, last })) {
      if (entry.seq < first) continue;
      this.#observeAttempts(entry.seq - 1);
      // A restart is a boundary: the clock of `startedAt` began again. So is a gap: it may hide what a later request means.
      if (entry.seq === before + 1 || entry.seq !== this.#last + 1) this.#observer.forget();
      this.#last = entry.seq;
      const activity = readEntry(entry, leftOut);
      if (activity === 'boundary') this.#observer.forget();
      else if (activity) this.#observe(activity);
    }
    this.#observeAttempts(last);
  }

  /** Reads the attempts that ended after the log entry of this number, or before it. */
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

  /** On a full disk, the observations stay in memory until the next time. */
  #save(): void {
    const { file, report } = this.#options;
    if (this.#isSaved || file === undefined) return;
    try {
      const observations = this.#observations.list();
      writeRecord(file, { run: this.#run, seen: this.#seen, observations });
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

/** Reads the file of a world; begins again if sandlot cannot have written it. @param file undefined in memory */
function readRecord(file: string | undefined, world: string): WorldRecord {
  if (file !== undefined && fs.existsSync(file)) {
    const { data } = recordSchema.safeParse(parseJson(fs.readFileSync(file, 'utf8')));
    if (data) return data;
  }
  return { run: newRun(world), seen: 0, observations: [] };
}

/** Replaces the file of a world: after a kill, it holds either the old or the new record. */
function writeRecord(file: string, record: WorldRecord): void {
  const folder = path.dirname(file);
  makePrivateFolder(path.dirname(folder));
  makePrivateFolder(folder);
  const temporary = `${file}.new`;
  fs.writeFileSync(temporary, JSON.stringify(record), { mode: PRIVATE_FILE });
  fs.renameSync(temporary, file);
}
