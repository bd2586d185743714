import path from 'node:path';
import { IdSeries } from '../kernel/ids.ts';
import { KnownSecrets, MIN_KNOWN_SECRET } from '../redaction/known-secrets.ts';
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
  /** Returns the secrets of a world, its credentials' and webhooks'; of all worlds if it is undefined. */
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
  readonly #secrets = new WeakMap<World, { values: string[]; known: KnownSecrets }>();
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
      secrets: () => this.#knownSecrets(world),
      series: this.#seriesOf(world),
      onOpened: () => this.#limit(log),
    });
    extend(world, log);
    this.#logs.set(world, log);
    this.#open.set(log, world);
    return log;
  }

  /** The secrets of a world that are redacted. */
  secretsOf(world: World): string[] {
    return Array.from(this.#options.secretsOf(world)).filter(
      ({ length }) => length >= MIN_KNOWN_SECRET,
    );
  }

  /** Removes secrets from a message: those of a world, or of all. Not for responses, which stay as they are. */
  redact(message: string, world?: World): string {
    try {
      const secrets = world
        ? this.#knownSecrets(world)
        : new KnownSecrets(this.#options.secretsOf(undefined));
      return secrets.redact(message);
    } catch {
      return 'an error whose text may hold a secret: the secrets cannot be read now';
    }
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
      secrets: () => new KnownSecrets([]),
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

  #knownSecrets(world: World): KnownSecrets {
    const values = this.secretsOf(world);
    const last = this.#secrets.get(world);
    const isSame = last?.values.length === values.length;
    if (isSame && last.values.every((value, at) => value === values[at])) return last.known;
    const known = new KnownSecrets(values);
    this.#secrets.set(world, { values, known });
    return known;
  }

  #fileOf(world: World): string | undefined {
    const { dir } = this.#options;
    return dir === undefined ? undefined : worldFile(dir, world.name);
  }
}
