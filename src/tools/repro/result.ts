/** The contents of a file, as texts of one line. */
export interface ReproSummary {
  /** Suggested name. */
  file: string | null;
  bytes: number | null;
  world: string;
  inputs: number;
  target: string;
  contains: string;
  base: string;
  replaced: string;
  secrets: string;
  /** Whether two replays gave the recorded responses. */
  verified: boolean;
  problem: string | null;
}

/** A repro file, and what it contains. */
export interface ExportedRepro {
  bytes: Uint8Array;
  summary: ReproSummary;
}

/** Where two outputs differ; a side that lacks the value has none. */
export interface Difference {
  /** `status`, `headers.NAME`, `body`, or the path of a JSON field. */
  path: string;
  recorded?: unknown;
  replayed?: unknown;
  /** Why there is a difference without a different value. */
  note?: string;
}

/** What `repro replay --json` prints. */
export interface ReplayResult {
  result: 'reproduced' | 'diverged';
  /** How many inputs the file has. */
  inputs: number;
  /** Of the first input that diverges. */
  divergence: ReplayDifference[];
}

/** A difference, with the number of its input. */
export interface ReplayDifference extends Difference {
  /** `12.1` is the first read after act 12. */
  input: string;
}
