import type { CommandContext } from '../../../cli/context.ts';
import { CheckFailedError } from '../../../cli/errors.ts';
import type { Formatter } from '../../../cli/output.ts';
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
import { replayFile } from '../replay-file.ts';
import type { ReplayResult } from '../result.ts';
import { withFileErrors } from './repro-file.ts';
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
