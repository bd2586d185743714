import { exportFile, type RecordedRepro } from '../../../src/tools/repro/export.ts';
import type { InputRecord, Repro } from '../../../src/tools/repro/format.ts';
import { placesOf } from '../../../src/tools/repro/places.ts';
import { readRepro } from '../../../src/tools/repro/read-repro.ts';
import type { Recording } from '../../../src/tools/repro/recording/recording-store.ts';
import { withoutLaterActs } from '../../../src/tools/repro/recording/recordings.ts';
import { toRecordedRepro } from '../../../src/tools/repro/run-export.ts';
import type { RecordedSandbox } from './recorded-sandbox.ts';

interface ExportChoice {
  keepPersonalData: boolean;
  /** Number of the first input; the first of the recording if left out. */
  start?: number;
}

/** A recording that may go on. */
export interface RecordedSoFar {
  recording: Recording;
  inputs: InputRecord[];
}

/** A whole recording as a file. */
export function wholeFile(
  at: RecordedSandbox,
  { recording, inputs }: RecordedSoFar,
  start = 1,
): RecordedRepro {
  const last = inputs.findLast(({ kind }) => kind === 'request');
  const target = (last && placesOf(inputs).get(last)) ?? '1';
  const selected = { recording, inputs, target, start };
  const { recordings } = at.recorded;
  return toRecordedRepro(
    recordings,
    { ...selected, focus: [target, target] },
    {
      ...{ world: at.world.name, madeAt: 0, worldNames: [] },
      secrets: [...at.sandbox.requests.secretsOf(at.world)],
    },
  );
}

/** Exports all inputs of a recording. @returns the file and why it is not verified */
export function exportWhole(
  at: RecordedSandbox,
  recorded: RecordedSoFar,
  { keepPersonalData, start }: ExportChoice,
): Promise<{ repro: Repro; problem: string | null }> {
  return exported(wholeFile(at, recorded, start), keepPersonalData);
}

/** Exports a replay of a file. */
export async function exportAgain(repro: Repro): Promise<Repro> {
  const isKept = repro.head.privacy.personal_data === 'kept';
  return (await exported({ repro, start: 1, secrets: [] }, isKept)).repro;
}

/** The file up to an act, as a person would cut it off. */
export function prefixOf(repro: Repro, last: number): Repro {
  const cut = (input: InputRecord) =>
    input.kind === 'act' ? input : withoutLaterActs(last, input);
  const isKept = (each: InputRecord) =>
    (each.kind === 'act' ? each.n : (each.acts[0] ?? each.after)) <= last;
  return { ...repro, inputs: repro.inputs.filter(isKept).map(cut), end: { kind: 'end' } };
}

async function exported(recorded: RecordedRepro, keepPersonalData: boolean) {
  const { bytes, summary } = await exportFile(recorded, keepPersonalData);
  return { repro: readRepro(bytes), problem: summary.problem };
}
