import { describeOutcome } from '../../requests/describe-entry.ts';
import { failedStepOf } from '../../requests/trace.ts';
import { openMemoryStore } from '../../store/open.ts';
import type { Repro, RequestRecord } from './format.ts';
import { type ReplayedResponse, requestsUntil } from './logged-requests.ts';
import { guessRelated, removeChunks } from './reductions.ts';
import { mapIds, noteIds } from './renamed-ids.ts';
import { databaseOf, NotReplayableError, Replay } from './replay.ts';
import { replayFile } from './replay-file.ts';
import { generatedInventory, readRows } from './rows.ts';

interface MinimizeOptions {
  /** Number of the target. */
  target: number;
  /** Whether a candidate has the problem; by default, whether its target has the recorded outcome. */
  hasProblem?: ((candidate: Repro) => Promise<boolean>) | undefined;
  isStopped(): boolean;
  /** Real time for the head of the result, Unix ms. */
  madeAt: number;
}

interface MinimizeResult {
  repro: Repro;
  /** How many smaller files were tried. */
  candidates: number;
  /** The outcome of the target in `repro`, in one line. */
  outcome: string;
}

/**
 * Finds requests with which the target still has the problem. If it is not stopped, none of them can be left out.
 * @throws NotReplayableError, ReproFileError
 */
export async function minimize(repro: Repro, options: MinimizeOptions): Promise<MinimizeResult> {
  const target = repro.requests.find(({ n }) => n === options.target);
  if (!target) throw new NotReplayableError(`request ${options.target} is not in the file`);
  const [first] = (await replayFile(repro)).divergence;
  if (first) {
    // `withFileErrors` replaces FILE.
    throw new NotReplayableError(
      `it does not replay: request ${first.input} differs; run sandlot repro replay FILE`,
    );
  }
  const database = databaseOf(repro.head, repro.base);
  const { hasProblem, isStopped, madeAt } = options;
  const replay = (records: readonly RequestRecord[]) =>
    replayOnly(records, { repro, target, database, hasProblem, madeAt });
  // The requests of the smallest file so far, as recorded.
  let requests: readonly RequestRecord[] = requestsUntil(repro.requests, target);
  const whole = await replay(requests);
  // `replayFile` was successful, but it does not compare the responses of some control API calls.
  const problem = hasProblem
    ? '--while did not succeed for the whole file'
    : 'a replay gives the target another outcome';
  if (!whole) throw new NotReplayableError(problem);
  let smallest = whole;
  let candidates = 0;
  const others = () => requests.filter((record) => record !== target);
  // Leaves only these requests and the target, if the problem is still there.
  const test = async (remaining: readonly RequestRecord[]) => {
    if (isStopped()) return false;
    const candidate = [...remaining, target].sort((a, b) => a.n - b.n);
    candidates += 1;
    const file = await replay(candidate);
    if (!file) return false;
    smallest = file;
    requests = candidate;
    return true;
  };
  for (const guess of guessRelated(others(), target)) if (await test(guess)) break;
  await removeChunks(others(), test);
  const reduced = smallest.requests[smallest.head.target - 1] ?? target;
  return { repro: smallest, candidates, outcome: outcomeOf(reduced, reduced) };
}

interface ReplayOptions extends Pick<MinimizeOptions, 'hasProblem' | 'madeAt'> {
  repro: Repro;
  target: RequestRecord;
  /** That of `repro.base`. */
  database: Buffer;
}

/** Replays only these requests, with the IDs of the replay. @returns their file; undefined if the problem is gone */
async function replayOnly(
  requests: readonly RequestRecord[],
  { repro: { head, base }, target, database, hasProblem, madeAt }: ReplayOptions,
): Promise<Repro | undefined> {
  const replay = await Replay.open({ ...head, target: target.n }, database, requests[0]?.start);
  try {
    const ids = new Map<string, string>();
    const replayedRequests: RequestRecord[] = [];
    const requestFor = (record: RequestRecord) => mapIds(record, ids);
    for await (const { record, sent, replayed } of replay.run(requests, requestFor)) {
      const isSame = outcomeOf(record, replayed) === outcomeOf(record, record);
      if (record === target && !isSame && !hasProblem) return undefined;
      noteIds(record, replayed, ids);
      const { status, code, response, trace } = replayed;
      replayedRequests.push({ ...sent, status, code, response, trace });
    }
    const ordered = replayedRequests.sort((a, b) => a.n - b.n);
    const number = 1 + ordered.findIndex(({ n }) => n === target.n);
    const file: Repro = {
      head: { ...head, made_at: madeAt, target: number },
      base,
      requests: ordered.map((record, index) => ({ ...record, n: index + 1 })),
      state: stateRowsOf(head, replay.finish()),
    };
    return !hasProblem || (await hasProblem(file)) ? file : undefined;
  } finally {
    await replay.close();
  }
}

function stateRowsOf(head: Repro['head'], bytes: Buffer): Repro['state'] {
  const generated = generatedInventory(head);
  const { client } = openMemoryStore(bytes);
  try {
    return readRows('state', client, generated);
  } finally {
    generated.close();
    client.close();
  }
}

/** Describes what must stay the same of a target, in one line: method, path, status, code and failed check. */
function outcomeOf({ method, target }: RequestRecord, replayed: ReplayedResponse): string {
  const failed = failedStepOf(replayed.trace);
  const outcome = `${method} ${target.split('?', 1)[0]} ${describeOutcome(replayed)}`;
  return failed ? `${outcome}, failed check ${failed.check}` : outcome;
}
