import { createHash } from 'node:crypto';
import { ID_SERIES } from '../../world/acts.ts';
import { lookUp } from './fields.ts';
import {
  type InputRecord,
  jsonOf,
  type Repro,
  type RequestRecord,
  type ResponseRecord,
  textOf,
} from './format.ts';
import { parseBoundedJson } from './limits.ts';
import { findInput, listedInputs, placesOf } from './places.ts';
import { countersAt } from './recording/recording-store.ts';
import {
  fieldParts,
  guessRelated,
  headerParts,
  type RemovablePart,
  withActualAdvance,
  withoutBeginning,
  withoutChunks,
} from './reductions.ts';
import { Replay, type ReplayCopy } from './replay.ts';
import { inReplay, NotReplayableError, performedInputs, toRepro } from './replay-file.ts';
import { secretsIn } from './rows.ts';
import { inputsUpTo } from './select.ts';

/** A request whose next act was removed waits in vain. No code is loaded while it waits: the whole file was replayed before. */
const MAX_WAIT_MS = 1_000;

export interface MinimizeOptions {
  /** Place of the target. */
  target: string;
  /** Decides about a candidate instead of its outcome. */
  hasProblem?: ((candidate: Repro) => Promise<boolean>) | undefined;
  isStopped(): boolean;
  /** Called after each candidate. */
  onProgress?(inputs: number, candidates: number): void;
  madeAt: number;
}

export interface MinimizeResult {
  repro: Repro;
  candidates: number;
  /** The outcome of the target, in one line. */
  outcome: string;
}

/**
 * Finds the smallest set of inputs with which the target has the same outcome.
 * @throws NotReplayableError, DivergedError, ReproFileError
 */
export async function minimize(repro: Repro, options: MinimizeOptions): Promise<MinimizeResult> {
  const search = new Search(repro, options);
  await search.check();
  await search.run();
  const inputs = withChangedCounters(search.file.inputs);
  return {
    repro: { ...search.file, inputs },
    candidates: search.candidates,
    outcome: search.outcome,
  };
}

class Search {
  /** The smallest file so far. */
  file: Repro;
  outcome = '';
  candidates = 0;
  readonly #options: MinimizeOptions;
  readonly #target: InputRecord;
  /** Digests of candidates with another outcome. */
  readonly #rejected = new Set<string>();
  /** The world before the first act: opening a copy is faster than seeding. */
  #initialState: ReplayCopy | undefined;

  constructor(repro: Repro, options: MinimizeOptions) {
    const target = findInput(listedInputs(repro.inputs), options.target);
    if (!target) throw new NotReplayableError(`#${options.target} is not in the file`);
    this.file = repro;
    this.#options = options;
    this.#target = target;
  }

  /** Checks that the whole file replays, and determines the outcome. */
  async check(): Promise<void> {
    const { target: place, hasProblem } = this.#options;
    const target = this.#target;
    const outcome = await inReplay(this.file, async (replay) => {
      this.#initialState = replay.copy();
      let targetOutcome: string | undefined;
      for await (const _ of replay.reproduce()) targetOutcome ??= outcomeOf(target, replay);
      return targetOutcome;
    });
    if (outcome === undefined && !hasProblem) {
      throw new NotReplayableError(`#${place} has no outcome in a replay`);
    }
    this.outcome = outcome ?? '';
    const wholeFile = await this.#replay(withAllCounters(inputsUpTo(this.file.inputs, target)));
    if (!wholeFile) {
      const problem = hasProblem ? '--while does not hold for' : `#${place} has another outcome in`;
      throw new NotReplayableError(`${problem} the whole file`);
    }
    this.file = wholeFile;
  }

