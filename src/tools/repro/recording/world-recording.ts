import { IdSeries } from '../../../kernel/ids.ts';
import type { LogExtension } from '../../../requests/log-extension.ts';
import type { RequestLog } from '../../../requests/request-log.ts';
import type { Store } from '../../../store/open.ts';
import type { World } from '../../../world/world.ts';
import { Recorder, type RecorderOptions, type RecordingStatus } from './recorder.ts';
import {
  acts,
  MAX_BASE_BYTES,
  makeTables,
  pruneRecordings,
  recordings,
} from './recording-store.ts';
import { Recordings } from './recordings.ts';

/** What is recorded of a world, in its log. */
export class WorldRecording implements LogExtension {
  readonly recordings: Recordings;
  readonly #log: RequestLog;
  #recorder: Recorder | undefined;
  /** Why nothing is recorded. */
  #reason: string | null = null;

  constructor(log: RequestLog, { name, identity: { seed } }: World) {
    this.#log = log;
    this.recordings = new Recordings({
      log: () => log.store,
      idsOf: (series) => new IdSeries({ seed, world: name, series }),
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
  record(world: World, options: Omit<RecorderOptions, 'log' | 'maxBase'>): Recorder {
    const log = this.#log;
    const maxBase = MAX_BASE_BYTES[log.file === undefined ? 'memory' : 'file'];
    this.#recorder = new Recorder(world, { ...options, log, maxBase });
    return this.#recorder;
  }

  /** @param reason why nothing is recorded */
  leaveOut(reason: string): void {
    this.#reason = reason;
  }

  readonly opened = makeTables;
  readonly prune = pruneRecordings;

  lost(why: string): void {
    this.#recorder?.end(why);
  }

  clear(log: Store): void {
    this.#recorder?.end('the request log was cleared');
    for (const table of [acts, recordings]) log.db.delete(table).run();
  }

  closing(): void {
    this.#recorder?.end('the sandbox stopped');
  }
}
