import type { CommandContext } from '../../../cli/context.ts';
import { CheckFailedError } from '../../../cli/errors.ts';
import { writeAtomically } from '../../../cli/write-file.ts';
import { countOf } from '../../../kernel/count.ts';
import { inputsOf } from '../places.ts';
import { replayedFile } from '../replayed-file.ts';
import { writeRepro } from '../write-repro.ts';
import { explained } from './replay-repro.ts';
import { readReproFile, requireOutFile } from './repro-file.ts';

/** Replays a whole file and writes it with the responses of this version. @throws CheckFailedError if one differs */
export async function replayTo(
  { io, out }: CommandContext,
  file: string,
  target: { file: string; force: boolean },
): Promise<void> {
  const written = requireOutFile(io, target.file, { file, act: 'replayed' }, target.force);
  const recorded = await readReproFile(io, file);
  const { repro, differing } = await explained(file, () =>
    replayedFile(recorded, io.runtime.now()),
  );
  await writeAtomically(
    written,
    writeRepro(repro, { compressed: !target.file.endsWith('.jsonl') }),
  );
  const inputs = inputsOf(recorded.inputs).length;
  out.result({ file: target.file, inputs, differing }, () => [
    `Replayed ${countOf(inputs, 'input')}: ${differing.length === 0 ? 'all responses match the recording' : `${differing.length} differ`}.`,
    `Wrote ${target.file}`,
  ]);
  if (differing.length > 0) throw new CheckFailedError('the replay diverged');
}
