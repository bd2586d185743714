import { createHash } from 'node:crypto';
import { ID_SERIES } from '../../world/world.ts';
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
import { bytesOf, type Repro } from './format.ts';
import { parsedJson } from './limits.ts';
import { inputsOf, placesOf } from './places.ts';
import {
  countersAt,
  type InputRecord,
  type RequestRecord,
  type ResponseRecord,
} from './recording/recording.ts';
import { type Recorded, Replay } from './replay.ts';
import { NotReplayableError, openFile, recordedOf } from './replay-file.ts';
import { doneIn, fileOf } from './replayed-file.ts';
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
  onProgress?(progress: Progress): void;
  madeAt: number;
}

export interface Progress {
  /** What is being cut. */
  step: string;
  inputs: number;
  /** How many fields and headers were cut. */
  parts: number;
  candidates: number;
}

export interface Minimized {
  repro: Repro;
  candidates: number;
  /** What the target shows, in one line. */
  outcome: string;
}

/**
 * Finds the smallest set of inputs that shows the outcome of the target.
 * @throws NotReplayableError, DivergedError, ReproFileError; PathError for a field to keep
 */
export async function minimize(repro: Repro, options: MinimizeOptions): Promise<Minimized> {
  const search = await Search.open(repro, options);
  await search.run();
  return search.result();
}

class Search {
  readonly #repro: Repro;
  readonly #options: MinimizeOptions;
  readonly #target: InputRecord;
  readonly #outcomes: Outcome;
  readonly #counters: ReadonlyMap<number, Record<string, number>>;
  /** Digests of candidates that do not show the outcome. */
  readonly #rejected = new Set<string>();
  /** As `recordedOf`, with the database before the first act, which opens quickly again and again. */
  #recorded: Recorded;
  #kept: readonly InputRecord[];
  #outcome = '';
  #candidates = 0;
  #step = '';
  #parts = 0;

