import type { CommandContext } from '../../../cli/context.ts';
import { CheckFailedError } from '../../../cli/errors.ts';
import type { Formatter } from '../../../cli/output.ts';
import { writeAtomically } from '../../../cli/write-file.ts';
import { countOf } from '../../../kernel/count.ts';
import { VERSION } from '../../../version.ts';
import { describeInputs, shorten } from '../describe.ts';
import type { Repro } from '../format.ts';
import {
  actNumberOf,
  comparePlaces,
  findInput,
  findInputOfAct,
  lastActNumber,
  listedInputs,
  placesOf,
} from '../places.ts';
import { writeRepro } from '../read-repro.ts';
import { replayedFile, replayFile } from '../replay-file.ts';
import type { ReplayResult } from '../result.ts';
import { readReproFile, requireOutFile, withFileErrors } from './repro-file.ts';
import { formatDifferences, formatLines } from './show-repro.ts';

const SHOWN_BEFORE = 3;

/** Replays a file. @throws CheckFailedError if it diverges */
export async function replay(
  { out }: Pick<CommandContext, 'out'>,
  repro: Repro,
  file: string,
): Promise<void> {
  const result = await withFileErrors(file, () => replayFile(repro));
  out.result(result, (document, formatter) => formatResult(document, repro, file, formatter));
  if (result.result === 'diverged') throw new CheckFailedError('the replay diverged');
}

function formatResult(
  { result, divergence }: ReplayResult,
  { head, inputs }: Repro,
  file: string,
  formatter: Formatter,
): string[] {
  const { colors } = formatter;
  const versions =
    head.sandlot === VERSION
      ? []
      : [
          `Recorded with sandlot ${shorten(head.sandlot)}, replaying with ${VERSION}. Signatures are not checked again.`,
          '',
        ];
  const allLines = describeInputs(listedInputs(inputs), inputs);
  if (result === 'reproduced') {
    const [first, last] = head.focus;
    const selectedLines = allLines.filter(
      ({ place }) => comparePlaces(place, first) >= 0 && comparePlaces(place, last) <= 0,
    );
    return [
      ...versions,
      ...formatLines(selectedLines.slice(-SHOWN_BEFORE - 1), formatter),
      colors.success(`Reproduced: the responses to ${countOf(allLines.length, 'input')} match.`),
    ];
  }
  const place = divergence[0]?.input ?? '';
  const input = findInputOfAct(inputs, Number(place)) ?? findInput(inputs, place);
  const inputPlace = (input && placesOf(inputs).get(input)) ?? place;
  const at = allLines.findIndex((line) => line.place === inputPlace);
  const lines = allLines.slice(Math.max(0, at - SHOWN_BEFORE), at + 1);
  const markedLines = lines.map((line, n) =>
    n === lines.length - 1 ? { ...line, result: colors.error('diverged') } : line,
  );
  const previousAct = inputs.findLast(
    (input) => input.kind === 'act' && comparePlaces(String(input.n), place) < 0,
  );
  return [
    ...versions,
    ...formatLines(markedLines, formatter, inputPlace),
    ...formatDifferences(divergence, formatter),
    `Diverged at #${place} of ${lastActNumber(inputs)}.${previousAct ? ' To inspect the sandbox just before it:' : ''}`,
    ...(previousAct ? [`  sandlot repro open ${file} --at ${actNumberOf(previousAct)}`] : []),
  ];
}

/** Replays a whole file and writes it with the responses of this version. @throws CheckFailedError if one differs */
export async function replayTo(
  { io, out }: CommandContext,
  file: string,
  target: { file: string; force: boolean },
): Promise<void> {
  const outPath = requireOutFile(io, target.file, { file, act: 'replayed' }, target.force);
  const recordedRepro = await readReproFile(io, file);
  const { repro, differing } = await withFileErrors(file, () =>
    replayedFile(recordedRepro, io.runtime.now()),
  );
  await writeAtomically(
    outPath,
    writeRepro(repro, { compressed: !target.file.endsWith('.jsonl') }),
  );
  const inputs = listedInputs(recordedRepro.inputs).length;
  out.result({ file: target.file, inputs, differing }, () => [
    `Replayed ${countOf(inputs, 'input')}: ${differing.length === 0 ? 'all responses match the recording' : `${differing.length} differ`}.`,
    `Wrote ${target.file}`,
  ]);
  if (differing.length > 0) throw new CheckFailedError('the replay diverged');
}
