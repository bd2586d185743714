import { IdSeries } from '../../../kernel/ids.ts';
import type { LogExtension } from '../../../requests/log-extension.ts';
import type { RequestLog } from '../../../requests/request-log.ts';
import type { Store } from '../../../store/open.ts';
import type { World } from '../../../world/world.ts';
import { type BaseStorage, basesFolder, FolderBases, memoryBases } from './base-storage.ts';
import { Recorder, type RecorderOptions, type RecordingStatus } from './recorder.ts';
import { limitBases, MAX_BASE_BYTES, pruneRecordings, writeBegin } from './recording-store.ts';
import { Recordings } from './recordings.ts';
import { acts, makeTables, recordings } from './tables.ts';

/** What is recorded of a world, in its log and beside it. */
export class WorldRecording implements LogExtension {
  readonly recordings: Recordings;
  readonly #log: RequestLog;
  readonly #bases: BaseStorage;
  #recorder: Recorder | undefined;
  /** Why nothing is recorded. */
  #reason: string | null = null;
  /** Names of the bases that stay, when they have changed. */
  #keptBases: ReadonlySet<string> | undefined;

  /** @param report called with errors of writes in the background */
  constructor(log: RequestLog, { name, identity }: World, report: (error: unknown) => void) {
    const { file } = log;
    const { seed } = identity;
    this.#log = log;
    this.#bases = file === undefined ? memoryBases() : new FolderBases(basesFolder(file), report);
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
        if (base) this.#bases.put(recording.key, base);
        this.#keptBases = limitBases(store);
      },
    });
    return this.#recorder;
  }

  /** @param reason why nothing is recorded */
  leaveOut(reason: string): void {
    this.#reason = reason;
  }

  /** Writes what was recorded so far, while requests are handled. */
  async stored(): Promise<void> {
    await this.#log.stored();
    await this.#bases.settled();
  }

  opened(log: Store): void {
    makeTables(log);
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
    if (!this.#keptBases) return;
    this.#bases.keepOnly(this.#keptBases);
    this.#keptBases = undefined;
  }

  closing(): void {
    this.#recorder?.end('the sandbox stopped');
  }

  closed(isDeleted: boolean): Promise<void> {
    if (isDeleted) this.#bases.keepOnly(new Set());
    return this.#bases.settled();
  }
}
