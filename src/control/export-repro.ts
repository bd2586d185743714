import { validationError } from '../kernel/errors.ts';
import { parseDuration, parseIsoTime } from '../kernel/time.ts';
import type { World } from '../world/world.ts';

/** What a repro is about, and what it may contain. */
interface ReproExportOptions {
  request?: string | undefined;
  order?: string | undefined;
  domain?: string | undefined;
  last?: number | undefined;
  /** Real time, Unix ms. */
  since?: number | undefined;
  keepPersonalData?: boolean | undefined;
}

/** A repro file, with a summary as texts. */
interface ExportedFile {
  bytes: Uint8Array;
  summary: { file: string | null; verified: boolean };
}

/** Exports what a world has recorded. @throws not_found, conflict */
export type ExportRepro = (world: World, options: ReproExportOptions) => Promise<ExportedFile>;

/** What `since` must be. */
export const SINCE = 'must be a duration such as 2h, or an ISO 8601 time';

/** Reads a time, or a duration before now, in Unix ms; undefined if it is neither. */
export function readInstant(since: string, now: number): number | undefined {
  const duration = parseDuration(since);
  return duration === undefined ? parseIsoTime(since) : now - duration;
}

/** As `readInstant`. @throws validation_error */
export function instantOf(since: string, now: number): number {
  const instant = readInstant(since, now);
  if (instant !== undefined) return instant;
  throw validationError(`since: ${SINCE}`);
}
