import { differencesOf } from './differences.ts';
import type { Repro } from './format.ts';
import { databaseOf, Replay } from './replay.ts';
import type { ReplayResult } from './result.ts';

/**
 * Replays a file up to the first response that differs.
 * @throws NotReplayableError, ReproFileError
 */
export async function replayFile(repro: Repro): Promise<ReplayResult> {
  const { head, base, requests } = repro;
  const replay = await Replay.open(head, databaseOf(head, base), requests[0]?.start);
  try {
    for await (const { record, replayed } of replay.run(requests)) {
      const input = String(record.n);
      const divergence = differencesOf(record, replayed).map((each) => ({ input, ...each }));
      if (divergence.length > 0) return { result: 'diverged', inputs: requests.length, divergence };
    }
    return { result: 'reproduced', inputs: requests.length, divergence: [] };
  } finally {
    await replay.close();
  }
}
