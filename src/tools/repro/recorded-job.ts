import { IdSeries } from '../../kernel/ids.ts';
import { openLogReader } from '../../requests/log-file.ts';
import { closeStore, type Store } from '../../store/open.ts';
import { DEFAULT_WORLD } from '../../world/files.ts';
import type { Analyzed, Question } from './analyze.ts';
import type { Base, InputRecord, RecordedSettings } from './recording/recording.ts';
import { Recordings } from './recording/recordings.ts';
import {
  InFlightError,
  type ReproSelection,
  requestsOf,
  type Selected,
  selectInputs,
} from './select.ts';

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

export interface ExportOptions extends ReproSelection {
  keepPersonalData?: boolean | undefined;
  /** False writes plain JSON Lines. */
  compressed?: boolean | undefined;
  /** Is answered too. */
  question?: Question | undefined;
}

/** What is to be exported. */
export interface ExportRequest {
  options: ExportOptions;
  own: Pick<ExportJob, 'world' | 'madeAt' | 'secrets' | 'worldNames'>;
  /** Why nothing is recorded now, if so. */
  reason: string | null;
  /** The key of the recording that goes on, if one does. */
  current?: string | undefined;
  /** Id of the newest request in the log, if it must be complete. */
  newest?: string | undefined;
}

/** As `ExportRequest`, from the log in a file. It can be sent to a thread. */
export interface StoredRequest extends ExportRequest {
  logFile: string;
  seed: string;
}

/** Makes a file of a job, or of what is to be read from a log. */
export type RunExport = (job: ExportJob | StoredRequest) => Promise<Analyzed>;

/** @throws not_found, conflict; InFlightError if a request is not complete */
export function jobFrom(
  recordings: Recordings,
  { options, own, reason, newest }: ExportRequest,
): ExportJob {
  if (newest !== undefined) assertComplete(recordings, newest);
  return jobOf(recordings, selectInputs(recordings, options, reason), options, own);
}

/** As `jobFrom`. @param open opens the log, which may be in use */
export function jobFromFile(
  { logFile, seed, ...request }: StoredRequest,
  open: (file: string) => Store = openLogReader,
): ExportJob {
  const { world } = request.own;
  const log = open(logFile);
  try {
    const recordings = new Recordings({
      log: () => log,
      idsOf: (series) => new IdSeries({ seed, world, series }),
      current: () => request.current,
    });
    return jobFrom(recordings, request);
  } finally {
    closeStore(log);
  }
}

export function jobOf(
  recordings: Recordings,
  { recording, inputs, start, target, focus }: Selected,
  options: ExportOptions,
  own: Pick<ExportJob, 'world' | 'madeAt' | 'secrets' | 'worldNames'>,
): ExportJob {
  const compressed = options.compressed ?? true;
  const about = options.request ?? options.order ?? options.domain ?? 'newest';
  return {
    ...own,
    worldNames: [...new Set([own.world, DEFAULT_WORLD, ...own.worldNames])],
    base: recordings.base(recording),
    settings: recording.settings,
    inputs,
    start,
    target,
    focus,
    keepPersonalData: options.keepPersonalData ?? false,
    fileName: `sandlot-${own.world}-${about}.repro.${compressed ? 'gz' : 'jsonl'}`,
    compressed,
    question: options.question,
  };
}

function assertComplete(recordings: Recordings, requestId: string): void {
  const found = recordings.find(requestId);
  const recording = recordings.list().find(({ key }) => key === found?.recording);
  if (!recording || recording.ended !== null) return;
  const known = requestsOf(recordings.inputs(recording));
  const request = known.find(({ request_id }) => request_id === requestId);
  if (!request?.response) throw new InFlightError();
}
