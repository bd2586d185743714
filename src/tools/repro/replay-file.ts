import { VERSION } from '../../version.ts';
import { DivergedError, type Divergence, mapOutput, toFileInput } from './differences.ts';
import type { InputRecord, Repro, ReproHead } from './format.ts';
import { lastActNumber, listedInputs, placesOf } from './places.ts';
import { isVersionText, linesOfRepro } from './read-repro.ts';
import { Replay, type ReplayOptions, type ReproContents } from './replay.ts';
import type { ReplayResult } from './result.ts';
import { inventoryDigest, secretsIn } from './rows.ts';
import { findForbidden, secretMask } from './scan.ts';

/** This version cannot replay the file exactly. */
export class NotReplayableError extends Error {
  override readonly name = 'NotReplayableError';
}

/** Opens the sandbox of a file before its first input. @throws NotReplayableError, ReproFileError */
export async function openFile(repro: ReproContents, options: ReplayOptions = {}): Promise<Replay> {
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

/** Runs `act` with the opened sandbox of a file. @throws NotReplayableError, ReproFileError */
export async function inReplay<T>(
  repro: ReproContents,
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
    inputs: listedInputs(repro.inputs).length,
    divergence: differences.map((difference) => ({ input, ...difference })),
  };
}

/** Compares the digest of the world after the last act. Another version may store the same contents differently. */
function compareEnd({ head, inputs, end }: Repro, replay: Replay): Divergence | undefined {
  if (head.sandlot !== VERSION || end.digest === undefined) return undefined;
  const [recorded, replayed] = [end.digest, replay.digest()];
  if (recorded === replayed) return undefined;
  const differences = [{ path: 'contents of the world', recorded, replayed }];
  return { input: String(lastActNumber(inputs)), differences };
}

/** An input and its replacement. */
type InputReplacement = readonly [before: InputRecord, now: InputRecord];

/**
 * Returns the inputs that a replay has performed, with the clock readings and counters of this version. Leaves out acts
 * that were not performed, such as a webhook attempt that is not due.
 * @param dropsRequests whether requests whose acts were not performed are left out; otherwise they become reads
 */
export function performedInputs(replay: Replay, dropsRequests = false): InputReplacement[] {
  const { repro, results } = replay;
  const performedActs = new Set(
    repro.inputs.flatMap((input) => (input.kind === 'act' && results.has(input) ? input.n : [])),
  );
  let last = 0;
  return repro.inputs.flatMap((input): InputReplacement[] => {
    if (input.kind === 'act') {
      const act = results.get(input);
      last = act ? input.n : last;
      return act ? [[input, act]] : [];
    }
    const acts = input.acts.filter((n) => performedActs.has(n));
    if (acts.length === input.acts.length) {
      return dropsRequests && !replay.wasPerformed(input) ? [] : [[input, input]];
    }
    if (acts.length > 0) return [[input, { ...input, acts }]];
    return dropsRequests ? [] : [[input, { ...input, acts, after: last }]];
  });
}

/**
 * Returns a file of the performed inputs of an open replay.
 * @param baseSecrets secrets of the base
 * @param head target and focus are places of the replay
 * @throws NotReplayableError if it would contain a secret
 */
export function toRepro(
  replay: Replay,
  replacements: readonly InputReplacement[],
  baseSecrets: readonly string[],
  head: ReproHead,
): Repro {
  const secrets = [...baseSecrets, ...secretsIn(replay.client)];
  const mask = secretMask(secrets);
  const inputs = replacements.map(([input, replacement]) =>
    toFileInput(replacement, mapOutput(replay.results.get(input), mask)),
  );
  const places = placesOf(inputs);
  const newPlaces = new Map(
    replacements.map(([input], n) => [replay.placeOf(input), places.get(inputs[n] ?? input) ?? '']),
  );
  const newPlace = (place: string) => newPlaces.get(place) ?? place;
  const [first, last] = head.focus;
  const result: Repro = {
    head: {
      ...head,
      sandlot: VERSION,
      target: newPlace(head.target),
      focus: [newPlace(first), newPlace(last)],
    },
    rows: replay.repro.rows,
    inputs,
    end: { kind: 'end', digest: replay.digest() },
  };
  const finding = findForbidden(result, linesOfRepro(result), { secrets, personal: [] });
  if (finding) throw new NotReplayableError(finding.message);
  return result;
}
