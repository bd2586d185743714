import type { ExportedRepro, ReplayResult } from './result.ts';

export type { ExportedRepro, ReplayDifference, ReplayResult, ReproSummary } from './result.ts';

/** Selects the target of a repro; by default the newest rejected request, or else the newest. */
export interface ExportReproOptions {
  /** ID of the request that is the target. */
  request?: string | undefined;
  /** ID of an order: the last request that names it is the target. */
  order?: string | undefined;
  /** Name of a domain: the last request that names it is the target. */
  domain?: string | undefined;
  /** The newest rejected of the `last` requests is the target. */
  last?: number | undefined;
  /** ISO 8601 sandbox time, or a duration such as `2h`: the newest rejected request since is the target. */
  since?: string | undefined;
  /** Name of the world; `default` if left out. */
  world?: string;
  /** Replaces secrets only. */
  keepPersonalData?: boolean | undefined;
}

/** Methods that this tool adds to a sandbox. */
export interface ReproMethods {
  /** Exports the requests of a world up to a target, and its state, as a file that `replayRepro` and `sandlot repro` read. */
  exportRepro(options?: ExportReproOptions): Promise<ExportedRepro>;
}

/**
 * Replays a repro file in a sandbox in memory, without network.
 * @throws Error if the file is unusable, or another version is needed
 */
export async function replayRepro(bytes: Uint8Array): Promise<ReplayResult> {
  const { readRepro } = await import('./repro-lines.ts');
  const { replayFile } = await import('./replay-file.ts');
  return replayFile(readRepro(bytes));
}
