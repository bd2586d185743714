import { VERSION } from '../../version.ts';
import { DivergedError, type Divergence, inFile, mapOutput } from './differences.ts';
import type { InputRecord, Repro, ReproHead } from './format.ts';
import { inputsOf, lastActOf, placesOf } from './places.ts';
import { isVersionText, linesOfRepro } from './read-repro.ts';
import { Replay, type Replayed, type ReplayOptions } from './replay.ts';
import type { ReplayResult } from './result.ts';
import { inventoryDigest, secretsIn } from './rows.ts';
import { findForbidden, secretMask } from './scan.ts';

/** The file cannot be replayed exactly by this version. */
export class NotReplayableError extends Error {
  override readonly name = 'NotReplayableError';
}

/** Opens the sandbox of a file before its first input. @throws NotReplayableError, ReproFileError */
export async function openFile(repro: Replayed, options: ReplayOptions = {}): Promise<Replay> {
  const replay = await Replay.open(repro, options);
  const { base, sandlot } = repro.head;
  if (base.type === 'rows') return replay;
  if ((await inventoryDigest(() => replay.client)) === base.digest) return replay;
  await replay.close();
  const version = isVersionText(sandlot) ? sandlot : 'VERSION';
  throw new NotReplayableError(
    `this version seeds another inventory than sandlot ${version}; run npx sandlot@${version} repro replay FILE`,
  );
}

/** Opens the sandbox of a file, and closes it in the end. @throws NotReplayableError, ReproFileError */
export async function inReplay<T>(
  repro: Replayed,
  act: (replay: Replay) => Promise<T>,
): Promise<T> {
  const replay = await openFile(repro);
  try {
    return await act(replay);
  } finally {
    await replay.close();
  }
}

/**
 * Replays a file in a sandbox in memory, without network, and stops at the first divergence.
 * @throws NotReplayableError; ReproFileError if its rows are not those of a world
 */
export async function replayFile(repro: Repro): Promise<ReplayResult> {
  const divergence = await inReplay(repro, async (replay) => {
    try {
      for await (const _ of replay.reproduce());
      return replay.divergenceOf(repro.inputs) ?? compareEnd(repro, replay);
    } catch (error) {
      if (error instanceof DivergedError) return error.divergence;
      throw error;
    }
  });
  const { input = '', differences = [] } = divergence ?? {};
  return {
    result: divergence ? 'diverged' : 'reproduced',
    inputs: inputsOf(repro.inputs).length,
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

/**
 * Replays a whole file and returns it with the outputs of this version, and the places whose outputs differ. What this
 * version does not do is left out: a webhook that is not sent, an act of a request that is rejected now.
 * @throws NotReplayableError, also if the result would contain a secret; ReproFileError if its rows are not those of a world
 */
export async function replayedFile(
  repro: Repro,
  madeAt: number,
): Promise<{ repro: Repro; differing: string[] }> {
  return inReplay(repro, async (replay) => {
    const secrets = secretsIn(replay.client);
    for await (const _ of replay.perform());
    const differing = repro.inputs.filter((each) => replay.differencesAt(each).length > 0);
    const verified = repro.head.verified && differing.length === 0;
    const head = { ...repro.head, origin: 'replayed' as const, verified, made_at: madeAt };
    return {
      repro: fileOf(replay, doneIn(replay), secrets, head),
      differing: [...new Set(differing.map((each) => replay.placeOf(each)))],
    };
  });
}

/** An input, and the one that takes its place. */
type Replaced = readonly [before: InputRecord, now: InputRecord];

/**
 * Returns the inputs that a replay has done, with the clock readings and counters of this version. Left out is what was not
 * done, such as a webhook attempt that is not due.
 * @param dropsRequests leaves out a request too whose acts were not done; otherwise it becomes a read
 */
export function doneIn(replay: Replay, dropsRequests = false): Replaced[] {
  const { repro, made } = replay;
  const done = new Set(repro.inputs.flatMap((each) => (made.has(each) ? numberIn(each) : [])));
  let last = 0;
  return repro.inputs.flatMap((input): Replaced[] => {
    if (input.kind === 'act') {
      const act = made.get(input);
      last = act ? input.n : last;
      return act ? [[input, act]] : [];
    }
    const acts = input.acts.filter((n) => done.has(n));
    if (acts.length === input.acts.length) {
      return dropsRequests && !replay.isDone(input) ? [] : [[input, input]];
    }
    if (acts.length > 0) return [[input, { ...input, acts }]];
    return dropsRequests ? [] : [[input, { ...input, acts, after: last }]];
  });
}

function numberIn(input: InputRecord): number[] {
  return input.kind === 'act' ? [input.n] : [];
}

/**
 * Returns a file of what a replay, which is still open, has performed.
 * @param before secrets of the base
 * @param head target and focus are places of the replay
 * @throws NotReplayableError if it would contain a secret
 */
export function fileOf(
  replay: Replay,
  done: readonly Replaced[],
  before: readonly string[],
  head: ReproHead,
): Repro {
  const secrets = [...before, ...secretsIn(replay.client)];
  const mask = secretMask(secrets);
  const inputs = done.map(([input, now]) => inFile(now, mapOutput(replay.made.get(input), mask)));
  const places = placesOf(inputs);
  const moved = new Map(
    done.map(([input], n) => [replay.placeOf(input), places.get(inputs[n] ?? input) ?? '']),
  );
  const placeNow = (place: string) => moved.get(place) ?? place;
  const [first, last] = head.focus;
  const made: Repro = {
    head: {
      ...{ ...head, sandlot: VERSION },
      target: placeNow(head.target),
      focus: [placeNow(first), placeNow(last)],
    },
    rows: replay.repro.rows,
    inputs,
    end: { kind: 'end', digest: replay.digest() },
  };
  const found = findForbidden(made, linesOfRepro(made), { secrets, personal: [] });
  if (found) throw new NotReplayableError(found.message);
  return made;
}
