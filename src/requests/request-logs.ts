import type { Runtime } from '../kernel/runtime.ts';
import { removeDatabaseFile } from '../store/database-file.ts';
import { worldFile } from '../world/files.ts';
import type { World } from '../world/world.ts';
import { DEFAULT_KEPT, RequestLog, type RequestLogOptions } from './request-log.ts';

export interface RequestLogsOptions {
  /** Folder of their files; undefined keeps them in memory. */
  dir: string | undefined;
  runtime: Runtime;
  /** How many requests are kept per world; 0 keeps none, undefined 10,000. */
  kept?: number | undefined;
  rowOf: RequestLogOptions['rowOf'];
}

/** The request log of each world, opened when it is first needed. */
export class RequestLogs {
  readonly #options: RequestLogsOptions;
  readonly #logs = new Map<string, RequestLog>();

  constructor(options: RequestLogsOptions) {
    this.#options = options;
  }

  of(world: World): RequestLog {
    const known = this.#logs.get(world.name);
    if (known) return known;
    const { runtime, kept = DEFAULT_KEPT, rowOf } = this.#options;
    const log = new RequestLog({ file: this.#fileOf(world), runtime, kept, rowOf });
    this.#logs.set(world.name, log);
    return log;
  }

  /** Of a world that is gone. */
  remove(world: World): void {
    this.#logs.get(world.name)?.close();
    this.#logs.delete(world.name);
    const file = this.#fileOf(world);
    if (file !== undefined) removeDatabaseFile(file);
  }

  close(): void {
    for (const log of this.#logs.values()) log.close();
    this.#logs.clear();
  }

  #fileOf(world: World): string | undefined {
    const { dir } = this.#options;
    return dir === undefined ? undefined : worldFile(dir, world.name);
  }
}
