import type { CommandContext } from '../../../cli/context.ts';
import { CheckFailedError } from '../../../cli/errors.ts';
import type { Formatter } from '../../../cli/output.ts';
import { writeAtomically } from '../../../cli/write-file.ts';
import { countOf } from '../../../kernel/count.ts';
import { VERSION } from '../../../version.ts';
import { describeInputs, shortened } from '../describe.ts';
import type { Repro } from '../format.ts';
import {
  atPlace,
  comparePlaces,
  inputOf,
  inputsOf,
  lastActOf,
  numberOf,
  placesOf,
} from '../places.ts';
import { writeRepro } from '../read-repro.ts';
import { replayedFile, replayFile } from '../replay-file.ts';
import type { ReplayResult } from '../result.ts';
import { explained, readReproFile, requireOutFile } from './repro-file.ts';
import { formatDifferences, formatLines } from './show-repro.ts';

const SHOWN_BEFORE = 3;

/** Replays a file. @throws CheckFailedError if it diverges */
export async function replay(
  { out }: Pick<CommandContext, 'out'>,
  repro: Repro,
  file: string,
): Promise<void> {
  const result = await explained(file, () => replayFile(repro));
  out.result(result, (shown, formatter) => formatResult(shown, repro, file, formatter));
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
          `Recorded with sandlot ${shortened(head.sandlot)}, replaying with ${VERSION}. Signatures are not checked again.`,
          '',
        ];
  const all = describeInputs(inputsOf(inputs), inputs);
  if (result === 'reproduced') {
    const [first, last] = head.focus;
    const selected = all.filter(
      ({ place }) => comparePlaces(place, first) >= 0 && comparePlaces(place, last) <= 0,
    );
    return [
      ...versions,
      ...formatLines(selected.slice(-SHOWN_BEFORE - 1), formatter),
      colors.success(`Reproduced: the responses to ${countOf(all.length, 'input')} match.`),
    ];
  }
  const place = divergence[0]?.input ?? '';
  const input = inputOf(inputs, Number(place)) ?? atPlace(inputs, place);
  const own = (input && placesOf(inputs).get(input)) ?? place;
  const at = all.findIndex((each) => each.place === own);
  const lines = all.slice(Math.max(0, at - SHOWN_BEFORE), at + 1);
  const shown = lines.map((each, n) =>
    n === lines.length - 1 ? { ...each, result: colors.error('diverged') } : each,
  );
  const previous = inputs.findLast(
    (each) => each.kind === 'act' && comparePlaces(String(each.n), place) < 0,
  );
  return [
    ...versions,
    ...formatLines(shown, formatter, own),
    ...formatDifferences(divergence, formatter),
    `Diverged at #${place} of ${lastActOf(inputs)}.${previous ? ' To inspect the sandbox just before it:' : ''}`,
    ...(previous ? [`  sandlot repro open ${file} --at ${numberOf(previous)}`] : []),
  ];
}

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
