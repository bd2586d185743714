import { randomSecret } from '../../../kernel/ids.ts';
import type { Runtime } from '../../../kernel/runtime.ts';
import type { LogRecord } from '../../../requests/log-extension.ts';
import { serializeStore } from '../../../store/open.ts';
import {
  type ActFollower,
  type ActStamp,
  type Cause,
  type KeptOfRequest,
  type RequestCause,
  UNRECORDED,
} from '../../../world/acts.ts';
import type { World } from '../../../world/world.ts';
import { MAX_INVENTORY } from '../limits.ts';
import type { OpenRecording, RecordedSettings } from './recording-store.ts';
import { writeAct, writeBegin, writeEnd } from './recording-store.ts';
import { type RecordedPart, toActRecord } from './recordings.ts';

/** A recording ends at the first idle moment after this many requests, and at the latest after twice as many. */
const MAX_REQUESTS = 5_000;

/** After a larger base, the next one is stored only after 5 s for each MB: storing 35 MB takes 0.2 s. */
const LARGE_BASE = 4 * 1024 * 1024;
const BASE_BYTES_PER_MS = 200;

interface RecorderOptions {
  runtime: Runtime;
  /** Maximal size of a base, in bytes. */
  maxBase: number;
  /** Whether a configuration file adds to the seed of new worlds. */
  isConfigured: boolean;
  settings(): RecordedSettings;
  /** The log of the world. */
  log: { push(record: LogRecord): void };
}

export interface RecordingStatus {
  /** Real time at which the open recording began, Unix ms; null if there is none. */
  since: number | null;
  requests: number;
  /** Why there is no open recording. */
  reason: string | null;
}

/** The part of a request in a recording, until it has its response. */
interface RequestUse {
  /** The recorder that counts the request. */
  recorder: Recorder;
  /** Undefined if there was no open recording. */
  recording: OpenRecording | undefined;
  /** If it has no act: the number of the act before it, and the real time of the read. */
  read?: { after: number; at: number };
}

/** Numbers the acts of a world and writes them to its log. */
export class Recorder implements ActFollower {
  /** Number of the last act. */
  #number = 0;
  readonly #world: World;
  readonly #options: RecorderOptions;
  #current: OpenRecording | undefined;
  /** Number of requests that have used the world and have no response yet. A set would keep them in memory longer. */
  #openRequests = 0;
  #lastAt = 0;
  /** Number of the last committed act. */
  #committed = 0;
  #reason: string | null = null;
  /** Real time, Unix ms. */
  #nextBaseAt = 0;

  constructor(world: World, options: RecorderOptions) {
    this.#world = world;
    this.#options = options;
  }

  get status(): RecordingStatus {
    const current = this.#current;
    return {
      since: current?.began ?? null,
      requests: current?.requests ?? 0,
      reason: current ? null : this.#reason,
    };
  }

  get current(): OpenRecording | undefined {
    return this.#current;
  }

