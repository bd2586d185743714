import { CodedError, conflict, validationError } from '../../kernel/errors.ts';
import { systemRuntime } from '../../kernel/runtime.ts';
import { SECOND } from '../../kernel/time.ts';
import { describeInputs, describeRepro, type InputLine, visible } from './describe.ts';
import { DivergedError } from './differences.ts';
import type { Repro } from './format.ts';
import { minimize } from './minimize.ts';
import { atPlace, inputsOf } from './places.ts';
import { writeRepro } from './read-repro.ts';
import { NotReplayableError } from './replay-file.ts';
import type { ExportedRepro } from './result.ts';
import { parsePath, why } from './why.ts';
import type { ObjectChange } from './world-objects.ts';
import { differenceOf } from './world-objects.ts';

/** So that a client does not give up before. */
const MAX_MINIMIZE_MS = 45 * SECOND;

/** What is asked about a recording; it can be sent to a thread. */
export type Question =
  | { kind: 'minimize' }
  | { kind: 'steps'; at: string | undefined }
  | { kind: 'why'; path: string; at: string | undefined };

/** A file, and what was asked about it. */
export interface Analyzed extends ExportedRepro {
  answer?: object;
}

/** The steps up to a request. */
export interface Steps {
  /** Of the step whose difference is shown. */
  at: string;
  steps: InputLine[];
  difference: ObjectChange[];
}

/**
 * Answers a question about a file, or makes it smaller.
 * @throws CodedError that says why it cannot
 */
export async function analyze(
  repro: Repro,
  exported: ExportedRepro,
  question: Question,
  madeAt: number,
): Promise<Analyzed> {
  const { summary } = exported;
  if (!summary.verified) throw conflict(`the recording does not replay: ${summary.problem}`);
  try {
    if (question.kind === 'minimize') return await smallest(repro, summary, madeAt);
    const place = question.at ?? repro.head.target;
    const input = atPlace(repro.inputs, place);
    if (!input) throw validationError(`at: the recording has no act ${place}`);
    const answer =
      question.kind === 'why'
        ? await why(repro, parsePath(question.path), { input, place })
        : {
            at: place,
            steps: describeInputs(inputsOf(repro.inputs), repro.inputs),
            difference: await differenceOf(repro, input),
          };
    return { ...exported, answer };
  } catch (error) {
    throw coded(error);
  }
}

async function smallest(
  repro: Repro,
  { file }: ExportedRepro['summary'],
  madeAt: number,
): Promise<ExportedRepro> {
  const end = systemRuntime.monotonic() + MAX_MINIMIZE_MS;
  const stopped = () => systemRuntime.monotonic() >= end;
  const { target } = repro.head;
  const found = await minimize(repro, { target, keep: [], stopped, madeAt });
  const bytes = writeRepro(found.repro);
  const name = `${file}`.replace(/\.repro/, '.min$&');
  return { bytes, summary: describeRepro(found.repro, { name, bytes: bytes.length }) };
}

/** An error of the file as one of the control API. */
function coded(error: unknown): unknown {
  if (error instanceof CodedError) {
    return new CodedError(error.code, visible(error.message));
  }
  const isOfFile = error instanceof DivergedError || error instanceof NotReplayableError;
  return isOfFile ? conflict(visible(error.message)) : error;
}
