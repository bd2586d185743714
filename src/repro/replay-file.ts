import { VERSION } from '../version.ts';
import type { Repro } from './format.ts';
import { differencesAt, findDivergence, noOutputs, outputsOf } from './outputs.ts';
import { isVersionText } from './read-repro.ts';
import { openReplay, type Replay } from './replay-all.ts';
import type { Difference, ReplayResult } from './result.ts';

/** The file cannot be replayed exactly by this version. */
export class NotReplayableError extends Error {
  override readonly name = 'NotReplayableError';
}

/**
 * Replays a file in a sandbox in memory, without network, and stops at the first divergence.
 * @throws NotReplayableError; ReproFileError if its rows are not those of a world
 */
export async function replayFile(repro: Repro): Promise<ReplayResult> {
  const replay = await openFile(repro);
  try {
    const expected = outputsOf(repro.inputs);
    const actual = noOutputs();
    for (let made = await replay.next(actual); made; made = await replay.next(actual)) {
      if (made.problem) return diverged(repro, made.n, [{ path: 'input', note: made.problem }]);
      for (const n of made.outputs) {
        const differences = differencesAt(n, expected, actual);
        if (differences.length > 0) return diverged(repro, n, differences);
      }
    }
    const missing = findDivergence(expected, actual);
    if (missing) return diverged(repro, missing.input, missing.differences);
    return compareEnd(repro, replay);
  } finally {
    await replay.close();
  }
}

/** Opens the sandbox of a file before its first input. @throws NotReplayableError, ReproFileError */
export async function openFile({ head, rows, inputs }: Repro): Promise<Replay> {
  const replay = await openReplay({ head, rows, inputs });
  const { base, sandlot } = head;
  if (base.type === 'rows' || replay.inventoryDigest() === base.digest) return replay;
  await replay.close();
  const version = isVersionText(sandlot) ? sandlot : 'VERSION';
  throw new NotReplayableError(
    `this version seeds another inventory than sandlot ${version}; run npx sandlot@${version} repro replay FILE`,
  );
}

function diverged(
  { inputs }: Repro,
  input: number,
  differences: readonly Difference[],
): ReplayResult {
  return {
    result: 'diverged',
    inputs: inputs.length,
    divergence: differences.map((each) => ({ input, ...each })),
  };
}

/** Another version may store the same contents in another way. */
function compareEnd(repro: Repro, replay: Replay): ReplayResult {
  const { head, inputs, end } = repro;
  const digest =
    head.sandlot === VERSION && end.digest !== undefined ? replay.digest() : end.digest;
  if (digest === end.digest) return { result: 'reproduced', inputs: inputs.length, divergence: [] };
  const last = inputs.at(-1)?.n ?? 0;
  return diverged(repro, last, [
    { path: 'contents of the world', recorded: end.digest, replayed: digest },
  ]);
}
