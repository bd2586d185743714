import { randomSecret } from '../../../kernel/ids.ts';
import type { Api } from '../../../requests/message.ts';
import type { WorkCause } from '../../../world/acts.ts';

/** Why a request was rejected by a check that a replay cannot repeat. */
export interface RecordedRejection {
  code: string;
  message: string;
  status: number;
}

/** A body; one that is not UTF-8 is in base64. */
export type RecordedBody = { text: string } | { base64: string };

/**
 * A request as it was received, without secrets, and the response to it: as a recording has it, and a line of a file. Times
 * are Unix ms.
 */
export interface RequestRecord {
  kind: 'request';
  request_id: string;
  /** Number of the act before it. */
  after: number;
  /** Numbers of its acts. */
  acts: number[];
  /** Real time of its first act, or of the read that its response shows. */
  at: number;
  api: Api;
  method: string;
  /** Path and query, as sent. */
  target: string;
  headers: [name: string, value: string][];
  /** Null if it is empty. */
  body: RecordedBody | null;
  /** Why the body could not be read; null if it was read. */
  body_result: RecordedRejection | null;
  /** `passed`, or why the signature was rejected; null if it was not checked. */
  signature_result: 'passed' | RecordedRejection | null;
  /** Absent if the recording ended before. */
  response?: ResponseRecord | undefined;
  /** The check that rejected the request. */
  failed_check?: string | null | undefined;
}

/** A long body is its size and SHA-256. */
export type ResponseRecord =
  | {
      status: number;
      headers: [name: string, value: string][];
      /** Empty for hosted pages, whose text is not kept. */
      body: RecordedBody | { bytes: number; sha256: string };
    }
  | { closed: true };

/** How a send ended. */
export interface SendRecord {
  outcome: string;
  http_status: number | null;
  duration_ms: number;
  response: string | null;
}

/** A change of a world. */
export interface ActRecord {
  kind: 'act';
  n: number;
  /** Real time, Unix ms. */
  at: number;
  /** Sandbox time, Unix ms. */
  now: number;
  cause: ActCause;
  params?: { to?: number | undefined; body?: string | undefined } | undefined;
  given?: SendRecord[] | undefined;
  counters?: Record<string, number> | undefined;
}

export type ActCause =
  /** `of`: number of the first act of the request; `part`: counts its acts. */
  | { type: 'request'; of: number; part: number }
  | { type: WorkCause['type']; id?: string | undefined };

export type InputRecord = RequestRecord | ActRecord;

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
export interface RecordedSettings {
  baseUrl: string;
  /** Requests per minute by rate class; null for no limit. */
  rateLimits: Record<string, number | null>;
  /** The last id series that was used for a world of this name. */
  lastSeries: number;
  /** Sandbox time at which the clock of a fresh world is frozen, Unix ms; null if it runs. */
  frozenAt: number | null;
  /** Whether the default world has its default credential. */
  defaultCredential: boolean;
}

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
