import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { randomSecret } from '../../kernel/ids.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import type { RequestLogEntry } from '../../requests/log-entry.ts';
import type { RequestLog } from '../../requests/request-log.ts';
import { makePrivateFolder, PRIVATE_FILE } from '../../store/private-files.ts';
import type { World } from '../../world/world.ts';
import { type Activity, cutText } from './activity.ts';
import { groupedObservation, type Run, runSchema, type Source } from './export-file.ts';
import { mergeObservations, type Observed } from './observations.ts';
import type { Observer } from './observer.ts';
import type { Observation } from './rule.ts';

/** So many entries are read at a time, so that other requests are served in between. */
const SLICE = 100;
/** So many attempts wait before the rules read them, and so many at most, if the log is written more slowly. */
const MAX_NOTED = 500;
const MAX_WAITING = 5_000;

export interface Rules {
  observer: Observer;
  revs: ReadonlyMap<string, number>;
  readEntry(entry: RequestLogEntry): Activity | 'boundary' | undefined;
}

interface WorldObservationsOptions {
  runtime: Runtime;
  log: RequestLog;
  /** Where they are kept; undefined in memory. */
  file: string | undefined;
  loadRules(): Promise<Rules>;
  redact(text: string): string;
  report(error: unknown): void;
}

/** What the rules see in the request log and the webhook attempts of a world. */
export class WorldObservations {
  readonly #world: World;
  readonly #options: WorldObservationsOptions;
  #rules: Rules | undefined;
  #run: Run;
  #observed: Map<string, Observed>;
  /** Keys of observations that may have secrets in their evidence. */
  readonly #unredacted = new Set<string>();
  /** Number of the newest log entry that was read. */
  #seen: number;
  /** The first entry of this process, before it is read; undefined before the log is first read. */
  #ownFrom: number | undefined;
  #hasBegun = false;
  #isSaved = true;
  /** Entries that were read before the rules were loaded. */
  #early: (RequestLogEntry | Activity)[] = [];
  /** What is not in the log, each with the number of the log entry before it. */
  #noted: { after: number; activity: Activity }[] = [];
  #running: Promise<void> = Promise.resolve();
  #isScheduled = false;
  #closed = false;

  constructor(world: World, options: WorldObservationsOptions) {
    this.#world = world;
    this.#options = options;
    const { run, seen, observations } = readRecord(options.file, world.name);
    this.#run = run;
    this.#seen = seen;
    this.#observed = new Map(observations.map((each) => [keyOf(each), each]));
  }

