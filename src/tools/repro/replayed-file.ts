import { secretMask } from '../../redaction/scan.ts';
import type { ActRecord, InputRecord } from '../../requests/recording.ts';
import { VERSION } from '../../version.ts';
import type { Repro } from './format.ts';
import {
  addOutputs,
  differencesAt,
  mapOutputs,
  noOutputs,
  outputsOf,
  withOutputs,
} from './outputs.ts';
import { comparePlaces, placesOf } from './places.ts';
import { NotReplayableError, openFile } from './replay-file.ts';
import type { Difference } from './result.ts';
import { secretsIn } from './rows.ts';
import { findForbidden } from './scan-repro.ts';
import { requestsOf } from './select.ts';
import { linesOfRepro } from './write-repro.ts';

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
    const before = secretsIn(replay.client);
    const [expected, actual] = [outputsOf(repro.inputs), noOutputs()];
    const acts = new Map<number, readonly Difference[]>();
    const changed = new Set<string>();
    for await (const performed of replay.perform()) {
      const { input, place, differences } = performed;
      if (differences.length > 0) changed.add(place);
      addOutputs(actual, performed);
      const isLeftOut = differences.some(({ path }) => path === 'input');
      if (input.kind === 'act' && !isLeftOut) acts.set(input.n, differences);
    }
    for (const place of [...expected.responses.keys(), ...expected.sent.keys()]) {
      if (differencesAt(place, expected, actual).length > 0) changed.add(place);
    }
    const secrets = [...before, ...secretsIn(replay.client)];
    const outputs = mapOutputs(actual, secretMask(secrets));
    const inputs = withActs(withOutputs(repro.inputs, outputs), acts);
    const { head } = repro;
    const made: Repro = {
      ...repro,
      head: {
        ...head,
        target: placeIn(inputs, repro, head.target),
        focus: [placeIn(inputs, repro, head.focus[0]), placeIn(inputs, repro, head.focus[1])],
        sandlot: VERSION,
        made_at: madeAt,
        origin: 'replayed',
        verified: head.verified && changed.size === 0,
      },
      inputs,
      end: { kind: 'end', digest: replay.digest() },
    };
    const found = findForbidden(made, linesOfRepro(made), { secrets, personal: [] });
    if (found) throw new NotReplayableError(found.message);
    return { repro: made, differing: [...changed].sort(comparePlaces) };
  } finally {
    await replay.close();
  }
}

/** Returns the inputs with only the acts that were performed. A request that has none of its acts becomes a read. */
function withActs(
  inputs: readonly InputRecord[],
  acts: ReadonlyMap<number, readonly Difference[]>,
): InputRecord[] {
  let last = 0;
  return inputs.flatMap((input): readonly InputRecord[] => {
    if (input.kind === 'act') {
      const differences = acts.get(input.n);
      if (differences) last = input.n;
      return differences ? [stamped(input, differences)] : [];
    }
    const own = input.acts.filter((n) => acts.has(n));
    const isRead = own.length === 0 && input.acts.length > 0;
    return [{ ...input, acts: own, after: isRead ? last : input.after }];
  });
}

/** Where the request is now that had a place. */
function placeIn(inputs: readonly InputRecord[], { inputs: before }: Repro, place: string): string {
  const places = placesOf(before);
  const request = requestsOf(before).find((each) => places.get(each) === place);
  const now = requestsOf(inputs).find((each) => each.request_id === request?.request_id);
  return (now && placesOf(inputs).get(now)) ?? place;
}

/** Returns an act with the counters that it had now. */
function stamped(act: ActRecord, differences: readonly Difference[]): ActRecord {
  const seen = differences.flatMap(({ path, replayed }): [string, number][] =>
    path.startsWith('counters.') && typeof replayed === 'number'
      ? [[path.slice('counters.'.length), replayed]]
      : [],
  );
  if (seen.length === 0) return act;
  return { ...act, counters: { ...act.counters, ...Object.fromEntries(seen) } };
}
