import type { CommandContext } from '../../../cli/context.ts';
import { CheckFailedError, usageFrom } from '../../../cli/errors.ts';
import type { Formatter } from '../../../cli/output.ts';
import { writeAtomically } from '../../../cli/write-file.ts';
import { countOf } from '../../../kernel/count.ts';
import { VERSION } from '../../../version.ts';
import { describeInput, shortened } from '../describe.ts';
import { DivergedError } from '../differences.ts';
import type { Repro } from '../format.ts';
import { ReproFileError } from '../limits.ts';
import { comparePlaces, inputsOf, lastActOf, placesOf } from '../places.ts';
import type { InputRecord } from '../recording/recording.ts';
import { NotReplayableError, replayFile } from '../replay-file.ts';
import { replayedFile } from '../replayed-file.ts';
import type { ReplayResult } from '../result.ts';
import { writeRepro } from '../write-repro.ts';
import { readReproFile, requireOutFile } from './repro-file.ts';
import { formatDifferences, formatInputs } from './show-repro.ts';

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

/** Runs `act`, and names the file in its errors. @throws UsageError, CheckFailedError */
export async function explained<T>(file: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof NotReplayableError || error instanceof DivergedError) {
      throw new CheckFailedError(`${file}: ${error.message.replace('FILE', file)}`);
    }
    throw usageFrom(error, ReproFileError, `${file}: `);
  }
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
  const places = placesOf(inputs);
  const placeOf = (input: InputRecord) => places.get(input) ?? '';
  const shown = inputsOf(inputs);
  if (result === 'reproduced') {
    const [first, last] = head.focus;
    const selected = shown.filter(
      (each) => comparePlaces(placeOf(each), first) >= 0 && comparePlaces(placeOf(each), last) <= 0,
    );
    return [
      ...versions,
      ...formatInputs(selected.slice(-SHOWN_BEFORE - 1), formatter, { of: inputs }),
      colors.success(`Reproduced: the responses to ${countOf(shown.length, 'input')} match.`),
    ];
  }
  const place = divergence[0]?.input ?? '';
  const at = shown.findIndex((each) => comparePlaces(placeOf(each), place) === 0);
  const input = shown[at] ?? inputs.find((each) => placeOf(each) === place);
  if (!input) return versions;
  const before = shown.slice(Math.max(0, at - SHOWN_BEFORE), Math.max(0, at));
  const lines = formatInputs([...before, input], formatter, {
    of: inputs,
    resultOf: (each) => (each === input ? colors.error('diverged') : describeInput(each).result),
  });
  const last = lines.pop() ?? '';
  const previous = inputs.findLast(
    (each) => each.kind === 'act' && comparePlaces(placeOf(each), place) < 0,
  );
  return [
    ...versions,
    ...lines,
    `${colors.error('✗')}${last.slice(1)}`,
    ...formatDifferences(divergence, formatter),
    `Diverged at #${place} of ${lastActOf(inputs)}.${previous ? ' To inspect the sandbox just before it:' : ''}`,
    ...(previous ? [`  sandlot repro open ${file} --at ${placeOf(previous)}`] : []),
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
