import { CodedError, conflict, validationError } from '../../kernel/errors.ts';
import { systemRuntime } from '../../kernel/runtime.ts';
import { SECOND } from '../../kernel/time.ts';
import { describeInputs, describeRepro, escapeUnprintable, type InputLine } from './describe.ts';
import { DivergedError } from './differences.ts';
import type { Repro } from './format.ts';
import { minimize } from './minimize.ts';
import { findInput, listedInputs } from './places.ts';
import { writeRepro } from './read-repro.ts';
import { NotReplayableError } from './replay-file.ts';
import type { ExportedRepro } from './result.ts';
import { findCause, parsePath } from './why.ts';
import type { ObjectChange } from './world-objects.ts';
import { differenceOf } from './world-objects.ts';

/** Less than the timeout of a client. */
const MAX_MINIMIZE_MS = 45 * SECOND;

/** A request for an analysis of a recording; it can be sent to a thread. */
export type AnalysisRequest =
  | { kind: 'minimize' }
  | { kind: 'steps'; at: string | undefined }
  | { kind: 'why'; path: string; at: string | undefined };

export interface AnalyzedRepro extends ExportedRepro {
  analysis?: object;
}

/** The recorded steps up to a request. */
export interface Steps {
  /** Place of the step whose difference is shown. */
  at: string;
  steps: InputLine[];
  difference: ObjectChange[];
}

/**
 * Analyzes a file, or makes it smaller.
 * @throws CodedError with the reason if that fails
 */
export async function analyze(
  repro: Repro,
  exported: ExportedRepro,
  request: AnalysisRequest,
  madeAt: number,
): Promise<AnalyzedRepro> {
  const { summary } = exported;
  if (!summary.verified) throw conflict(`the recording does not replay: ${summary.problem}`);
  try {
    if (request.kind === 'minimize') return await exportMinimized(repro, summary, madeAt);
    const place = request.at ?? repro.head.target;
    const input = findInput(repro.inputs, place);
    if (!input) throw validationError(`at: the recording has no act ${place}`);
    const analysis =
      request.kind === 'why'
        ? await findCause(repro, parsePath(request.path), { input, place })
        : {
            at: place,
            steps: describeInputs(listedInputs(repro.inputs), repro.inputs),
            difference: await differenceOf(repro, input),
          };
    return { ...exported, analysis };
  } catch (error) {
    throw toCodedError(error);
  }
}

async function exportMinimized(
  repro: Repro,
  { file }: ExportedRepro['summary'],
  madeAt: number,
): Promise<ExportedRepro> {
  const end = systemRuntime.monotonic() + MAX_MINIMIZE_MS;
  const isStopped = () => systemRuntime.monotonic() >= end;
  const { target } = repro.head;
  const result = await minimize(repro, { target, keep: [], isStopped, madeAt });
  const bytes = writeRepro(result.repro);
  const name = `${file}`.replace(/\.repro/, '.min$&');
  return { bytes, summary: describeRepro(result.repro, { name, bytes: bytes.length }) };
}

/** Converts an error of a file to one of the control API. */
function toCodedError(error: unknown): unknown {
  if (error instanceof CodedError) {
    return new CodedError(error.code, escapeUnprintable(error.message));
  }
  const isOfFile = error instanceof DivergedError || error instanceof NotReplayableError;
  return isOfFile ? conflict(escapeUnprintable(error.message)) : error;
}
