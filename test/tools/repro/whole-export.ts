import type { Repro } from '../../../src/tools/repro/format.ts';
import { runExport } from '../../../src/tools/repro/job.ts';
import { placesOf } from '../../../src/tools/repro/places.ts';
import { readRepro } from '../../../src/tools/repro/read-repro.ts';
import type { ExportJob } from '../../../src/tools/repro/recorded-job.ts';
import { jobOf } from '../../../src/tools/repro/recorded-job.ts';
import type { InputRecord, Recording } from '../../../src/tools/repro/recording/recording.ts';
import { upTo } from '../../../src/tools/repro/recording/recordings.ts';
import { recordedOf } from '../../../src/tools/repro/replay-file.ts';
import type { Selected } from '../../../src/tools/repro/select.ts';
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

/** Exports all inputs of a recording. @returns the file and why it is not verified */
export async function exportWhole(
  at: RecordedSandbox,
  { recording, inputs }: RecordedSoFar,
  { keepPersonalData, start = 1 }: ExportChoice,
): Promise<{ repro: Repro; problem: string | null }> {
  const last = inputs.findLast(({ kind }) => kind === 'request');
  const target = (last && placesOf(inputs).get(last)) ?? '1';
  const selected: Selected = {
    ...{ recording, inputs, target, start },
    focus: [target, target],
  };
  const { requests } = at.sandbox;
  const job = jobOf(at.recorded.recordings, selected, {
    world: at.world.name,
    options: { keepPersonalData },
    madeAt: 0,
    secrets: [...requests.secretsOf(at.world)],
    worldNames: [],
  });
  return exported(job);
}

/** Exports a replay of a file. */
export async function exportAgain(repro: Repro): Promise<Repro> {
  const { head } = repro;
  const again = await exported({
    ...recordedOf(repro),
    ...{ start: 1, target: head.target, focus: head.focus },
    options: { keepPersonalData: head.privacy.personal_data === 'kept' },
    worldNames: [head.base.type === 'rows' ? head.base.token_key_of : head.world],
    ...{ secrets: [], madeAt: 0 },
  });
  return again.repro;
}

/** The file up to an act, as a person would cut it off. */
export function prefixOf(repro: Repro, last: number): Repro {
  const cut = (input: InputRecord) => (input.kind === 'act' ? input : upTo(last, input));
  const isKept = (each: InputRecord) =>
    (each.kind === 'act' ? each.n : (each.acts[0] ?? each.after)) <= last;
  return { ...repro, inputs: repro.inputs.filter(isKept).map(cut), end: { kind: 'end' } };
}

async function exported(job: ExportJob): Promise<{ repro: Repro; problem: string | null }> {
  const { bytes, summary } = await runExport(job);
  return { repro: await readRepro(bytes), problem: summary.problem };
}
