import { VERSION } from '../../version.ts';
import type { Repro } from './format.ts';
import {
  addOutputs,
  type Divergence,
  differencesAt,
  findDivergence,
  noOutputs,
  outputsOf,
} from './outputs.ts';
import { inputsOf, lastActOf } from './places.ts';
import { isVersionText } from './read-repro.ts';
import { recordedOf } from './recorded-of.ts';
import { type Performed, Replay, type ReplayOptions } from './replay.ts';
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
    const actual = noOutputs();
    for await (const { divergence } of compared(replay, actual)) {
      if (divergence) return diverged(repro, divergence.input, divergence.differences);
    }
    const missing = findDivergence(outputsOf(repro.inputs), actual);
    if (missing) return diverged(repro, missing.input, missing.differences);
    return compareEnd(repro, replay);
  } finally {
    await replay.close();
  }
}

/**
 * Performs acts up to and including `last`, and compares what they lead to with the recording.
 * @param actual gets the outputs
 */
export async function* compared(
  replay: Replay,
  actual = noOutputs(),
  last?: number,
): AsyncGenerator<Performed & { divergence: Divergence | undefined }> {
  const expected = outputsOf(replay.recorded.inputs);
  for await (const performed of replay.perform(last)) {
    const { place, responses, sent, differences } = performed;
    addOutputs(actual, performed);
    const divergences = [...responses.keys(), ...(sent === undefined ? [] : [place])].map((of) => ({
      input: of,
      differences: differencesAt(of, expected, actual),
    }));
    const all = [{ input: place, differences }, ...divergences];
    yield { ...performed, divergence: all.find((each) => each.differences.length > 0) };
  }
}

/** Opens the sandbox of a file before its first input. @throws NotReplayableError, ReproFileError */
export async function openFile(
  { head, rows, inputs }: Repro,
  options: ReplayOptions = {},
): Promise<Replay> {
  const replay = await Replay.open(recordedOf({ head, rows, inputs }), options);
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
  input: string,
  differences: readonly Difference[],
): ReplayResult {
  return {
    result: 'diverged',
    inputs: inputsOf(inputs).length,
    divergence: differences.map((each) => ({ input, ...each })),
  };
}

/** Another version may store the same contents in another way. */
function compareEnd(repro: Repro, replay: Replay): ReplayResult {
  const { head, inputs, end } = repro;
  const digest =
    head.sandlot === VERSION && end.digest !== undefined ? replay.digest() : end.digest;
  if (digest === end.digest)
    return { result: 'reproduced', inputs: inputsOf(inputs).length, divergence: [] };
  return diverged(repro, String(lastActOf(inputs)), [
    { path: 'contents of the world', recorded: end.digest, replayed: digest },
  ]);
}