  /** Repeats all reductions until none of them works. */
  async run(): Promise<void> {
    const tryKeeping = (inputs: readonly InputRecord[]) => this.#tryKeeping(inputs);
    let before: Repro | undefined;
    while (before !== this.file && !this.#options.isStopped()) {
      before = this.file;
      for (const inputs of guessRelated(this.#removableInputs(), this.#target))
        if (await tryKeeping(inputs)) break;
      await withoutBeginning(this.#removableInputs(), tryKeeping);
      await withoutChunks(this.#removableInputs(), tryKeeping);
      // A clock advance may now cover the time of removed ones.
      await this.#changeOneByOne((request) => withActualAdvance(request, this.file.inputs));
      await this.#removeParts(fieldParts);
      await this.#removeParts(headerParts);
    }
  }

  /** The inputs that can be removed: requests, and acts of scheduled work. */
  #removableInputs(): InputRecord[] {
    return this.file.inputs.filter(
      (input) =>
        (input.kind === 'request' || input.cause.type !== 'request') && !this.#isTarget(input),
    );
  }

  #isTarget(input: InputRecord): boolean {
    return identityOf(input) === identityOf(this.#target);
  }

  /** Keeps only these inputs and the target, if the outcome stays the same. */
  #tryKeeping(keptInputs: readonly InputRecord[]): Promise<boolean> {
    const { inputs } = this.file;
    const keptIds = new Set([...keptInputs, this.#target].map(identityOf));
    const acts = inputs.flatMap((input) =>
      input.kind === 'request' && keptIds.has(identityOf(input)) ? input.acts : [],
    );
    for (const n of acts) keptIds.add(n);
    return this.#try(inputs.filter((input) => keptIds.has(identityOf(input))));
  }

  /** Removes each part from all requests that have it, or from those that do not need it. */
  async #removeParts(partsOf: (request: RequestRecord) => RemovablePart[]): Promise<void> {
    const requests = this.#removableInputs().filter((input) => input.kind === 'request');
    const parts = new Map(requests.flatMap(partsOf).map((part) => [part.name, part]));
    for (const { removeFrom } of parts.values()) {
      const fromAll = this.file.inputs.map((input) => this.#changeInput(input, removeFrom));
      if (!(await this.#try(fromAll))) await this.#changeOneByOne(removeFrom);
    }
  }

  async #changeOneByOne(change: (request: RequestRecord) => RequestRecord): Promise<void> {
    for (const id of this.#removableInputs().map(identityOf)) {
      await this.#try(
        this.file.inputs.map((input) =>
          identityOf(input) === id ? this.#changeInput(input, change) : input,
        ),
      );
    }
  }

  #changeInput(input: InputRecord, change: (request: RequestRecord) => RequestRecord): InputRecord {
    return input.kind === 'act' || this.#isTarget(input) ? input : change(input);
  }

  async #try(inputs: InputRecord[]): Promise<boolean> {
    const { inputs: currentInputs } = this.file;
    const isSame =
      inputs.length === currentInputs.length &&
      inputs.every((input, n) => input === currentInputs[n]);
    if (isSame || this.#options.isStopped()) return false;
    const hash = createHash('sha256');
    for (const input of inputs) hash.update(`${JSON.stringify(input)}\n`);
    const digest = hash.digest('base64');
    if (this.#rejected.has(digest)) return false;
    this.candidates += 1;
    const smallerFile = await this.#replay(inputs);
    if (smallerFile) this.file = smallerFile;
    else this.#rejected.add(digest);
    this.#options.onProgress?.(listedInputs(this.file.inputs).length, this.candidates);
    return smallerFile !== undefined;
  }

  /** Replays up to the target. @returns a file of the performed inputs; undefined if the outcome is another */
  async #replay(inputs: InputRecord[]): Promise<Repro | undefined> {
    const { hasProblem, madeAt: made_at } = this.#options;
    const target = inputs.find((input) => this.#isTarget(input));
    if (!target) return undefined;
    const place = placesOf(inputs).get(target) ?? '';
    const focus: [string, string] = [place, place];
    const changes = { origin: 'minimized' as const, verified: true, problem: null, made_at };
    const head = { ...this.file.head, ...changes, target: place, focus };
    const replay = await Replay.open(
      { ...this.file, head, inputs },
      { copy: this.#initialState, maxWaitMs: MAX_WAIT_MS },
    );
    try {
      const secrets = secretsIn(replay.client);
      let outcome: string | undefined;
      for await (const _ of replay.perform()) outcome ??= outcomeOf(target, replay);
      if (!hasProblem && outcome !== this.outcome) return undefined;
      const replacements = performedInputs(replay, true);
      if (!replacements.some(([before]) => before === target)) return undefined;
      const file = toRepro(replay, replacements, secrets, head);
      return !hasProblem || (await hasProblem(file)) ? file : undefined;
    } finally {
      await replay.close();
    }
  }
}

/** Identifies an input, also after it has lost acts or parts, or its clock reading has changed. */
function identityOf(input: InputRecord): unknown {
  return input.kind === 'act' ? input.n : input.request_id;
}

/** Gives each act all counters before it, so that other acts can be removed. */
function withAllCounters(inputs: readonly InputRecord[]): InputRecord[] {
  let counters: Record<string, number> = {};
  return inputs.map((input) => {
    if (input.kind === 'request') return input;
    counters = countersAt(input, counters);
    return { ...input, counters };
  });
}

/** Reduces counters to those of a recording: the changed ones, and all of them in the first act and after a new id series. */
function withChangedCounters(inputs: readonly InputRecord[]): InputRecord[] {
  let before: Record<string, number> = {};
  return inputs.map((input) => {
    if (input.kind === 'request') return input;
    const { counters: { ...counters } = {}, ...act } = input;
    const isWhole = counters[ID_SERIES] !== before[ID_SERIES];
    const changedCounters = Object.entries(counters).filter(
      ([name, value]) => isWhole || value !== before[name],
    );
    before = counters;
    return changedCounters.length === 0
      ? act
      : { ...act, counters: Object.fromEntries(changedCounters) };
  });
}

/** Describes what must stay the same of a target, in one line; undefined until it is performed. */
function outcomeOf(target: InputRecord, replay: Replay): string | undefined {
  const result = replay.results.get(target);
  if (result?.kind === 'request')
    return result.response && outcomeOfRequest(result, result.response);
  if (!result || result.cause.type === 'request') return undefined;
  const { cause, params, given: sends = [] } = result;
  const status = replay.client
    .prepare('SELECT status FROM deliveries WHERE id = ?')
    .pluck()
    .get(cause.id ?? '');
  const event = lookUp(parseBoundedJson(params?.body ?? ''), 'type').value;
  const sendTexts = sends.map(({ outcome, http_status }) => `${outcome} ${http_status ?? ''}`);
  return [cause.type, event, ...sendTexts, status].filter(Boolean).join(' ');
}

function outcomeOfRequest(
  { method, target, failed_check }: RequestRecord,
  response: ResponseRecord,
): string {
  const operation = `${method} ${target}`;
  if ('closed' in response) return `${operation} closed`;
  const { status, body } = response;
  const json = jsonOf(response);
  const isRejected = status >= 400;
  const code = isRejected ? [lookUp(json, 'error.code').value ?? ''] : [];
  const bodyText = 'bytes' in body ? body.sha256 : textOf(body);
  const details = isRejected ? code : [bodyText];
  const check = failed_check ? [`failed check ${failed_check}`] : [];
  return [[operation, status, ...details].join(' '), ...check].join(', ');
}
