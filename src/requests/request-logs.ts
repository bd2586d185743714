import path from 'node:path';
import { IdSeries } from '../kernel/ids.ts';
import { TextSearch } from '../redaction/search.ts';
import { worldFile } from '../world/files.ts';
import { IdSeriesRegistry } from '../world/id-series-registry.ts';
import type { World } from '../world/world.ts';
import { removeLog } from './log-file.ts';
import type { RequestLogOptions } from './log-store.ts';
import { DEFAULT_KEPT, RequestLog } from './request-log.ts';

/** How many log files are open at once; each holds three descriptors. */
const MAX_OPEN_FILES = 50;

export interface RequestLogsOptions
  extends Pick<RequestLogOptions, 'runtime' | 'annotate' | 'isCredentialSecret' | 'report'> {
  /** Folder of their files; undefined keeps them in memory. */
  dir: string | undefined;
  /** Databases to start from, in memory, by the name of the world. */
  initial?: Readonly<Record<string, Buffer | undefined>> | undefined;
  /** How many requests are kept per world; 0 keeps none, undefined 10,000. */
  maxEntries?: number | undefined;
  /** Returns the known secrets: of all credentials, and of the webhook registrations of a world. */
  secretsOf(world: World | undefined): Iterable<string>;
  /** Adds extensions to a new log. */
  extend(world: World, log: RequestLog): void;
}

/** The request log of each world, opened when it is first needed. */
export class RequestLogs {
  readonly #options: RequestLogsOptions;
  /** The log of a deleted world stays closed, even if another world gets its name. */
  readonly #logs = new WeakMap<World, RequestLog>();
  readonly #open = new Map<RequestLog, World>();
  readonly #idSeries: IdSeriesRegistry;
  /** Logs whose file is open; the one that was opened last is last. */
  readonly #withOpenFile = new Set<RequestLog>();
  readonly #search = new TextSearch();
  /** The logs of deleted worlds. */
  readonly #former: { world: string; log: RequestLog }[] = [];

  constructor(options: RequestLogsOptions) {
    this.#options = options;
    const { dir } = options;
    this.#idSeries = new IdSeriesRegistry(
      dir === undefined ? undefined : path.join(dir, 'id-series'),
    );
  }

  of(world: World): RequestLog {
    const existing = this.#logs.get(world);
    if (existing) return existing;
    const { maxEntries = DEFAULT_KEPT, initial = {}, extend, ...rest } = this.#options;
    const log: RequestLog = new RequestLog({
      ...rest,
      maxEntries,
      file: this.#fileOf(world),
      initial: initial[world.name],
      search: () => this.#searchFor(world),
      series: this.#seriesOf(world),
      onOpened: () => this.#limit(log),
    });
    extend(world, log);
    this.#logs.set(world, log);
    this.#open.set(log, world);
    return log;
  }

  /** Every secret of a world that was known in this process. */
  secretsOf(world: World): Iterable<string> {
    return this.#searchFor(world).known;
  }

  /** Called before a restore or reset takes secrets away, which requests may still contain. */
  rememberSecrets(world: World): void {
    try {
      this.#searchFor(world);
    } catch {
      // A database that cannot be read can still be reset.
    }
  }

  /** Removes secrets from a message, for a client or stderr. */
  redact(message: string, world?: World): string {
    try {
      this.#searchFor(world);
      // Entries that are not written yet may contain new secrets.
      for (const [log, of] of this.#open) {
        if (!log.isWritten) this.#searchFor(of);
      }
    } catch {
      // If the database cannot be read now, the secrets known so far are redacted.
    }
    return this.#search.replace(message, () => '[redacted]');
  }

  /** Whether requests are logged. */
  get isOn(): boolean {
    return this.#options.maxEntries !== 0;
  }

  /** The logs of a world or of all, also those of deleted worlds. */
  histories(world?: World): { world: string; log: RequestLog }[] {
    if (world) return [{ world: world.name, log: this.of(world) }];
    const open = [...this.#open].map(([log, { name }]) => ({ world: name, log }));
    return [...open, ...this.#former];
  }

  /** Empties the log of a world, and drops those of deleted worlds. */
  clear(world: World): void {
    this.of(world).clear();
    for (const { log } of this.#former.splice(0)) log.close();
  }

  /** Deletes the log of a deleted world; what it has stays in memory, in `histories`. */
  remove(world: World): void {
    const log = this.of(world);
    if (this.isOn) this.#former.push({ world: world.name, log: this.#copyOf(world, log) });
    log.close();
    this.#open.delete(log);
    this.#withOpenFile.delete(log);
    const file = this.#fileOf(world);
    if (file !== undefined) removeLog(file);
  }

  #copyOf(world: World, log: RequestLog): RequestLog {
    return new RequestLog({
      ...this.#options,
      maxEntries: this.#options.maxEntries ?? DEFAULT_KEPT,
      file: undefined,
      initial: log.copy(),
      search: () => this.#search,
      series: this.#seriesOf(world),
    });
  }

  close(): void {
    for (const { log } of this.#former) log.close();
    for (const log of this.#open.keys()) log.close();
    this.#open.clear();
  }

  #seriesOf({ name, identity: { seed } }: World): RequestLogOptions['series'] {
    const owner = { seed, world: name };
    return {
      next: () => this.#idSeries.next(owner),
      repeat: () => this.#idSeries.repeat(owner),
      idsOf: (series) => new IdSeries({ ...owner, series }),
    };
  }

  /** Closes the file that was opened first; it is opened again when needed. */
  #limit(opened: RequestLog): void {
    this.#withOpenFile.delete(opened);
    this.#withOpenFile.add(opened);
    const [oldest] = this.#withOpenFile;
    if (this.#withOpenFile.size <= MAX_OPEN_FILES || !oldest) return;
    this.#withOpenFile.delete(oldest);
    oldest.closeIdle();
  }

  #searchFor(world: World | undefined): TextSearch {
    this.#search.add(this.#options.secretsOf(world));
    return this.#search;
  }

  #fileOf(world: World): string | undefined {
    const { dir } = this.#options;
    return dir === undefined ? undefined : worldFile(dir, world.name);
  }
}
