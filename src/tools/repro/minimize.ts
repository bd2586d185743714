import { createHash } from 'node:crypto';
import { ID_SERIES } from '../../world/acts.ts';
import {
  fieldsOf,
  headersOf,
  type Part,
  related,
  withOwnAdvance,
  withoutBeginning,
  withoutChunks,
} from './cuts.ts';
import { lookUp, requireField } from './fields.ts';
import {
  type InputRecord,
  jsonOf,
  type Repro,
  type RequestRecord,
  type ResponseRecord,
  textOf,
} from './format.ts';
import { parsedJson } from './limits.ts';
import { atPlace, inputsOf, placesOf } from './places.ts';
import { countersAt } from './recording/recording-store.ts';
import { Replay, type ReplayCopy } from './replay.ts';
import { doneIn, fileOf, inReplay, NotReplayableError } from './replay-file.ts';
import { secretsIn } from './rows.ts';
import { upToEndOf } from './select.ts';

/** A request whose next act was cut may wait for it in vain. The whole file was replayed before, so no code is to be loaded. */
const MAX_WAIT_MS = 1_000;

export interface MinimizeOptions {
  /** Place of the target. */
  target: string;
  /** Fields of the response that must stay; all if empty. */
  keep: readonly string[];
  /** Decides instead of the outcome. */
  holds?: ((candidate: Repro) => Promise<boolean>) | undefined;
  stopped(): boolean;
  /** Called after each candidate. */
  onProgress?(inputs: number, candidates: number): void;
  madeAt: number;
}

export interface Minimized {
  repro: Repro;
  candidates: number;
  /** What the target shows, in one line. */
  outcome: string;
}

/**
 * Finds the smallest set of inputs that shows the outcome of the target.
 * @throws NotReplayableError, DivergedError, ReproFileError; validation_error for a field to keep
 */
