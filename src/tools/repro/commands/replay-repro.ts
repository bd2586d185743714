import type { CommandContext } from '../../../cli/context.ts';
import { CommandFailedError } from '../../../cli/errors.ts';
import { shellQuote } from '../../../client/curl.ts';
import { countOf } from '../../../kernel/count.ts';
import { VERSION } from '../../../version.ts';
import { escapeAndShorten } from '../describe-repro.ts';
import { replayFile } from '../replay-file.ts';
import { readReproFile, withFileErrors } from './repro-file.ts';
import { formatDifferences, formatRequests, shownRequests } from './show-repro.ts';

/** How many requests are shown, up to the one that differs. */
const MAX_SHOWN_REQUESTS = 4;

/** Replays a file. @throws CommandFailedError if it diverges */
export async function replay({ io, out }: CommandContext, file: string): Promise<void> {
  const repro = await readReproFile(io, file);
  const result = await withFileErrors(file, () => replayFile(repro));
  const { requests, head } = repro;
  const lastReplayed = Number(result.divergence[0]?.input ?? requests.at(-1)?.n);
  const end = requests.findIndex(({ n }) => n === lastReplayed) + 1;
  const shown = await shownRequests(requests.slice(Math.max(0, end - MAX_SHOWN_REQUESTS), end));
  // Shown only for another version: the same one would judge signatures as it did.
  const versions = `Recorded with sandlot ${escapeAndShorten(head.sandlot)}, replaying with ${VERSION}. Signatures are not checked again.`;
  const success = `Reproduced: the responses to ${countOf(requests.length, 'request')} match.`;
  out.result(result, (_, formatter) => [
    ...(head.sandlot === VERSION ? [] : [versions, '']),
    formatRequests(shown, formatter, result.divergence.length > 0 ? lastReplayed : undefined),
    ...(result.result === 'reproduced'
      ? [formatter.colors.success(success)]
      : [
          '',
          formatDifferences(result.divergence, formatter),
          `Diverged at #${lastReplayed} of ${requests.at(-1)?.n ?? 0}. To inspect the sandbox just before it:`,
          `  sandlot repro open ${shellQuote(file)} --at ${requests[end - 2]?.n ?? 0}`,
        ]),
  ]);
  if (result.result === 'diverged') throw new CommandFailedError('the replay diverged');
}
