import { VERSION } from '../../version.ts';
import type { Repro, ReproHead } from './format.ts';
import {
  addOutputs,
  differencesAt,
  mapOutputs,
  noOutputs,
  type Outputs,
  outputsOf,
  withOutputs,
} from './outputs.ts';
import { comparePlaces, placesOf } from './places.ts';
import type { ActRecord, InputRecord } from './recording/recording.ts';
import type { Performed, Replay } from './replay.ts';
import { NotReplayableError, openFile } from './replay-file.ts';
import type { Difference } from './result.ts';
import { secretsIn } from './rows.ts';
import { findForbidden, secretMask } from './scan.ts';
import { linesOfRepro } from './write-repro.ts';

/** What a replay of all inputs led to. */
export interface ReplayedInputs {
  /** Inputs as they were and as they are now: without acts that were not performed, with the clock readings and counters of the others. */
  pairs: [before: InputRecord, now: InputRecord][];
  outputs: Outputs;
  /** Places of inputs that differ, apart from outputs. */
  changed: Set<string>;
  /** Of the base. */
  secrets: string[];
}

interface ReplayInputsOptions {
  /** Leaves out a request too whose acts were not performed; otherwise it becomes a read. */
  dropsRequests?: boolean;
  follow?(performed: Performed): void;
}

/** Performs all inputs, and leaves out what is not done, such as a webhook attempt that is not due. */
export async function replayInputs(
  replay: Replay,
  { dropsRequests = false, follow = () => {} }: ReplayInputsOptions = {},
): Promise<ReplayedInputs> {
  const secrets = secretsIn(replay.client);
  const outputs = noOutputs();
  const changed = new Set<string>();
  const acts = new Map<number, ActRecord>();
  const lost = new Set<InputRecord>();
  for await (const performed of replay.perform()) {
    const { input, place, differences } = performed;
    addOutputs(outputs, performed);
    if (differences.length > 0) changed.add(place);
    if (differences.some(({ path }) => path === 'input')) lost.add(input);
    else if (input.kind === 'act') acts.set(input.n, stamped(input, differences));
    follow(performed);
  }
  let last = 0;
  const nowOf = (input: InputRecord): InputRecord | undefined => {
    if (input.kind === 'act') {
      const act = acts.get(input.n);
      last = act?.n ?? last;
      return act;
    }
    const own = input.acts.filter((n) => acts.has(n));
    if (own.length === input.acts.length) {
      return dropsRequests && lost.has(input) ? undefined : input;
    }
    if (own.length > 0) return { ...input, acts: own };
    return dropsRequests ? undefined : { ...input, acts: own, after: last };
  };
  const pairs = replay.recorded.inputs.flatMap((before): ReplayedInputs['pairs'] => {
    const now = nowOf(before);
    return now ? [[before, now]] : [];
  });
  return { pairs, outputs, changed, secrets };
}

/**
 * Returns a file of what a replay, which is still open, has performed.
 * @throws NotReplayableError if it would contain a secret
 */
export function fileOf(
  repro: Repro,
  replay: Replay,
  replayed: ReplayedInputs,
  head: Pick<ReproHead, 'origin' | 'verified' | 'made_at'>,
): Repro {
  const { pairs, outputs } = replayed;
  const secrets = [...replayed.secrets, ...secretsIn(replay.client)];
  const inputs = pairs.map(([, now]) => now);
  const [before, after] = [placesOf(replay.recorded.inputs), placesOf(inputs)];
  const moved = new Map(pairs.map(([each, now]) => [before.get(each), after.get(now) ?? '']));
  const responses = new Map(
    Array.from(outputs.responses, ([place, output]) => [moved.get(place) ?? '', output]),
  );
  const { target, focus } = repro.head;
  const [place, first, end] = [target, ...focus].map((each) => moved.get(each) ?? each);
  const made: Repro = {
    ...repro,
    head: {
      ...{ ...repro.head, ...head, sandlot: VERSION },
      target: place ?? target,
      focus: [first ?? target, end ?? target],
    },
    inputs: withOutputs(inputs, mapOutputs({ ...outputs, responses }, secretMask(secrets))),
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
    const replayed = await replayInputs(replay);
    const { outputs, changed } = replayed;
    const expected = outputsOf(repro.inputs);
    for (const place of [...expected.responses.keys(), ...expected.sent.keys()]) {
      if (differencesAt(place, expected, outputs).length > 0) changed.add(place);
    }
    const verified = repro.head.verified && changed.size === 0;
    return {
      repro: fileOf(repro, replay, replayed, { origin: 'replayed', verified, made_at: madeAt }),
      differing: [...changed].sort(comparePlaces),
    };
  } finally {
    await replay.close();
  }
}

/** Returns an act with the clock reading and the counters that it had now. */
function stamped(act: ActRecord, differences: readonly Difference[]): ActRecord {
  const counters = { ...act.counters };
  let { now } = act;
  for (const { path, replayed } of differences) {
    if (path === 'clock') now = Date.parse(String(replayed));
    else if (path.startsWith('counters.') && typeof replayed === 'number') {
      counters[path.slice('counters.'.length)] = replayed;
    }
  }
  return { ...act, now, ...(Object.keys(counters).length > 0 && { counters }) };
}
