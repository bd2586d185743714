import type { StepLabel } from '../world/inputs.ts';
import type { Api, HeaderList } from './message.ts';
import type { Check } from './trace.ts';

/** Why a request was rejected by a check that a replay cannot repeat. */
export interface RecordedRejection {
  code: string;
  message: string;
  status: number;
}

/** A request as it was received, without secrets, and the response to it. */
export interface RecordedRequest {
  kind: 'request';
  /** Number of the input in its recording, from 1. */
  n: number;
  /** Real time of the event-loop tick in which it entered the world, Unix ms. */
  at: number;
  requestId: string;
  api: Api;
  method: string;
  /** Path and query, as sent. */
  target: string;
  headers: HeaderList;
  body: Buffer;
  /** Why the body could not be read; null if it was read. */
  bodyResult: RecordedRejection | null;
  /** `passed`, or why the signature was rejected; null if it was not checked. */
  signatureResult: 'passed' | RecordedRejection | null;
  /** `closed` if the connection was closed without one; null if the recording ended before. */
  response: RecordedResponse | 'closed' | null;
  /** The check that rejected the request. */
  failedCheck: Check | null;
}

export interface RecordedResponse {
  status: number;
  headers: HeaderList;
  /** The beginning if it is longer than 32 KiB. Empty for hosted pages, whose text is not kept. */
  body: string;
  /** Size and SHA-256 of the whole body if `body` is only its beginning. */
  whole: { bytes: number; sha256: string } | null;
}

/** A step of background work, or of a request that goes on. */
export interface RecordedStep {
  kind: 'step';
  n: number;
  /** Real time, Unix ms. */
  at: number;
  label: StepLabel;
  /** Number of the request that goes on, or of the request or step whose send has returned. */
  of: number | null;
  delivery: string | null;
  /** The webhook body that was sent, of `outcome`. */
  body: string | null;
  result: unknown;
}

/** A step as it is stored; an absent field is null. */
export interface StoredStep extends Pick<RecordedStep, 'at' | 'label'> {
  of?: number | null | undefined;
  delivery?: string | null | undefined;
  body?: string | null | undefined;
  result?: unknown;
}

/** Completes a stored step. */
export function recordedStep(
  n: number,
  { at, label, of = null, delivery = null, body = null, result = null }: StoredStep,
): RecordedStep {
  return { kind: 'step', n, at, label, of, delivery, body, result };
}

export type RecordedInput = RecordedRequest | RecordedStep;

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
  base: Base;
  requests = 0;
  /** Names of the snapshots that were saved in it. */
  readonly snapshots = new Set<string>();
  /** Its row in the log; undefined until it is written, or if it is lost. */
  id: number | undefined;
  readonly #readSettings: () => RecordedSettings;
  #settings: RecordedSettings | undefined;

  constructor(base: Base, began: number, readSettings: () => RecordedSettings) {
    this.base = base;
    this.began = began;
    this.#readSettings = readSettings;
  }

  get baseBytes(): number {
    return (this.base.kind === 'database' && this.base.bytes?.length) || 0;
  }

  /** Called when the base is stored. */
  releaseBase(): void {
    this.base = { kind: 'database', bytes: undefined };
  }

  /** Called with the first input: before, the port of a new sandbox is not bound. */
  freezeSettings(): void {
    this.#settings ??= this.#readSettings();
  }

  get settings(): RecordedSettings {
    return this.#settings ?? this.#readSettings();
  }
}