  /** Checks that the whole file replays and shows the outcome. */
  static async open(repro: Repro, options: MinimizeOptions): Promise<Search> {
    const search = new Search(repro, options);
    const outcome = await search.#check();
    const { holds } = options;
    if (outcome === undefined && !holds) {
      throw new NotReplayableError(`#${options.target} has no outcome in a replay`);
    }
    search.#outcome = outcome ?? '';
    if (holds && !(await search.#replay(search.#kept))) {
      throw new NotReplayableError('--while does not hold for the whole file');
    }
    return search;
  }

  private constructor(repro: Repro, options: MinimizeOptions) {
    const { inputs } = repro;
    const places = placesOf(inputs);
    const target = inputsOf(inputs).find((each) => places.get(each) === options.target);
    if (!target) throw new NotReplayableError(`#${options.target} is not in the file`);
    this.#repro = repro;
    this.#options = options;
    this.#outcomes = new Outcome(options.keep);
    this.#recorded = { ...recordedOf(repro), setsCounters: true };
    this.#target = target;
    this.#counters = countersOf(inputs);
    this.#kept = upToEndOf(inputs, target);
  }

  async #check(): Promise<string | undefined> {
    const target = this.#target;
    const replay = await openFile(this.#repro);
    try {
      const { database: bytes } = replay.copy();
      this.#recorded = { ...this.#recorded, base: { kind: 'database', bytes } };
      let outcome: string | undefined;
      for await (const _ of replay.reproduce()) outcome ??= this.#outcomes.of(target, replay);
      this.#outcomes.assertFields(replay.made.get(target));
      return outcome;
    } finally {
      await replay.close();
    }
  }

  /** Repeats all cuts until none of them works: what is found cannot be cut again. */
  async run(): Promise<void> {
    const keep = (others: readonly InputRecord[]) => this.#keep(others);
    let before: readonly InputRecord[] | undefined;
    while (before !== this.#kept && !this.#options.stopped()) {
      before = this.#kept;
      this.#step = 'related inputs';
      for (const others of related(this.#others(), this.#target)) if (await keep(others)) break;
      this.#step = 'the beginning';
      await withoutBeginning(this.#others(), keep);
      this.#step = 'chunks';
      await withoutChunks(this.#others(), keep);
      this.#step = 'clock moves';
      await this.#mergeClockMoves();
      this.#step = 'fields';
      await this.#cutParts(fieldsOf);
      this.#step = 'headers';
      await this.#cutParts(headersOf);
    }
  }

  async result(): Promise<Minimized> {
    const found = await this.#replay(this.#kept, { isResult: true });
    if (!found?.file) throw new NotReplayableError('what was found does not replay');
    return { repro: found.file, candidates: this.#candidates, outcome: this.#outcome };
  }

  #others(): InputRecord[] {
    return inputsOf(this.#kept).filter((each) => !this.#isTarget(each));
  }

  #isTarget(input: InputRecord): boolean {
    return identityOf(input) === identityOf(this.#target);
  }

  /** Keeps these inputs and the target, if the outcome is still shown. */
  #keep(others: readonly InputRecord[]): Promise<boolean> {
    const wanted = new Set([...others, this.#target].map(identityOf));
    const acts = this.#kept.flatMap((each) =>
      each.kind === 'request' && wanted.has(identityOf(each)) ? each.acts : [],
    );
    for (const n of acts) wanted.add(n);
    return this.#try(this.#kept.filter((each) => wanted.has(identityOf(each))));
  }

  async #try(inputs: readonly InputRecord[]): Promise<boolean> {
    const kept = this.#kept;
    const isSame = inputs.length === kept.length && inputs.every((each, n) => each === kept[n]);
    if (isSame || this.#options.stopped()) return false;
    const hash = createHash('sha256');
    for (const each of inputs) hash.update(`${JSON.stringify(each)}\n`);
    const digest = hash.digest('base64');
    if (this.#rejected.has(digest)) return false;
    this.#candidates += 1;
    const found = await this.#replay(inputs);
    if (found) this.#kept = found.inputs;
    else this.#rejected.add(digest);
    const { onProgress } = this.#options;
    onProgress?.({
      step: this.#step,
      inputs: inputsOf(this.#kept).length,
      parts: this.#parts,
      candidates: this.#candidates,
    });
    return found !== undefined;
  }

  /** Cuts a part of all requests that have it, or of some of them. */
  async #cutParts(partsOf: (request: RequestRecord) => Part[]): Promise<void> {
    const found = new Map<string, { part: Part; of: Set<number> }>();
    for (const [index, input] of this.#kept.entries()) {
      if (input.kind === 'act' || this.#isTarget(input)) continue;
      for (const part of partsOf(input)) {
        const known = found.get(part.name) ?? { part, of: new Set() };
        known.of.add(index);
        found.set(part.name, known);
      }
    }
    const count = this.#kept.length;
    const cut = ({ without }: Part, indexes: ReadonlySet<number>) =>
      this.#try(
        this.#kept.map((each, index) =>
          each.kind === 'request' && indexes.has(index) ? without(each) : each,
        ),
      );
    for (const { part, of } of found.values()) {
      for (const indexes of [of, ...Array.from(of, (index) => new Set([index]))]) {
        // Something else went with it.
        if (this.#kept.length !== count) return;
        if (!(await cut(part, indexes))) continue;
        this.#parts += indexes.size;
        if (indexes === of) break;
      }
    }
  }

  /** Writes how far an advance goes now that it does what others did. */
  async #mergeClockMoves(): Promise<void> {
    for (const input of this.#kept) {
      if (input.kind === 'act' || this.#isTarget(input)) continue;
      const moved = withOwnAdvance(input, this.#kept);
      if (moved) await this.#try(this.#kept.map((each) => (each === input ? moved : each)));
    }
  }

  /** Replays up to the target. @returns undefined if the outcome is not shown */
  async #replay(
    inputs: readonly InputRecord[],
    { isResult = false } = {},
  ): Promise<{ inputs: readonly InputRecord[]; file: Repro | undefined } | undefined> {
    const { holds, madeAt: made_at } = this.#options;
    const recorded = { ...this.#recorded, inputs: this.#withCounters(inputs) };
    const target = recorded.inputs.find((each) => this.#isTarget(each));
    if (!target) return undefined;
    const replay = await Replay.open(recorded, { maxWaitMs: MAX_WAIT_MS });
    try {
      const secrets = secretsIn(replay.client);
      let outcome: string | undefined;
      for await (const _ of replay.perform()) outcome ??= this.#outcomes.of(target, replay);
      if (!holds && outcome !== this.#outcome) return undefined;
      const done = doneIn(replay, true);
      if (!done.some(([before]) => before === target)) return undefined;
      const made = { inputs: done.map(([, now]) => now), file: undefined };
      if (!holds && !isResult) return made;
      const place = replay.placeOf(target);
      const focus: [string, string] = [place, place];
      const head = { ...this.#repro.head, target: place, focus, problem: null };
      const repro = { ...this.#repro, head };
      const own = { origin: 'minimized' as const, verified: true, made_at };
      const file = fileOf(repro, replay, done, secrets, own);
      if (holds && !isResult && !(await holds(file))) return undefined;
      return { ...made, file };
    } finally {
      await replay.close();
    }
  }

  /** Gives each act the counters that changed since the kept act before it. */
  #withCounters(inputs: readonly InputRecord[]): InputRecord[] {
    let before: Record<string, number> | undefined;
    return inputs.map((input) => {
      if (input.kind === 'request') return input;
      const all = this.#counters.get(input.n) ?? {};
      const isWhole = !before || before[ID_SERIES] !== all[ID_SERIES];
      const changed = Object.entries(all).filter(([name, n]) => before?.[name] !== n);
      before = all;
      return { ...input, counters: isWhole ? all : Object.fromEntries(changed) };
    });
  }
}

/** The same for an input that has lost acts, or whose clock reading has changed. */
function identityOf(input: InputRecord): unknown {
  if (input.kind === 'act') return input.n;
  const [first] = input.acts;
  return first === undefined ? input : `request ${first}`;
}

/** The counters before each act, in full. */
function countersOf(inputs: readonly InputRecord[]): Map<number, Record<string, number>> {
  const all = new Map<number, Record<string, number>>();
  let current: Record<string, number> = {};
  for (const input of inputs) {
    if (input.kind === 'request') continue;
    current = countersAt(input, current);
    all.set(input.n, current);
  }
  return all;
}

/** What a target shows that must stay. */
class Outcome {
  readonly #keep: readonly string[];

  /** @param keep paths of fields of the response; all if empty */
  constructor(keep: readonly string[]) {
    this.#keep = keep;
  }

  /** Returns it in one line, right after the target was performed; undefined before, or if it was not done. */
  of(target: InputRecord, replay: Replay): string | undefined {
    const now = replay.made.get(target);
    if (now?.kind === 'request') return now.response && this.#ofResponse(now, now.response);
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

  /** @throws PathError for a field to keep that the response does not have */
  assertFields(now: InputRecord | undefined): void {
    if (now?.kind !== 'request' || !now.response) return;
    for (const path of this.#keep) {
      requireField(jsonOf(now.response), path, '--keep: the response has no field');
    }
  }

  #ofResponse({ method, target, failed_check }: RequestRecord, response: ResponseRecord): string {
    const operation = `${method} ${target}`;
    if ('closed' in response) return `${operation} closed`;
    const isRejected = response.status >= 400;
    const json = this.#keep.length > 0 || isRejected ? jsonOf(response) : undefined;
    const code = isRejected ? [lookUp(json, 'error.code').value ?? ''] : [];
    const check = failed_check ? [`failed check ${failed_check}`] : [];
    const kept = this.#keep.map((path) => `${path} ${JSON.stringify(lookUp(json, path).value)}`);
    const whole = isRejected || kept.length > 0 ? [] : [textOf(response)];
    return [[operation, response.status, ...code, ...whole].join(' '), ...check, ...kept].join(
      ', ',
    );
  }
}

function textOf(response: ResponseRecord): string {
  if ('closed' in response) return '';
  return 'bytes' in response.body ? response.body.sha256 : bytesOf(response.body).toString();
}

function jsonOf(response: ResponseRecord): unknown {
  return parsedJson(textOf(response));
}
