import { IdSeries } from '../../../kernel/ids.ts';
import type { LogExtension } from '../../../requests/log-extension.ts';
import type { RequestLog } from '../../../requests/request-log.ts';
import type { Store } from '../../../store/open.ts';
import type { World } from '../../../world/world.ts';
import { Bases } from './bases.ts';
import { Recorder, type RecorderOptions, type RecordingStatus } from './recorder.ts';
import {
  acts,
  limitBases,
  MAX_BASE_BYTES,
  makeTables,
  pruneRecordings,
  recordings,
  writeBegin,
} from './recording-store.ts';
import { Recordings } from './recordings.ts';

/** What is recorded of a world, in its log and beside it. */
export class WorldRecording implements LogExtension {
  readonly recordings: Recordings;
  readonly #log: RequestLog;
  readonly #bases: Bases;
  readonly #report: (error: unknown) => void;
  #recorder: Recorder | undefined;
  /** Why nothing is recorded. */
  #reason: string | null = null;
  /** Names of the bases that stay, when they have changed. */
  #keptBases: ReadonlySet<string> | undefined;

  /** @param report called if a base cannot be stored */
  constructor(log: RequestLog, { name, identity }: World, report: (error: unknown) => void) {
    const { seed } = identity;
    this.#log = log;
    this.#report = report;
    this.#bases = new Bases(log.file);
    this.recordings = new Recordings({
      log: () => log.store,
      idsOf: (series) => new IdSeries({ seed, world: name, series }),
      bases: this.#bases,
      current: () => this.current,
    });
  }

  get status(): RecordingStatus {
    return this.#recorder?.status ?? { since: null, requests: 0, reason: this.#reason };
  }

  /** The key of the recording that goes on. */
  get current(): string | undefined {
    return this.#recorder?.current?.key;
  }

  /** Begins to record. */
  record(
    world: World,
    options: Pick<RecorderOptions, 'runtime' | 'isConfigured' | 'settings'>,
  ): Recorder {
    const log = this.#log;
    this.#recorder = new Recorder(world, {
      ...options,
      log,
      maxBase: MAX_BASE_BYTES[log.file === undefined ? 'memory' : 'file'],
      writeBegin: (store, recording, after, base) => {
        writeBegin(store, recording, after);
        if (base) this.#try(() => this.#bases.put(recording.key, base));
        this.#keptBases = limitBases(store);
      },
    });
    return this.#recorder;
  }

  /** @param reason why nothing is recorded */
  leaveOut(reason: string): void {
    this.#reason = reason;
  }

  opened(log: Store): void {
    makeTables(log);
  }

  lost(): void {
    this.#recorder?.end('a write failed');
  }

  prune(log: Store, last: number, kept: number): number {
    const { after, hasDeleted } = pruneRecordings(log, last, kept);
    if (hasDeleted) this.#keptBases = limitBases(log);
    return after;
  }

  clear(log: Store): void {
    this.#recorder?.end('the request log was cleared');
    for (const table of [acts, recordings]) log.db.delete(table).run();
    this.#keptBases = new Set();
  }

  committed(): void {
    const kept = this.#keptBases;
    this.#keptBases = undefined;
    if (kept) this.#try(() => this.#bases.keepOnly(kept));
  }

  closing(): void {
    this.#recorder?.end('the sandbox stopped');
  }

  async closed(isDeleted: boolean): Promise<void> {
    if (isDeleted) this.#try(() => this.#bases.keepOnly(new Set()));
  }

  /** The log goes on without bases. */
  #try(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.#report(error);
    }
  }
}
