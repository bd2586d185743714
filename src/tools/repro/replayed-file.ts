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
import { comparePlaces } from './places.ts';
import { openFile } from './replay-file.ts';
import type { Difference } from './result.ts';
import { secretsIn } from './rows.ts';

/**
 * Replays a whole file and returns it with the outputs of this version, and the places whose outputs differ. A webhook that
 * is not sent is left out.
 * @throws NotReplayableError; ReproFileError if its rows are not those of a world
 */
export async function replayedFile(
  repro: Repro,
  madeAt: number,
): Promise<{ repro: Repro; differing: string[] }> {
  const replay = await openFile(repro);
  try {
    const [expected, actual] = [outputsOf(repro.inputs), noOutputs()];
    const acts: ActRecord[] = [];
    const changed = new Set<string>();
    for await (const performed of replay.perform()) {
      const { input, place, differences } = performed;
      if (differences.length > 0) changed.add(place);
      addOutputs(actual, performed);
      if (input.kind === 'act') {
        const isLeftOut =
          input.cause.type !== 'request' && differences.some(({ path }) => path === 'input');
        if (!isLeftOut) acts.push(stamped(input, differences));
      }
    }
    for (const place of [...expected.responses.keys(), ...expected.sent.keys()]) {
      if (differencesAt(place, expected, actual).length > 0) changed.add(place);
    }
    const kept = new Map(acts.map((act) => [act.n, act]));
    const whole = repro.inputs.flatMap((each): InputRecord | readonly InputRecord[] =>
      each.kind === 'request' ? [each] : (kept.get(each.n) ?? []),
    );
    const outputs = mapOutputs(actual, secretMask(secretsIn(replay.client)));
    return {
      repro: {
        ...repro,
        head: {
          ...repro.head,
          sandlot: VERSION,
          made_at: madeAt,
          origin: 'replayed',
          verified: repro.head.verified && changed.size === 0,
        },
        inputs: withOutputs(whole, outputs),
        end: { kind: 'end', digest: replay.digest() },
      },
      differing: [...changed].sort(comparePlaces),
    };
  } finally {
    await replay.close();
  }
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
