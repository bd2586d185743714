import { IdSeries } from '../../kernel/ids.ts';
import { openLogReader } from '../../requests/log-file.ts';
import { closeStore, type Store } from '../../store/open.ts';
import type { Analyzed, Question } from './analyze.ts';
import type { Base, RecordedSettings } from './recording/recording.ts';
import { Recordings } from './recording/recordings.ts';
import {
  InFlightError,
  type ReproSelection,
  requestsOf,
  type Selected,
  selectInputs,
} from './select.ts';

export interface ExportOptions extends ReproSelection {
  keepPersonalData?: boolean | undefined;
  /** False writes plain JSON Lines. */
  compressed?: boolean | undefined;
  /** Is answered too. */
  question?: Question | undefined;
}

/** What is to be exported, whatever is recorded. */
interface Exported {
  world: string;
  options: ExportOptions;
  /** Secrets that must not be in the file. */
  secrets: string[];
  /** Names of other worlds from which the token key may follow. */
  worldNames: string[];
  /** Real time, Unix ms. */
  madeAt: number;
}

/** The input of an export; it can be sent to a thread. */
export interface ExportJob extends Exported, Omit<Selected, 'recording'> {
  /** Undefined if it was deleted to save space. */
  base: Base | undefined;
  settings: RecordedSettings;
}

export interface ExportRequest extends Exported {
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
export function jobFrom(recordings: Recordings, request: ExportRequest): ExportJob {
  const { options, reason, newest } = request;
  if (newest !== undefined) assertComplete(recordings, newest);
  return jobOf(recordings, selectInputs(recordings, options, reason), request);
}

/** As `jobFrom`. @param open opens the log, which may be in use */
export function jobFromFile(
  { logFile, seed, ...request }: StoredRequest,
  open: (file: string) => Store = openLogReader,
): ExportJob {
  const { world, current } = request;
  const log = open(logFile);
  try {
    const recordings = new Recordings({
      log: () => log,
      idsOf: (series) => new IdSeries({ seed, world, series }),
      current: () => current,
    });
    return jobFrom(recordings, request);
  } finally {
    closeStore(log);
  }
}

export function jobOf(
  recordings: Recordings,
  { recording, ...selected }: Selected,
  exported: Exported,
): ExportJob {
  const { settings } = recording;
  return { ...exported, ...selected, base: recordings.base(recording), settings };
}

function assertComplete(recordings: Recordings, requestId: string): void {
  const found = recordings.find(requestId);
  const recording = recordings.list().find(({ key }) => key === found);
  if (!recording || recording.ended !== null) return;
  const known = requestsOf(recordings.inputs(recording));
  const request = known.find(({ request_id }) => request_id === requestId);
  if (!request?.response) throw new InFlightError();
}
