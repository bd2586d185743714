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
  /** Decides about a candidate instead of its outcome. */
  hasProblem?: ((candidate: Repro) => Promise<boolean>) | undefined;
  isStopped(): boolean;
  madeAt: number;
}

interface MinimizeResult {
  repro: Repro;
  candidates: number;
  /** The outcome of its target, in one line. */
  outcome: string;
}

/**
 * Finds the fewest requests with which the target has the same status, code and failed check.
 * @throws NotReplayableError, ReproFileError
 */
export async function minimize(repro: Repro, options: MinimizeOptions): Promise<MinimizeResult> {
  const target = repro.requests.find(({ n }) => n === options.target);
  if (!target) throw new NotReplayableError(`request ${options.target} is not in the file`);
  const [first] = (await replayFile(repro)).divergence;
  if (first) {
    throw new NotReplayableError(
      `it does not replay: request ${first.input} differs; run sandlot repro replay FILE`,
    );
  }
  const search = new Search(repro, target, options, databaseOf(repro.head, repro.base));
  await search.run();
  const { file, candidates } = search;
  const reduced = file.requests[file.head.target - 1] ?? target;
  return { repro: file, candidates, outcome: outcomeOf(reduced, reduced) };
}

class Search {
  /** The smallest file so far. */
  file: Repro;
  candidates = 0;
  readonly #repro: Repro;
  readonly #target: RequestRecord;
  readonly #options: MinimizeOptions;
  readonly #database: Buffer;
  /** The requests of the smallest file, as recorded. */
  #requests: readonly RequestRecord[];

  constructor(repro: Repro, target: RequestRecord, options: MinimizeOptions, database: Buffer) {
    this.#repro = repro;
    this.#target = target;
    this.#options = options;
    this.#database = database;
    this.#requests = requestsUntil(repro.requests, target);
    this.file = repro;
  }

  /** Guesses the related requests, and removes as many of these as possible. @throws NotReplayableError if the whole file has no problem */
  async run(): Promise<void> {
    const whole = await this.#replay(this.#requests);
    // The responses of some control API calls are not compared.
    const problem = this.#options.hasProblem
      ? '--while did not succeed for the whole file'
      : 'a replay gives the target another outcome';
    if (!whole) throw new NotReplayableError(problem);
    this.file = whole;
    const test = (others: readonly RequestRecord[]) => this.#try(others);
    for (const guess of guessRelated(this.#others, this.#target)) if (await test(guess)) break;
    await removeChunks(this.#others, test);
  }

  /** All but the target. */
  get #others(): RequestRecord[] {
    return this.#requests.filter((record) => record !== this.#target);
  }

  /** Keeps only these requests and the target, if the problem is still there. */
  async #try(others: readonly RequestRecord[]): Promise<boolean> {
    if (this.#options.isStopped()) return false;
    const requests = [...others, this.#target].sort((a, b) => a.n - b.n);
    this.candidates += 1;
    const smaller = await this.#replay(requests);
    if (smaller) {
      this.file = smaller;
      this.#requests = requests;
    }
    return smaller !== undefined;
  }

  /** Replays requests, with the IDs that they have now. @returns their file; undefined if the problem is gone */
  async #replay(requests: readonly RequestRecord[]): Promise<Repro | undefined> {
    const { hasProblem, madeAt } = this.#options;
    const { head, base } = this.#repro;
    const replay = await Replay.open(head, this.#database);
    try {
      const ids = new Map<string, string>();
      const replayedRequests: RequestRecord[] = [];
      const requestFor = (record: RequestRecord) => mapIds(record, ids);
      for await (const { record, sent, replayed } of replay.run(requests, requestFor)) {
        const isSame = outcomeOf(record, replayed) === outcomeOf(record, record);
        if (record === this.#target && !isSame && !hasProblem) return undefined;
        noteIds(record, replayed, ids);
        replayedRequests.push({ ...sent, ...replayed });
      }
      const ordered = replayedRequests.sort((a, b) => a.n - b.n);
      const target = 1 + ordered.findIndex(({ n }) => n === this.#target.n);
      const file: Repro = {
        head: { ...head, made_at: madeAt, target },
        base,
        requests: ordered.map((record, index) => ({ ...record, n: index + 1 })),
        state: stateRowsOf(head, replay.finish()),
      };
      return !hasProblem || (await hasProblem(file)) ? file : undefined;
    } finally {
      await replay.close();
    }
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

/** Describes what must stay the same of a target, in one line. */
function outcomeOf({ method, target }: RequestRecord, replayed: ReplayedResponse): string {
  const failed = failedStepOf(replayed.trace);
  const outcome = `${method} ${target.split('?', 1)[0]} ${describeOutcome(replayed)}`;
  return failed ? `${outcome}, failed check ${failed.check}` : outcome;
}
