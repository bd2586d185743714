import type { CommandContext } from '../../../cli/context.ts';
import { CheckFailedError } from '../../../cli/errors.ts';
import type { Formatter } from '../../../cli/output.ts';
import { countOf } from '../../../kernel/count.ts';
import { VERSION } from '../../../version.ts';
import { describeRequests, shorten } from '../describe.ts';
import type { Repro } from '../format.ts';
import { replayFile } from '../replay-file.ts';
import type { ReplayResult } from '../result.ts';
import { withFileErrors } from './repro-file.ts';
import { formatDifferences, formatRequests } from './show-repro.ts';

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
  { head, requests }: Repro,
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
  const lines = describeRequests(requests);
  if (result === 'reproduced') {
    return [
      ...versions,
      formatRequests(lines.slice(-SHOWN_BEFORE - 1), formatter),
      colors.success(`Reproduced: the responses to ${countOf(requests.length, 'request')} match.`),
    ];
  }
  const number = Number(divergence[0]?.input);
  const at = lines.findIndex(({ n }) => n === number);
  const shown = lines
    .slice(Math.max(0, at - SHOWN_BEFORE), at + 1)
    .map((line) => (line.n === number ? { ...line, result: 'diverged' } : line));
  return [
    ...versions,
    formatRequests(shown, formatter, number),
    '',
    formatDifferences(divergence, formatter),
    `Diverged at #${number} of ${requests.at(-1)?.n ?? 0}.${number > 1 ? ' To inspect the sandbox just before it:' : ''}`,
    ...(number > 1 ? [`  sandlot repro open ${file} --at ${number - 1}`] : []),
  ];
}
