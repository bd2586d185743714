import { VERSION } from '../../version.ts';
import { DivergedError, type Divergence } from './differences.ts';
import { inventoryDigest } from './digest.ts';
import type { Repro } from './format.ts';
import { inputsOf, lastActOf } from './places.ts';
import { isVersionText } from './read-repro.ts';
import { type Recorded, Replay, type ReplayOptions } from './replay.ts';
import type { ReplayResult } from './result.ts';
import { databaseOfRows } from './rows.ts';

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
    for await (const _ of replay.reproduce());
    return resultOf(repro, replay.divergenceOf(repro.inputs) ?? compareEnd(repro, replay));
  } catch (error) {
    if (error instanceof DivergedError) return resultOf(repro, error.divergence);
    throw error;
  } finally {
    await replay.close();
  }
}

function resultOf({ inputs }: Repro, divergence: Divergence | undefined): ReplayResult {
  const { input = '', differences = [] } = divergence ?? {};
  return {
    result: divergence ? 'diverged' : 'reproduced',
    inputs: inputsOf(inputs).length,
    divergence: differences.map((each) => ({ input, ...each })),
  };
}

/** Another version may store the same contents in another way. */
function compareEnd({ head, inputs, end }: Repro, replay: Replay): Divergence | undefined {
  if (head.sandlot !== VERSION || end.digest === undefined) return undefined;
  const [recorded, replayed] = [end.digest, replay.digest()];
  if (recorded === replayed) return undefined;
  const differences = [{ path: 'contents of the world', recorded, replayed }];
  return { input: String(lastActOf(inputs)), differences };
}

/** Opens the sandbox of a file before its first input. @throws NotReplayableError, ReproFileError */
export async function openFile(
  repro: Omit<Repro, 'end'>,
  options: ReplayOptions = {},
): Promise<Replay> {
  const replay = await Replay.open(recordedOf(repro), options);
  const { base, sandlot } = repro.head;
  if (base.type === 'rows') return replay;
  if ((await inventoryDigest(() => replay.client)) === base.digest) return replay;
  await replay.close();
  const version = isVersionText(sandlot) ? sandlot : 'VERSION';
  throw new NotReplayableError(
    `this version seeds another inventory than sandlot ${version}; run npx sandlot@${version} repro replay FILE`,
  );
}

/** Returns a file as it is replayed. @throws ReproFileError if its rows are not those of a world */
export function recordedOf({ head, rows, inputs }: Omit<Repro, 'end'>): Recorded {
  const { base, settings, world } = head;
  return {
    world,
    base: base.type === 'rows' ? databaseOfRows({ head, rows }) : base,
    settings: { ...settings, base_url: head.base_url },
    inputs,
    setsCounters: head.origin !== 'sandbox',
  };
}
