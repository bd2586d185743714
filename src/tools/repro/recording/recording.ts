import { randomSecret } from '../../../kernel/ids.ts';
import { ID_SERIES } from '../../../world/world.ts';
import type { ActRecord, ReproHead } from '../format.ts';

export type {
  ActCause,
  ActRecord,
  InputRecord,
  RecordedBody,
  RecordedRejection,
  RequestRecord,
  ResponseRecord,
  SendRecord,
} from '../format.ts';

/** All counters before an act. @param before those before the act that precedes it */
export function countersAt(
  { counters = {} }: ActRecord,
  before: Readonly<Record<string, number>>,
): Record<string, number> {
  return ID_SERIES in counters ? counters : { ...before, ...counters };
}

/** The contents of a world before the first input of a recording. */
export type Base = SeedBase | DatabaseBase;

/** A new world to which nothing was added. */
export interface SeedBase {
  kind: 'seed';
  seed: string;
  /** Number of synthetic domains. */
  inventory: number;
  /** Real time of creation, Unix ms. */
  createdAt: number;
  idSeries: number;
}

/** The serialized database; it contains secrets. */
export interface DatabaseBase {
  kind: 'database';
  /** Undefined if it was deleted to save space, or a kill kept it from being stored: the recording cannot be replayed. */
  bytes: Buffer | undefined;
}

/** Settings of the sandbox that responses depend on. */
export type RecordedSettings = ReproHead['settings'] & Pick<ReproHead, 'base_url'>;

/** A base, and the inputs after it. */
export interface Recording {
  id: number;
  key: string;
  /** Real time, Unix ms. */
  began: number;
  /** Why it ended; null while it continues. */
  ended: string | null;
  /** The last number that belongs to it; null while it continues, and after a kill. */
  last: number | null;
  base: Base;
  settings: RecordedSettings;
}

/** The part of a recording that is stored as JSON. */
export interface RecordingHead {
  began: number;
  base: SeedBase | { kind: 'database' };
  settings: RecordedSettings;
  /** `last` is null if a kill ended it: then it has what is stored. */
  ended: { reason: string; last: number | null } | null;
}

/** A recording that goes on. */
export class OpenRecording {
  readonly began: number;
  /** Names it in the log, and its base among the stored ones. */
  readonly key = randomSecret(12);
  readonly base: RecordingHead['base'];
  /** Size of the serialized database that it begins with. */
  readonly baseBytes: number | null;
  requests = 0;
  /** Requests without an act whose response is recorded. */
  reads = 0;
  /** Names of the snapshots that were saved in it. */
  readonly snapshots = new Set<string>();
  /** Its row in the log; undefined until it is written, or if it is lost. */
  id: number | undefined;
  readonly #readSettings: () => RecordedSettings;
  #settings: RecordedSettings | undefined;

  constructor(base: Base, began: number, readSettings: () => RecordedSettings) {
    this.base = base.kind === 'seed' ? base : { kind: base.kind };
    this.baseBytes = (base.kind === 'database' && base.bytes?.length) || null;
    this.began = began;
    this.#readSettings = readSettings;
  }

  /** Called with the first input: before, the port of a new sandbox is not bound. */
  freezeSettings(): void {
    this.#settings ??= this.#readSettings();
  }

  get settings(): RecordedSettings {
    return this.#settings ?? this.#readSettings();
  }
}
