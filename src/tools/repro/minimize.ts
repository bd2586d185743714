import type { InputRecord, RequestRecord } from '../../requests/recording.ts';
import { ID_SERIES } from '../../world/world.ts';
import { bytesOf, type Repro } from './format.ts';
import { parsedJson } from './limits.ts';
import type { ResponseOutput } from './outputs.ts';
import { inputsOf, placesOf } from './places.ts';
import { recordedOf } from './recorded-of.ts';
import { withoutBeginning, withoutChunks } from './reduce.ts';
import { countersAt, type Performed, type Recorded, Replay } from './replay.ts';
import { NotReplayableError } from './replay-file.ts';
import { replayedFile } from './replayed-file.ts';
import { upToEndOf } from './select.ts';

export interface MinimizeOptions {
  /** Place of the target. */
  target: string;
  /** Fields of the response that must stay; all if empty. */
  keep: readonly string[];
  /** Decides instead of the outcome. */
  holds?: ((candidate: Repro) => Promise<boolean>) | undefined;
  stopped(): boolean;
  onProgress(inputs: number, candidates: number): void;
  madeAt: number;
}

export interface Minimized {
  repro: Repro;
  candidates: number;
  /** What the target shows, in one line. */
  outcome: string;
}

/** Finds the smallest set of inputs that shows the outcome of the target. @throws NotReplayableError */
export async function minimize(repro: Repro, options: MinimizeOptions): Promise<Minimized> {
  const search = await Search.open(repro, options);
  await search.run();
  return search.result();
}

class Search {
  readonly #repro: Repro;
  readonly #options: MinimizeOptions;
  readonly #target: InputRecord;
  readonly #counters: ReadonlyMap<number, Record<string, number>>;
  /** As `recordedOf`, with the database before the first act. */
  readonly #recorded: Recorded;
  #kept: readonly InputRecord[];
  #outcome = '';
  #candidates = 0;