  /** Notes what the request log does not have. */
  note(activity: Activity): void {
    if (this.#isOver) return;
    this.#noted.push({ after: this.#options.log.span.last, activity });
    if (this.#noted.length > MAX_WAITING) this.#noted.shift();
    if (this.#noted.length >= MAX_NOTED) this.#runLater(() => this.#options.log.span.written);
  }

  /** Reads entries that the log is about to drop. */
  beforeDrop(last: number): void {
    if (this.#isOver) return;
    this.#begin();
    if (this.#seen >= last) return;
    this.#readUpTo(last);
    this.#runLater(() => last);
  }

  /** Runs the rules over what was not read yet, and keeps what they observe. */
  run(): Promise<void> {
    return this.#runNext(() => {
      this.#options.log.flush();
      return this.#options.log.span.last;
    });
  }

  /** @returns undefined without observations, unless they are required */
  async source(
    label: string | null,
    isRequired: boolean,
  ): Promise<Omit<Source, 'export'> | undefined> {
    await this.run();
    // It may have been deleted meanwhile.
    if (this.#isOver) return undefined;
    const observed = [...this.#observed.values()];
    if (observed.length === 0 && !isRequired) return undefined;
    const isNone = observed.length === 0;
    return {
      ...this.#run,
      label,
      from: isNone ? null : Math.min(...observed.map(({ first_at }) => first_at)),
      to: isNone ? null : Math.max(...observed.map(({ last_at }) => last_at)),
      made_at: this.#options.runtime.now(),
      observations: observed
        .map((each) => ({ ...each, evidence: each.evidence.flat() }))
        .sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
    };
  }

  /** Deletes the observations of these items; all, and the run, if none are named. @returns how many */
  async clear(items: readonly string[]): Promise<number> {
    await this.run();
    this.#rules?.observer.forget();
    let cleared = 0;
    for (const [key, { item }] of this.#observed) {
      if (items.length > 0 && !items.includes(item)) continue;
      this.#observed.delete(key);
      cleared += 1;
    }
    if (items.length === 0) this.#run = newRun(this.#world.name);
    this.#isSaved = false;
    this.#save();
    return cleared;
  }

  /** Takes the observations away, for another world. */
  async take(): Promise<{ run: Run; observed: Iterable<Observed> }> {
    await this.run();
    this.#closed = true;
    const { file } = this.#options;
    if (file !== undefined) fs.rmSync(file, { force: true });
    return { run: this.#run, observed: this.#observed.values() };
  }

  add({ run, observed }: { run: Run; observed: Iterable<Observed> }): void {
    for (const each of observed) this.#merge(each);
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

  /** Nothing is kept any more. */
  get #isOver(): boolean {
    return this.#closed || this.#world.isClosed;
  }

  /** @param last returns the number of the last entry to read */
  #runNext(last: () => number): Promise<void> {
    const run = () => this.#runUpTo(last);
    this.#running = this.#running.then(run, run);
    return this.#running;
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
    this.#begin();
    while (this.#seen < last) {
      this.#readUpTo(Math.min(this.#seen + SLICE, last));
      if (this.#seen === last) break;
      await runtime.sleep(0);
      if (this.#isOver) return;
    }
    this.#readNoted(last + 1);
    this.#save();
  }

  /** Finds where to go on in the log, which may be another one than the record tells of. */
  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const { last, before } = this.#options.log.span;
    this.#seen = Math.min(this.#seen, before);
    this.#ownFrom = last > before ? before + 1 : undefined;
  }

  #readUpTo(last: number): void {
    const span = { first: this.#seen + 1, last };
    this.#seen = last;
    this.#isSaved = false;
    for (const entry of this.#options.log.listSpan({}, span)) {
      this.#readNoted(entry.seq);
      // A restart is a boundary.
      if (this.#ownFrom !== undefined && entry.seq >= this.#ownFrom) {
        this.#ownFrom = undefined;
        this.#rules?.observer.forget();
      }
      this.#observeAny(entry);
    }
  }

  /** Reads what was noted before the log entry of this number. */
  #readNoted(seq: number): void {
    for (let [next] = this.#noted; next && next.after < seq; [next] = this.#noted) {
      this.#noted.shift();
      this.#isSaved = false;
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
    if (activity.kind === 'attempt') this.#run.attempts += 1;
    if (activity.kind !== 'request') return;
    this.#run.requests += 1;
    // The rules remember some requests, but never these.
    activity.input = undefined;
    activity.response = undefined;
  }

  #add({ item, result, count, evidence }: Observation): void {
    const at = evidence.at(-1)?.at ?? 0;
    const rev = this.#rules?.revs.get(item) ?? 1;
    const { name: world } = this.#world;
    const pieces = evidence.map(({ kind, id, at: when, text }) => ({
      kind,
      id,
      world,
      at: when,
      text,
    }));
    const observed = { item, result, rev, count, first_at: at, last_at: at, evidence: [pieces] };
    this.#unredacted.add(keyOf(observed));
    this.#merge(observed);
  }

  #merge(observed: Observed): void {
    const key = keyOf(observed);
    const known = this.#observed.get(key);
    this.#observed.set(key, known ? mergeObservations(known, observed) : observed);
  }

  /** Without secrets. On a full disk, the observations stay in memory until the next time. */
  #save(): void {
    if (this.#isSaved) return;
    const { redact, file, report } = this.#options;
    for (const key of this.#unredacted) {
      for (const piece of this.#observed.get(key)?.evidence.flat() ?? []) {
        piece.text = cutText(redact(piece.text));
      }
    }
    this.#unredacted.clear();
    this.#isSaved = true;
    if (file === undefined) return;
    const observations = [...this.#observed.values()];
    try {
      writeRecord(file, { run: this.#run, seen: this.#seen, observations });
    } catch (error) {
      this.#isSaved = false;
      report(error);
    }
  }
}

function keyOf({ item, result }: Pick<Observed, 'item' | 'result'>): string {
  return `${item} ${result}`;
}

const RUN_LENGTH = 20;

/** What is kept of a world. */
export interface WorldRecord {
  run: Run;
  /** Number of the newest entry of the request log that the rules have read. */
  seen: number;
  observations: Observed[];
}

const recordSchema = z.object({
  run: runSchema,
  seen: z.int().min(0),
  observations: z.array(z.unknown()),
});

/** @returns a run that begins */
function newRun(world: string): Run {
  return { run: randomSecret(RUN_LENGTH), worlds: [world], requests: 0, attempts: 0 };
}

/** Reads the file of a world. Leaves out what sandlot cannot have written. @param file undefined in memory */
export function readRecord(file: string | undefined, world: string): WorldRecord {
  const none = { run: newRun(world), seen: 0, observations: [] };
  if (file === undefined || !fs.existsSync(file)) return none;
  const { data } = recordSchema.safeParse(parse(fs.readFileSync(file, 'utf8')));
  if (!data) return none;
  const observations = data.observations.flatMap((each) => {
    const observation = groupedObservation.safeParse(each);
    return observation.success ? [observation.data] : [];
  });
  return { ...data, observations };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Replaces the file of a world: after a kill, it holds either what it did or all of this. */
function writeRecord(file: string, record: WorldRecord): void {
  makePrivateFolder(path.dirname(file));
  const temporary = `${file}.new`;
  fs.writeFileSync(temporary, JSON.stringify(record), { mode: PRIVATE_FILE });
  fs.renameSync(temporary, file);
}
