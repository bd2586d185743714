import { Hono } from 'hono';
import { type Listening, serve } from '../../http/serve.ts';
import { conflict, validationError } from '../../kernel/errors.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { NO_FOLLOWER } from '../../world/acts.ts';
import { describeInputs } from './describe.ts';
import type { InputRecord, Repro } from './format.ts';
import { repro as tool } from './index.ts';
import { MEGABYTE } from './limits.ts';
import { OPENED_REPROS, type OpenedState, type Step } from './opened-repro.ts';
import { actNumberOf, describeActRange, findActNumber, findInputOfAct } from './places.ts';
import { Replay, type ReplayCopy } from './replay.ts';
import { openFile } from './replay-file.ts';
import { OBJECT_TYPES, type ObjectChange, StateChanges } from './world-objects.ts';

const MAX_LOGGED_REQUESTS = 100_000;
/** An opened sandbox records nothing. */
const { follow: _follow, ...TOOL } = tool;
const OPTIONS = { requestLog: MAX_LOGGED_REQUESTS, tools: [TOOL] };
const ACTS_PER_COPY = 50;
/** Total size of copies. Beyond it, no copy is made, and a step replays more acts. */
const MAX_COPY_BYTES = 256 * MEGABYTE;

/** A copy of the state. @property at number of the last act */
type StateCopy = ReplayCopy & { at: number };

/**
 * Serves a sandbox in the state after an act of a file, with a frozen clock, and steps to other acts. Its request log has
 * the requests of the file. It sends no webhook. Each step opens a new sandbox from the nearest copy before the act, so
 * that no state of the previous one remains.
 */
export class OpenedRepro {
  /** The place of the first input that differs from the recording, if any. */
  diverged: string | null = null;
  readonly #inputs: readonly InputRecord[];
  /** The numbers of all acts, and 0 for the base. */
  readonly #acts: readonly number[];
  readonly #copies: StateCopy[] = [];
  #copyBytes = 0;
  #replay: Replay;
  #at = 0;
  #digest = '';
  #difference: readonly ObjectChange[] = [];
  #discarded = 0;
  /** Number of acts of accepted requests since the last step. */
  #manualActs = 0;
  #steps: Promise<unknown> = Promise.resolve();
  #listening: Listening | undefined;

  /** @param last number of the last act to perform @throws NotReplayableError, ReproFileError */
  static async open(repro: Repro, last: number): Promise<OpenedRepro> {
    const replay = await openFile(repro, OPTIONS);
    const openedRepro = new OpenedRepro(replay);
    await openedRepro.#replayTo(replay, openedRepro.#acts.findLast((n) => n <= last) ?? 0);
    return openedRepro;
  }

  private constructor(replay: Replay) {
    const { inputs } = replay.repro;
    this.#replay = replay;
    this.#inputs = inputs;
    this.#acts = [0, ...inputs.flatMap((input) => (input.kind === 'act' ? input.n : []))];
  }

  get sandbox(): Sandbox {
    return this.#replay.sandbox;
  }

  get credentials(): { key_id: string; secret: string; environment: string }[] {
    return this.#replay.client
      .prepare('SELECT key_id, secret, environment FROM credentials ORDER BY key_id')
      .all() as { key_id: string; secret: string; environment: string }[];
  }

  get manualActs(): number {
    return this.#manualActs;
  }

  get state(): OpenedState {
    const [, first = 0] = this.#acts;
    const input = findInputOfAct(this.#inputs, this.#at);
    return {
      at: this.#at,
      first,
      last: this.#acts.at(-1) ?? 0,
      digest: this.#digest,
      input: (input && describeInputs([input], this.#inputs)[0]) ?? null,
      difference: this.#difference,
      discarded: this.#discarded,
    };
  }

  /** Serves all states at one address. @throws PortInUseError */
  async listen(host: string, port: number): Promise<Listening> {
    const app = new Hono();
    app.all('*', async ({ req, env }) => (await this.sandbox.app()).fetch(req.raw, env));
    this.#listening = await serve(
      async () => app,
      { respond: (request) => this.sandbox.partner.respond(request) },
      host,
      port,
      { report: () => {}, redact: (text) => this.sandbox.requests.redact(text) },
    );
    return this.#listening;
  }

  /** Steps, and discards manual acts. If it throws, nothing has changed. @throws validation_error, conflict */
  step(step: Step): Promise<void> {
    const promise = this.#steps.then(async () => {
      const at = await this.#targetAct(step);
      const from = this.#copies.findLast((copy) => copy.at < at) ?? this.#copies[0];
      await this.#replayTo(await this.#replayFrom(from), at);
    });
    this.#steps = promise.catch(() => {});
    return promise;
  }

