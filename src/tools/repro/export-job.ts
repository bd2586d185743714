import type { Question } from './analyze.ts';
import type { Base, InputRecord, RecordedSettings } from './recording/recording.ts';

/** The input of an export; it can be sent to a thread. */
export interface ExportJob {
  world: string;
  base: Base;
  settings: RecordedSettings;
  /** From the start of the recording to the end of the target. */
  inputs: readonly InputRecord[];
  /** Number of the first act, or from where on the file may start: with the first act that finds the world idle. */
  start: number;
  /** Places of requests. */
  target: string;
  focus: [first: string, last: string];
  keepPersonalData: boolean;
  /** Secrets that must not be in the file. */
  secrets: string[];
  /** Names of worlds from which the token key may follow. */
  worldNames: string[];
  fileName: string;
  compressed: boolean;
  question?: Question | undefined;
  /** Real time, Unix ms. */
  madeAt: number;
}