  static async open(repro: Repro, options: MinimizeOptions): Promise<Search> {
    const recorded = recordedOf(repro);
    const replay = await Replay.open(recorded);
    // Opened quickly again and again.
    const bytes = replay.copy();
    await replay.close();
    const base = { kind: 'database', bytes } as const;
    const search = new Search(repro, options, { ...recorded, base, setsCounters: true });
    const first = await search.#replay(search.#kept);
    if (first?.outcome === undefined) {
      throw new NotReplayableError(`#${options.target} has no outcome in a replay`);
    }
    search.#outcome = first.outcome;
    if (options.holds && !(await options.holds(await search.#file(search.#kept)))) {
      throw new NotReplayableError('--while does not hold for the whole file');
    }
    return search;
  }

  private constructor(repro: Repro, options: MinimizeOptions, recorded: Recorded) {
    const { inputs } = repro;
    const places = placesOf(inputs);
    const target = inputsOf(inputs).find((each) => places.get(each) === options.target);
    if (!target) throw new NotReplayableError(`#${options.target} is not in the file`);
    this.#repro = repro;
    this.#options = options;
    this.#recorded = recorded;
    this.#target = target;
    this.#counters = countersOf(inputs);
    this.#kept = upToEndOf(inputs, target);
  }

  async run(): Promise<void> {
    for (;;) {
      const before = this.#kept;
      await this.#cutUnrelated();
      const withTarget = (test: readonly InputRecord[]) => this.#try(test);
      await withoutBeginning(this.#others(), withTarget);
      await withoutChunks(this.#others(), withTarget);
      await this.#cutRequests(fieldCuts);
      await this.#cutRequests(headerCuts);
      if (before === this.#kept || this.#options.stopped()) return;
    }
  }

  async result(): Promise<Minimized> {
    const repro = await this.#file(this.#kept);
    return { repro, candidates: this.#candidates, outcome: this.#outcome };
  }

  #others(): InputRecord[] {
    return inputsOf(this.#kept).filter((each) => each !== this.#target);
  }

  /** Keeps these inputs and the target, if the outcome is still shown. */
  async #try(others: readonly InputRecord[]): Promise<boolean> {
    const wanted = new Set([...others, this.#target]);
    const starts = new Map(
      this.#kept.flatMap((each) =>
        each.kind === 'request' ? each.acts.map((n) => [n, each] as const) : [],
      ),
    );
    return this.#tryInputs(
      this.#kept.filter((each) => {
        const request =
          each.kind === 'act' && each.cause.type === 'request' ? starts.get(each.n) : each;
        return request !== undefined && wanted.has(request);
      }),
    );
  }

  async #tryInputs(inputs: readonly InputRecord[]): Promise<boolean> {
    if (
      this.#options.stopped() ||
      (inputs.length === this.#kept.length && inputs.every((each, n) => each === this.#kept[n]))
    )
      return false;
    this.#candidates += 1;
    const candidate = await this.#replay(inputs);
    if (!candidate) return false;
    const { holds } = this.#options;
    const isThere = holds
      ? await holds(await this.#file(candidate.inputs))
      : candidate.outcome === this.#outcome;
    if (!isThere || this.#options.stopped()) return false;
    this.#kept = candidate.inputs;
    this.#options.onProgress(inputsOf(this.#kept).length, this.#candidates);
    return true;
  }

  /** Keeps what names the same orders, domains and credentials as the target, and what names none. */
  async #cutUnrelated(): Promise<void> {
    const names = new Set(namesIn(this.#target));
    const others = this.#others();
    for (let size = -1; size !== names.size; ) {
      size = names.size;
      for (const each of others) {
        const own = namesIn(each);
        if (own.some((name) => names.has(name))) for (const name of own) names.add(name);
      }
    }
    await this.#try(
      others.filter((each) => {
        const own = namesIn(each);
        return own.length === 0 || own.some((name) => names.has(name));
      }),
    );
  }

  async #cutRequests(cutsOf: (request: RequestRecord) => Generator<RequestRecord>): Promise<void> {
    for (let at = 0; at < this.#kept.length; at += 1) {
      const input = this.#kept[at];
      if (input?.kind !== 'request' || input === this.#target) continue;
      let isCut = true;
      while (isCut) {
        isCut = false;
        const request = this.#kept[at];
        if (request?.kind !== 'request') break;
        for (const cut of cutsOf(request)) {
          isCut = await this.#tryInputs(this.#kept.map((each, n) => (n === at ? cut : each)));
          if (isCut) break;
        }
      }
    }
  }

  /** Replays up to the target. @returns undefined if a request acts in another way; the inputs without work that was not due */
  async #replay(
    inputs: readonly InputRecord[],
  ): Promise<{ inputs: InputRecord[]; outcome: string | undefined } | undefined> {
    const counted = this.#withCounters(inputs);
    const replay = await Replay.open({ ...this.#recorded, inputs: counted });
    try {
      const gone = new Set<number>();
      const place = placesOf(inputs).get(this.#target) ?? '';
      let outcome: string | undefined;
      for await (const performed of replay.perform()) {
        const { input, differences } = performed;
        if (differences.length > 0) {
          const own = this.#target.kind === 'request' ? this.#target.acts : [this.#target.n];
          const isFirst = input.kind === 'request' || own.includes(input.n);
          if (isFirst || (input.cause.type === 'request' && input.cause.part === 1))
            return undefined;
          gone.add(input.n);
        }
        outcome ??= this.#outcomeOf(performed, place, replay);
      }
      const kept = inputs.filter((each) => each.kind === 'request' || !gone.has(each.n));
      return { inputs: trimmed(kept, gone), outcome };
    } finally {
      await replay.close();
    }
  }

  #outcomeOf(
    { input, place, responses, sent, differences }: Performed,
    target: string,
    replay: Replay,
  ): string | undefined {
    const output = responses.get(target);
    if (output) return outcomeOfResponse(output, this.#options.keep);
    if (place !== target || input.kind !== 'act' || input.cause.type === 'request')
      return undefined;
    if (differences.length > 0) return undefined;
    const id = input.cause.id ?? '';
    const status = replay.client
      .prepare('SELECT status FROM deliveries WHERE id = ?')
      .pluck()
      .get(id);
    const [, event = ''] = /"type":"([a-z._]+)"/.exec(sent ?? '') ?? [];
    const given = (input.given ?? []).map((each) => `${each.outcome} ${each.http_status}`);
    return [input.cause.type, event, ...given, status ?? ''].join(' ').trim();
  }

  /** A file of these inputs, with the responses of its own replay. */
  async #file(inputs: readonly InputRecord[]): Promise<Repro> {
    const place = placesOf(inputs).get(this.#target) ?? '';
    const { repro } = await replayedFile(
      {
        ...this.#repro,
        head: { ...this.#repro.head, origin: 'minimized', target: place, focus: [place, place] },
        inputs: this.#withCounters(inputs),
        end: { kind: 'end' },
      },
      this.#options.madeAt,
    );
    return {
      ...repro,
      head: { ...repro.head, origin: 'minimized', verified: true, problem: null },
    };
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

/** Takes acts that are gone away from requests. */
function trimmed(inputs: readonly InputRecord[], gone: ReadonlySet<number>): InputRecord[] {
  return inputs.flatMap((each) => {
    if (each.kind === 'act' || !each.acts.some((n) => gone.has(n))) return [each];
    const acts = each.acts.filter((n) => !gone.has(n));
    return acts.length === 0 ? [] : [{ ...each, acts }];
  });
}

function outcomeOfResponse(
  { request, response, failedCheck }: ResponseOutput,
  keep: readonly string[],
): string {
  const operation = `${request.method} ${request.target}`;
  if ('closed' in response) return `${operation} closed`;
  const text = 'bytes' in response.body ? response.body.sha256 : bytesOf(response.body).toString();
  const rejected = `${operation} ${response.status}`;
  if (keep.length > 0) {
    return `${rejected} ${keep.map((path) => `${path} ${JSON.stringify(valueAt(text, path))}`).join(', ')}`;
  }
  if (response.status < 400) return `${rejected} ${text}`;
  const code = valueAt(text, 'error.code');
  return `${rejected} ${code ?? ''}${failedCheck ? `, failed check ${failedCheck}` : ''}`;
}

function valueAt(text: string, path: string): unknown {
  let value = parsedJson(text);
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** IDs, domains and keys in an input. */
function namesIn(input: InputRecord): string[] {
  if (input.kind === 'act') return 'id' in input.cause && input.cause.id ? [input.cause.id] : [];
  const { target, body, response } = input;
  const out =
    response && !('closed' in response) && 'text' in response.body ? response.body.text : '';
  const text = `${target} ${body && 'text' in body ? body.text : ''} ${out}`;
  const words = text.match(/[a-z0-9._-]+/g) ?? [];
  return words.filter((word) => word.includes('.') || /^[a-z]{2,4}_[0-9a-z]{12,}$/.test(word));
}

/** The request without one field of its JSON body. */
function* fieldCuts(request: RequestRecord): Generator<RequestRecord> {
  const value = request.body && 'text' in request.body ? parsedJson(request.body.text) : undefined;
  for (const smaller of withoutOneField(value)) {
    yield { ...request, body: { text: JSON.stringify(smaller) } };
  }
}

function* withoutOneField(value: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const entries = Object.entries(value);
  for (const [name] of entries) yield Object.fromEntries(entries.filter(([each]) => each !== name));
  for (const [name, inner] of entries) {
    for (const smaller of withoutOneField(inner)) yield { ...value, [name]: smaller };
  }
}

function* headerCuts(request: RequestRecord): Generator<RequestRecord> {
  for (const header of request.headers) {
    yield { ...request, headers: request.headers.filter((each) => each !== header) };
  }
}