  async close(): Promise<void> {
    const closed = this.#listening?.close();
    await this.#steps;
    await this.#replay.close();
    await closed;
  }

  async #targetAct({ to = '', by, order }: Step): Promise<number> {
    if (order !== undefined) return this.#nextChangeOf(order);
    const n = by ? this.#acts[this.#acts.indexOf(this.#at) + by] : findActNumber(this.#inputs, to);
    if (n !== undefined) return n;
    const problem = by
      ? `by: no act ${by > 0 ? 'after' : 'before'} #${this.#at}`
      : `to: no act ${to}`;
    throw validationError(`${problem}; ${describeActRange(this.#inputs)}`);
  }

  /** @throws conflict */
  async #nextChangeOf(order: string): Promise<number> {
    const from = this.#copies.findLast((copy) => copy.at <= this.#at);
    const replay = await this.#replayFrom(from);
    const read = ({ at }: InputRecord) =>
      replay.readAt(at, (tx) => JSON.stringify(OBJECT_TYPES.order.read(tx, '', order)));
    let before: string | undefined;
    const isAfter = (input: InputRecord) => input.kind === 'act' && input.n > this.#at;
    const upcoming = (input: InputRecord) => {
      if (isAfter(input)) before ??= read(input);
    };
    try {
      for await (const { input } of replay.perform(undefined, upcoming)) {
        this.#copyIfDue(replay, input);
        if (isAfter(input) && read(input) !== before) return actNumberOf(input);
      }
    } finally {
      await replay.close();
    }
    throw conflict(`order: no act after #${this.#at} changes ${order}`);
  }

  /** Replays up to an act, and serves the state after it. */
  async #replayTo(replay: Replay, at: number): Promise<void> {
    try {
      if (this.#copies.length === 0) this.#copyIfDue(replay);
      const changes = new StateChanges(replay, [at]);
      for await (const { input, requests } of replay.perform(at, changes.before)) {
        changes.after(input);
        this.diverged ??= replay.divergenceOf([input, ...requests])?.input ?? null;
        this.#copyIfDue(replay, input);
      }
      this.#difference = changes.list();
      this.#digest = replay.digest();
      const acts = new WeakMap<object, number>();
      await replay.runInRealTime({
        ...NO_FOLLOWER,
        begin: (cause) => {
          if (typeof cause === 'object') acts.set(cause, (acts.get(cause) ?? 0) + 1);
        },
        finish: (request, response) => {
          const isAccepted = response && response.status < 400;
          if (isAccepted && this.#replay === replay) this.#manualActs += acts.get(request) ?? 0;
          return undefined;
        },
      });
      this.#discarded = this.#manualActs;
      this.#manualActs = 0;
    } catch (error) {
      await replay.close();
      throw error;
    }
    const before = this.#replay;
    this.#at = at;
    this.#replay = replay;
    OPENED_REPROS.set(replay.sandbox.worlds, this);
    if (before !== replay) await before.close();
  }

  #replayFrom(from: StateCopy | undefined): Promise<Replay> {
    return Replay.open(this.#replay.repro, { ...OPTIONS, copy: from });
  }

  /** Copies the world if the last copy is at least `ACTS_PER_COPY` acts old. */
  #copyIfDue(replay: Replay, input?: InputRecord): void {
    const last = this.#copies.at(-1);
    const at = input?.kind === 'act' ? input.n : 0;
    const acts = this.#acts.indexOf(at) - this.#acts.indexOf(last?.at ?? 0);
    if (last && (acts < ACTS_PER_COPY || this.#copyBytes > MAX_COPY_BYTES || !replay.isIdle))
      return;
    const copy = { ...replay.copy(), at };
    this.#copies.push(copy);
    this.#copyBytes += copy.database.length + (copy.log?.length ?? 0);
  }
}
