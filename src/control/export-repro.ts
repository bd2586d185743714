import { parseDuration, parseIsoTime } from '../kernel/time.ts';
import type { World } from '../world/world.ts';

/** What a repro is about, and what it may contain. */
interface ReproExportOptions {
  request?: string | undefined;
  order?: string | undefined;
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

/** Reads a time, or a duration before now. */
export function instantOf(since: string, now: number): number {
  const duration = parseDuration(since);
  return duration === undefined ? (parseIsoTime(since) ?? now) : now - duration;
}
