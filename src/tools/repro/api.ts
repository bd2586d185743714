import type { ExportedRepro, ReplayResult } from './result.ts';

export type { ExportedRepro, ReplayDifference, ReplayResult, ReproSummary } from './result.ts';

/** Selects the inputs of a repro; by default all of the newest recording. */
export interface ExportReproOptions {
  /** ID of the request that is the target. */
  request?: string;
  /** ID of an order: the last request that names it is the target. */
  order?: string;
  /** Name of a domain: the last request that names it is the target. */
  domain?: string;
  /** Number of the newest requests; the newest that was rejected is the target. */
  last?: number;
  /** ISO 8601 time, or a duration before now such as `2h`. */
  since?: string;
  /** Name of the world; `default` if left out. */
  world?: string;
  /** Replaces secrets only. */
  keepPersonalData?: boolean;
}

/** Methods that this tool adds to a sandbox. */
export interface ReproMethods {
  /** Exports the recorded requests and acts as a file that `replayRepro` and `sandlot repro` read. */
  exportRepro(options?: ExportReproOptions): Promise<ExportedRepro>;
}

/**
 * Replays a repro file in a sandbox in memory, without network.
 * @throws Error if the file is unusable, or another version is needed
 */
export async function replayRepro(bytes: Uint8Array): Promise<ReplayResult> {
  const { readRepro } = await import('./read-repro.ts');
  const { replayFile } = await import('./replay-file.ts');
  return replayFile(readRepro(bytes));
}