export async function minimize(repro: Repro, options: MinimizeOptions): Promise<Minimized> {
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
  /** Digests of candidates that do not show the outcome. */
  readonly #rejected = new Set<string>();
  /** The world before the first act, which opens quickly again and again. */
  #start: ReplayCopy | undefined;

  constructor(repro: Repro, options: MinimizeOptions) {
    const target = atPlace(inputsOf(repro.inputs), options.target);
    if (!target) throw new NotReplayableError(`#${options.target} is not in the file`);
    this.file = repro;
    this.#options = options;
    this.#target = target;
  }

  /** Checks that the whole file replays and shows the outcome. */
  async check(): Promise<void> {
    const { target: place, holds, keep } = this.#options;
    const target = this.#target;
    const outcome = await inReplay(this.file, async (replay) => {
      this.#start = replay.copy();
      let shown: string | undefined;
      for await (const _ of replay.reproduce()) shown ??= outcomeOf(target, replay, keep);
      const made = replay.made.get(target);
      const json = made?.kind === 'request' ? jsonOf(made.response) : {};
      for (const field of keep) requireField(json, field, '--keep: the response has no field');
      return shown;
    });
    if (outcome === undefined && !holds) {
      throw new NotReplayableError(`#${place} has no outcome in a replay`);
    }
    this.outcome = outcome ?? '';
    const whole = await this.#replay(withAllCounters(upToEndOf(this.file.inputs, target)));
    if (!whole) {
      const what = holds ? '--while does not hold for' : `#${place} has another outcome in`;
      throw new NotReplayableError(`${what} the whole file`);
    }
    this.file = whole;
  }

  /** Repeats all cuts until none of them works: what is found cannot be cut again. */
  async run(): Promise<void> {
    const keep = (others: readonly InputRecord[]) => this.#keep(others);
    let before: Repro | undefined;
    while (before !== this.file && !this.#options.stopped()) {
      before = this.file;
      for (const others of related(this.#others(), this.#target)) if (await keep(others)) break;
      await withoutBeginning(this.#others(), keep);
      await withoutChunks(this.#others(), keep);
      // An advance now does what others did.
      await this.#changeEach((request) => withOwnAdvance(request, this.file.inputs));
      await this.#cutParts(fieldsOf);
      await this.#cutParts(headersOf);
    }
  }

  /** All that can be cut: requests, and acts that are of none. */
  #others(): InputRecord[] {
    return this.file.inputs.filter(
      (each) => (each.kind === 'request' || each.cause.type !== 'request') && !this.#isTarget(each),
    );
  }

  #isTarget(input: InputRecord): boolean {
    return identityOf(input) === identityOf(this.#target);
  }

  /** Keeps these inputs and the target, if the outcome is still shown. */
  #keep(others: readonly InputRecord[]): Promise<boolean> {
    const { inputs } = this.file;
    const wanted = new Set([...others, this.#target].map(identityOf));
    const acts = inputs.flatMap((each) =>
      each.kind === 'request' && wanted.has(identityOf(each)) ? each.acts : [],
    );
    for (const n of acts) wanted.add(n);
    return this.#try(inputs.filter((each) => wanted.has(identityOf(each))));
  }

  /** Cuts a part of all requests that have it, or of some of them. */
  async #cutParts(partsOf: (request: RequestRecord) => Part[]): Promise<void> {
    const requests = this.#others().filter((each) => each.kind === 'request');
    const parts = new Map(requests.flatMap(partsOf).map((part) => [part.name, part]));
    for (const { without } of parts.values()) {
      const fromAll = this.file.inputs.map((each) => this.#changed(each, without));
      if (!(await this.#try(fromAll))) await this.#changeEach(without);
    }
  }

  /** Changes one request after the other. */
  async #changeEach(change: (request: RequestRecord) => RequestRecord): Promise<void> {
    for (const id of this.#others().map(identityOf)) {
      await this.#try(
        this.file.inputs.map((each) =>
          identityOf(each) === id ? this.#changed(each, change) : each,
        ),
      );
    }
  }

  #changed(input: InputRecord, change: (request: RequestRecord) => RequestRecord): InputRecord {
    return input.kind === 'act' || this.#isTarget(input) ? input : change(input);
  }

  async #try(inputs: InputRecord[]): Promise<boolean> {
    const { inputs: kept } = this.file;
    const isSame = inputs.length === kept.length && inputs.every((each, n) => each === kept[n]);
    if (isSame || this.#options.stopped()) return false;
    const hash = createHash('sha256');
    for (const each of inputs) hash.update(`${JSON.stringify(each)}\n`);
    const digest = hash.digest('base64');
    if (this.#rejected.has(digest)) return false;
    this.candidates += 1;
    const found = await this.#replay(inputs);
    if (found) this.file = found;
    else this.#rejected.add(digest);
    this.#options.onProgress?.(inputsOf(this.file.inputs).length, this.candidates);
    return found !== undefined;
  }

  /** Replays up to the target. @returns a file of what was done; undefined if the outcome is not shown */
  async #replay(inputs: InputRecord[]): Promise<Repro | undefined> {
    const { holds, keep, madeAt: made_at } = this.#options;
    const target = inputs.find((each) => this.#isTarget(each));
    if (!target) return undefined;
    const place = placesOf(inputs).get(target) ?? '';
    const focus: [string, string] = [place, place];
    const made = { origin: 'minimized' as const, verified: true, problem: null, made_at };
    const head = { ...this.file.head, ...made, target: place, focus };
    const replay = await Replay.open(
      { ...this.file, head, inputs },
      { from: this.#start, maxWaitMs: MAX_WAIT_MS },
    );
    try {
      const secrets = secretsIn(replay.client);
      let outcome: string | undefined;
      for await (const _ of replay.perform()) outcome ??= outcomeOf(target, replay, keep);
      if (!holds && outcome !== this.outcome) return undefined;
      const done = doneIn(replay, true);
      if (!done.some(([before]) => before === target)) return undefined;
      const file = fileOf(replay, done, secrets, head);
      return !holds || (await holds(file)) ? file : undefined;
    } finally {
      await replay.close();
    }
  }
}

/** The same for an input that has lost acts or parts, or whose clock reading has changed. */
function identityOf(input: InputRecord): unknown {
  return input.kind === 'act' ? input.n : input.request_id;
}

/** Gives each act all counters before it, so that others can be left out. */
function withAllCounters(inputs: readonly InputRecord[]): InputRecord[] {
  let counters: Record<string, number> = {};
  return inputs.map((input) => {
    if (input.kind === 'request') return input;
    counters = countersAt(input, counters);
    return { ...input, counters };
  });
}

/** As a recording has them: each act has the counters that changed, and all of them at first and with another id series. */
function withChangedCounters(inputs: readonly InputRecord[]): InputRecord[] {
  let before: Record<string, number> = {};
  return inputs.map((input) => {
    if (input.kind === 'request') return input;
    const { counters: { ...counters } = {}, ...act } = input;
    const isWhole = counters[ID_SERIES] !== before[ID_SERIES];
    const changed = Object.entries(counters).filter(
      ([name, value]) => isWhole || value !== before[name],
    );
    before = counters;
    return changed.length === 0 ? act : { ...act, counters: Object.fromEntries(changed) };
  });
}

/** Returns what a target shows that must stay, in one line; undefined before it was performed, or if it was not done. */
function outcomeOf(
  target: InputRecord,
  replay: Replay,
  keep: readonly string[],
): string | undefined {
  const now = replay.made.get(target);
  if (now?.kind === 'request') return now.response && outcomeOfRequest(now, now.response, keep);
  if (!now || now.cause.type === 'request') return undefined;
  const { cause, params, given = [] } = now;
  const status = replay.client
    .prepare('SELECT status FROM deliveries WHERE id = ?')
    .pluck()
    .get(cause.id ?? '');
  const event = lookUp(parsedJson(params?.body ?? ''), 'type').value;
  const sends = given.map(({ outcome, http_status }) => `${outcome} ${http_status ?? ''}`);
  return [cause.type, event, ...sends, status].filter(Boolean).join(' ');
}

function outcomeOfRequest(
  { method, target, failed_check }: RequestRecord,
  response: ResponseRecord,
  keep: readonly string[],
): string {
  const operation = `${method} ${target}`;
  if ('closed' in response) return `${operation} closed`;
  const { status, body } = response;
  const json = jsonOf(response);
  const isRejected = status >= 400;
  const code = isRejected ? [lookUp(json, 'error.code').value ?? ''] : [];
  const whole = 'bytes' in body ? body.sha256 : textOf(body);
  const shown = isRejected || keep.length > 0 ? code : [whole];
  const check = failed_check ? [`failed check ${failed_check}`] : [];
  const kept = keep.map((path) => `${path} ${JSON.stringify(lookUp(json, path).value)}`);
  return [[operation, status, ...shown].join(' '), ...check, ...kept].join(', ');
}
