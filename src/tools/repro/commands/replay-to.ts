import fs from 'node:fs';
import path from 'node:path';
import type { CommandContext } from '../../../cli/context.ts';
import { CheckFailedError, UsageError } from '../../../cli/errors.ts';
import { requireOutput, STDOUT, writeAtomically } from '../../../cli/write-file.ts';
import { countOf } from '../../../kernel/count.ts';
import { inputsOf } from '../places.ts';
import { replayedFile } from '../replayed-file.ts';
import { writeRepro } from '../write-repro.ts';
import { readReproFile } from './read-file.ts';
import { explained } from './replay-repro.ts';

/** Replays a whole file and writes it with the responses of this version. @throws CheckFailedError if one differs */
export async function replayTo(
  { io, out }: CommandContext,
  file: string,
  target: { file: string; force: boolean },
): Promise<void> {
  const written = path.resolve(io.cwd, target.file);
  if (target.file === STDOUT) throw new UsageError('--out: pass the name of a file');
  requireOutput(io, '--out', target.file, 'bytes');
  if (fs.existsSync(written)) {
    if (file !== STDOUT && fs.realpathSync(written) === realPathOf(path.resolve(io.cwd, file))) {
      throw new UsageError(`--out: ${target.file} is the file that is replayed; pass another name`);
    }
    if (!target.force) {
      throw new UsageError(
        `--out: ${target.file} exists; pass another name, or --force to overwrite it`,
      );
    }
  }
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

function realPathOf(file: string): string | undefined {
  return fs.existsSync(file) ? fs.realpathSync(file) : undefined;
}
