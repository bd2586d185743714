import { ID_SERIES } from '../../../world/world.ts';
import type { ActRecord, ReproHead } from '../format.ts';

/** All counters before an act. @param before those before the act that precedes it */
export function countersAt(
  { counters = {} }: ActRecord,
  before: Readonly<Record<string, number>>,
): Record<string, number> {
  return ID_SERIES in counters ? counters : { ...before, ...counters };
}

/** The contents of a world before the first input of a recording: its seed, or the serialized database with its secrets. */
export type Base = SeedBase | Buffer;

/** A new world to which nothing was added. */
export type SeedBase = Omit<Extract<ReproHead['base'], { type: 'seed' }>, 'digest'>;

/** Settings of the sandbox that responses depend on. */
export type RecordedSettings = ReproHead['settings'] & Pick<ReproHead, 'base_url'>;

/** The part of a recording that is stored as JSON. */
export interface RecordingHead {
  /** Real time, Unix ms. */
  began: number;
  /** Null if it is a database. */
  base: SeedBase | null;
  settings: RecordedSettings;
  /** Why, and its last act; after a kill, what is stored has no end, and the last act is not known. */
  ended: { reason: string; last: number | null } | null;
}

/** A base, and the inputs after it. */
export interface Recording extends RecordingHead {
  id: number;
  key: string;
}

/** A recording that goes on. */
export interface OpenRecording extends Pick<RecordingHead, 'began' | 'base'> {
  /** Names it in the entries of the log. */
  readonly key: string;
  /** Whether the log is given its beginning. */
  isWritten: boolean;
  requests: number;
  /** Requests without an act whose response is recorded. */
  reads: number;
  /** Names of the snapshots that were saved in it. */
  readonly snapshots: Set<string>;
  /** Its row in the log; undefined until it is written, or if it is lost. */
  id?: number;
}