  /** Starts a recording whose base is the seed of a new world. */
  startFromSeed(): void {
    const { seed, inventory, createdAt, idSeries } = this.#world.identity;
    if (this.#options.isConfigured || inventory > MAX_INVENTORY) return;
    const from = { seed, inventory, created_at: createdAt, id_series: idSeries };
    this.#openRecording({ type: 'seed', ...from }, createdAt);
  }

  setUp(): void {
    const base = this.#current?.base;
    if (!base || this.#number > 0) return;
    // The seed does not contain what is set up after the creation of the world.
    if (base.created_at !== this.#options.runtime.now()) this.#current = undefined;
  }

  /** A replay cannot apply a configuration file. */
  reset(): void {
    if (this.#options.isConfigured) this.unrecordable('a reset applies the configuration file');
  }

  begin(cause: Cause): void {
    if (cause === UNRECORDED) return;
    if ('acts' in cause) {
      if (!this.#includeRequest(cause)) return;
      const sendResults = cause.given === undefined ? undefined : { given: cause.given };
      cause.given = undefined;
      cause.acts.push({ ...this.#stamp(), ...sendResults });
      return;
    }
    this.#readClock();
    const recording = this.#current;
    if (!recording) return;
    this.#ensureWritten(recording);
    const { type, id, params, given } = cause;
    const act = toActRecord(
      { ...this.#stamp(), given },
      { type, ...(id !== undefined && { id }) },
      params,
    );
    this.#options.log.push({
      write: (log, { redact }) => writeAct(log, recording, act.n, redact(JSON.stringify(act))),
    });
  }

  read(request: RequestCause): void {
    const use = this.#includeRequest(request);
    if (use) use.read ??= { after: this.#number, at: this.#lastAt };
  }

  /** Adds a request to the open recording. @returns undefined if it cannot be part of it */
  #includeRequest(request: RequestCause): RequestUse | undefined {
    const now = this.#readClock();
    if (!request.isRecorded) return undefined;
    const existing = request.followed as RequestUse | undefined;
    const use: RequestUse = existing ?? { recorder: this, recording: undefined };
    if (!existing) {
      request.followed = use;
      this.#openRequests += 1;
      const current = this.#current ?? this.#startRecording(now);
      if (!current) return undefined;
      this.#ensureWritten(current);
      current.requests += 1;
      use.recording = current;
      if (current.requests >= 2 * MAX_REQUESTS) this.end('it has 10,000 requests');
    }
    return use.recording && use.recording === this.#current ? use : undefined;
  }

  /**
   * Writes the start of a recording, if it is not written. Called with the first act or request, when the base URL is known.
   * @param bytes the serialized database that it begins with
   */
  #ensureWritten(recording: OpenRecording, bytes: Buffer | null = null): void {
    if (recording.isWritten) return;
    recording.isWritten = true;
    const { began, base } = recording;
    const head = { began, base, settings: this.#options.settings(), ended: null };
    this.#options.log.push({
      write: (log, { after }) =>
        writeBegin(log, recording, { world: this.#world.name, head, after, base: bytes }),
    });
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

  finish(request: RequestCause): KeptOfRequest | undefined {
    this.read(request);
    const { recorder, recording, read } = (request.followed ?? {}) as Partial<RequestUse>;
    // The request may be counted by the recorder of another world: a call that deletes its own world is logged elsewhere.
    if (recorder) recorder.#openRequests -= 1;
    request.followed = undefined;
    const isLate = recording !== this.#current;
    const { acts } = request;
    if (recording && !isLate && acts.length === 0) recording.reads += 1;
    const { requests = 0 } = this.#current ?? {};
    if (requests >= MAX_REQUESTS && this.#isIdle) this.end('it has 5,000 requests');
    if (!recording || !request.isRecorded || (isLate && acts.length === 0)) return undefined;
    const data: RecordedPart = {
      recording: recording.key,
      acts,
      ...(acts.length === 0 && read),
      ...(isLate && { isLate }),
    };
    return { data };
  }

  committed(): void {
    this.#committed = this.#number;
  }

  commitFailed(): void {
    this.end('a write failed', this.#committed);
  }

  snapshot(name: string, act: 'saved' | 'used'): void {
    const snapshots = this.#current?.snapshots;
    if (act === 'saved') snapshots?.add(name);
    else if (snapshots?.has(name) === false) {
      this.unrecordable(`snapshot ${name} was saved before the recording`);
    }
  }

  unrecordable(reason: string, n = this.#number + 1): void {
    this.end(reason, n - 1);
  }

  /**
   * Ends the open recording. The next one starts with a request to the idle world.
   * @param last number of the last act that belongs to it
   */
  end(reason: string, last = this.#number): void {
    const recording = this.#current;
    if (!recording) return;
    this.#current = undefined;
    const end = { reason, last: Math.max(last, 0) };
    if (!recording.isWritten) return;
    this.#options.log.push({ write: (log) => writeEnd(log, recording, end) });
  }

  get #isIdle(): boolean {
    return this.#openRequests === 0 && !this.#world.isBusy;
  }

  /** Returns real time. Ends the recording if the clock of the machine was set back: sandbox time never goes back. */
  #readClock(): number {
    const now = this.#options.runtime.now();
    if (now < this.#lastAt) this.end('the clock of the machine was set back');
    this.#lastAt = now;
    return now;
  }

  #startRecording(now: number): OpenRecording | undefined {
    const { maxBase } = this.#options;
    const world = this.#world;
    if (world.isClosed || this.#openRequests > 1 || world.isBusy) return undefined;
    if (now < this.#nextBaseAt) {
      this.#reason = 'the world is large, and was stored for a recording a moment ago';
      return undefined;
    }
    const { client } = world.store;
    const pages = client.pragma('page_count', { simple: true }) as number;
    const size = client.pragma('page_size', { simple: true }) as number;
    if (pages * size > maxBase) {
      this.#reason = 'the world is too large to record';
      return undefined;
    }
    if (pages * size > LARGE_BASE) this.#nextBaseAt = now + (pages * size) / BASE_BYTES_PER_MS;
    this.#reason = null;
    const recording = this.#openRecording(null, now);
    this.#ensureWritten(recording, serializeStore(world.store));
    return recording;
  }

  #openRecording(base: OpenRecording['base'], began: number): OpenRecording {
    const key = randomSecret(12);
    const counts = { requests: 0, reads: 0, snapshots: new Set<string>() };
    const recording = { key, began, base, isWritten: false, ...counts };
    this.#number = 0;
    this.#committed = 0;
    this.#current = recording;
    return recording;
  }
}
