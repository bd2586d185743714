/** Describes the contents of a file, in texts of one line. */
export interface ReproSummary {
  /** Suggested name; null if the file was read. */
  file: string | null;
  bytes: number | null;
  world: string;
  /** Version that wrote it. */
  sandlot: string;
  /** Number of requests. */
  inputs: number;
  target: string;
  /** Secrets are replaced always. */
  personal_data: 'replaced' | 'kept';
  /** Whether a replay gave the same responses. */
  verified: boolean;
  /** Why not. */
  problem: string | null;
}

/** A repro file and its description. */
export interface ExportedRepro {
  bytes: Uint8Array;
  summary: ReproSummary;
}

/** A difference between responses. A value that is missing on one side is left out. */
export interface Difference {
  /** `status`, `headers.NAME`, `body`, or the path of a JSON field. */
  path: string;
  recorded?: unknown;
  replayed?: unknown;
}

/** What `repro replay --json` prints. */
export interface ReplayResult {
  result: 'reproduced' | 'diverged';
  /** Number of requests of the file. */
  inputs: number;
  /** Differences of the first response that diverges. */
  divergence: ReplayDifference[];
}

export interface ReplayDifference extends Difference {
  /** Number of the request. */
  input: string;
}
