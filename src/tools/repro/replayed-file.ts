import { VERSION } from '../../version.ts';
import { inFile, mapOutput } from './differences.ts';
import type { Repro, ReproHead } from './format.ts';
import { placesOf } from './places.ts';
import type { InputRecord } from './recording/recording.ts';
import type { Replay } from './replay.ts';
import { NotReplayableError, openFile } from './replay-file.ts';
import { secretsIn } from './rows.ts';
import { findForbidden, secretMask } from './scan.ts';
import { linesOfRepro } from './write-repro.ts';

/** An input, and the one that takes its place. */
type Replaced = readonly [before: InputRecord, now: InputRecord];

/**
 * Returns the inputs that a replay has done, with the clock readings and counters of this version. Left out is what was not
 * done, such as a webhook attempt that is not due.
 * @param dropsRequests leaves out a request too whose acts were not done; otherwise it becomes a read
 */
export function doneIn(replay: Replay, dropsRequests = false): Replaced[] {
  const { recorded, made } = replay;
  const done = new Set(recorded.inputs.flatMap((each) => (made.has(each) ? numberIn(each) : [])));
  let last = 0;
  return recorded.inputs.flatMap((input): Replaced[] => {
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
 * @throws NotReplayableError if it would contain a secret
 */
export function fileOf(
  repro: Repro,
  replay: Replay,
  done: readonly Replaced[],
  before: readonly string[],
  head: Pick<ReproHead, 'origin' | 'verified' | 'made_at'>,
): Repro {
  const secrets = [...before, ...secretsIn(replay.client)];
  const mask = secretMask(secrets);
  const inputs = done.map(([input, now]) => inFile(now, mapOutput(replay.made.get(input), mask)));
  const places = placesOf(inputs);
  const moved = new Map(
    done.map(([input], n) => [replay.placeOf(input), places.get(inputs[n] ?? input) ?? '']),
  );
  const { target, focus } = repro.head;
  const placeNow = (place: string) => moved.get(place) ?? place;
  const made: Repro = {
    ...repro,
    head: {
      ...{ ...repro.head, ...head, sandlot: VERSION },
      target: placeNow(target),
      focus: [placeNow(focus[0]), placeNow(focus[1])],
    },
    inputs,
    end: { kind: 'end', digest: replay.digest() },
  };
  const found = findForbidden(made, linesOfRepro(made), { secrets, personal: [] });
  if (found) throw new NotReplayableError(found.message);
  return made;
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
  const replay = await openFile(repro);
  try {
    const secrets = secretsIn(replay.client);
    for await (const _ of replay.perform());
    const differing = repro.inputs.filter((each) => replay.differencesAt(each).length > 0);
    const head = {
      origin: 'replayed' as const,
      verified: repro.head.verified && differing.length === 0,
      made_at: madeAt,
    };
    return {
      repro: fileOf(repro, replay, doneIn(replay), secrets, head),
      differing: [...new Set(differing.map((each) => replay.placeOf(each)))],
    };
  } finally {
    await replay.close();
  }
}
