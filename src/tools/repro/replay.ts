import { NO_RATE_LIMITS } from '../../http/rate-limits.ts';
import { systemRuntime } from '../../kernel/runtime.ts';
import { nextTurn } from '../../kernel/timers.ts';
import type { LogEntryBuilder } from '../../requests/entry-builder.ts';
import { openSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import type { SandboxTool } from '../../sandbox/tool.ts';
import type { Scheduler } from '../../schedule/scheduler.ts';
import { type Client, serializeStore } from '../../store/open.ts';
import type { Tx } from '../../store/transaction.ts';
import { type ActFollower, type GivenResponse, NO_FOLLOWER, UNRECORDED } from '../../world/acts.ts';
import { memoryStorage } from '../../world/snapshot-storage.ts';
import type { World } from '../../world/world.ts';
import { DEFAULT_WORLD } from '../../world/worlds.ts';
import { DivergedError, InputResults } from './differences.ts';
import type { ActRecord, InputRecord, Repro, RequestRecord, ResponseRecord } from './format.ts';
import { MAX_SNAPSHOT_BYTES, MEGABYTE, ReproFileError } from './limits.ts';
import { actNumberOf } from './places.ts';
import { countersAt } from './recording/recording-store.ts';
import { ReplayedRequests } from './replayed-requests.ts';
import { performWork } from './replayed-work.ts';
import { databaseOfRows, digestOf } from './rows.ts';

/** A file without its end, which is not known while the file is made. */
export type ReproContents = Omit<Repro, 'end'>;

/** A copy of an idle world, from which a replay can continue. */
export interface ReplayCopy {
  /** Index of the next input. */
  nextIndex: number;
  /** The database of the world. */
  database: Buffer;
  /** The database of its request log. */
  log: Buffer | undefined;
  snapshots: readonly (readonly [name: string, database: Buffer])[];
  /** The last id series of the world. */
  lastSeries: number;
  counters: Readonly<Record<string, number>>;
}

export interface ReplayOptions {
  /** How long a request may take until its next act or its response, in ms. */
  maxWaitMs?: number;
  /** Number of requests that the log keeps; 0 by default. */
  requestLog?: number;
  /** Tools of the sandbox. */
  tools?: readonly SandboxTool[];
  /** Where to start, instead of the base. */
  copy?: ReplayCopy | undefined;
}

/** A performed act or read. */
interface ReplayStep {
  input: InputRecord;
  /** Requests that got their response in this step. */
  requests: RequestRecord[];
}

/**
 * Performs the acts of a recording in a separate sandbox, one after the other, without network and timers. The contract:
 *
 * 1. State changes only in acts, in the order of their numbers, each at its recorded real time.
 * 2. A request runs its own code and waits in `world.act` for the turn of its next act.
 * 3. Every other act is called by name. No timer, scheduler, dispatcher or sender runs.
 * 4. Taken from the recording: bodies, results of signature checks, results of sends.
 * 5. Clock readings and counters are computed; one that differs from the record is a difference.
 * 6. An act of scheduled work must be due, otherwise it is a difference too.
 * 7. A request without an act is a read: it runs after the act whose state it saw.
 */
export class Replay extends InputResults {
  readonly repro: ReproContents;
  declare sandbox: Sandbox;
  readonly #options: ReplayOptions;
  #time: number;
  readonly #acts: ReadonlyMap<number, ActRecord>;
  /** Requests before the current position, by their first act, with which they start. */
  readonly #requestsByAct = new Map<number, RequestRecord>();
  #nextIndex: number;
  readonly #requests: ReplayedRequests;
  #step: ReplayStep | undefined;
  /** The act that begins next. */
  #nextAct: ActRecord | undefined;
  /** The counters before the next act. */
  counters: Readonly<Record<string, number>>;
  readonly #snapshots = memoryStorage();
  #isRealTime = false;

  /** @throws ReproFileError if its rows are not those of a world */
  static async open(repro: ReproContents, options: ReplayOptions = {}): Promise<Replay> {
    const replay = new Replay(repro, options);
    await replay.#openSandbox();
    return replay;
  }

  private constructor(repro: ReproContents, options: ReplayOptions) {
    const { head, inputs } = repro;
    super(inputs);
    const { copy, maxWaitMs } = options;
    this.repro = repro;
    this.#options = options;
    this.#requests = new ReplayedRequests({
      sandbox: () => this.sandbox,
      baseUrl: head.base_url,
      onExtraAct: (request) =>
        this.#note(`${describe(request)} changes the state, where it did not`),
      maxWaitMs,
    });
    this.#nextIndex = copy?.nextIndex ?? 0;
    this.counters = copy?.counters ?? {};
    const { base } = head;
    this.#time =
      !copy && base.type === 'seed' ? base.created_at : (inputs[this.#nextIndex]?.at ?? 0);
    this.#acts = new Map(
      inputs.flatMap((input) => (input.kind === 'act' ? [[input.n, input]] : [])),
    );
  }

  get world(): World {
    return this.sandbox.worlds.require(this.repro.head.world);
  }

  get #scheduler(): Scheduler {
    return this.sandbox.schedulers.of(this.world);
  }

  /** Whether the counters of each act are set instead of compared, because inputs may be missing. */
  get #setsCounters(): boolean {
    return this.repro.head.origin !== 'sandbox';
  }

  /** Whether no request, delivery attempt or clock advance is in flight: a file can start here. */
  get isIdle(): boolean {
    const { clock } = this.world;
    const { attempts } = this.#scheduler;
    return this.#requests.isEmpty && attempts.inFlight === 0 && !clock.isHeld;
  }

  get hasSnapshots(): boolean {
    return this.#snapshotBytes > 0;
  }

  get #snapshotBytes(): number {
    const { world } = this.repro.head;
    const names = this.#snapshots.names(world);
    return names.reduce((sum, name) => sum + this.#snapshots.sizeOf(world, name), 0);
  }

  /**
   * Performs the inputs up to and including act `n`, and the reads after it.
   * @param before called before each act and read
   * @throws ReproFileError over a limit
   */
  async *perform(
    n = Number.POSITIVE_INFINITY,
    before: (input: InputRecord) => void = () => {},
  ): AsyncGenerator<ReplayStep> {
    const { inputs } = this.repro;
    const nextInput = () => inputs[this.#nextIndex];
    for (let input = nextInput(); input && actNumberOf(input) <= n; input = nextInput()) {
      this.#nextIndex += 1;
      if (input.kind === 'request' && input.acts[0] !== undefined) {
        this.#requestsByAct.set(input.acts[0], input);
        continue;
      }
      before(input);
      const step = await this.#perform(input);
      if (this.#snapshotBytes > MAX_SNAPSHOT_BYTES) {
        const limit = `${MAX_SNAPSHOT_BYTES / MEGABYTE} MB`;
        throw new ReproFileError(
          `input ${this.placeOf(input)}: its snapshots take more than ${limit}`,
        );
      }
      yield step;
    }
  }

  /** As `perform`. @throws DivergedError at the first input that differs from the recording */
  async *reproduce(...args: Parameters<Replay['perform']>): AsyncGenerator<ReplayStep> {
    for await (const step of this.perform(...args)) {
      const divergence = this.divergenceOf([step.input, ...step.requests]);
      if (divergence) throw new DivergedError(divergence);
      yield step;
    }
  }

  /** The database of the world, without pending writes. */
  get client(): Client {
    this.world.flush();
    return this.world.store.client;
  }

  /** Reads the world at a real time that is not after the next act. */
  readAt<T>(at: number, read: (tx: Tx) => T): T {
    const before = this.#time;
    this.#time = at;
    try {
      return this.world.read(read);
    } finally {
      this.#time = before;
    }
  }

  /** The last id series of the world. */
  get lastSeries(): number {
    return this.sandbox.worlds.lastSeriesOf(this.world);
  }

  /** Copies the world, which must be idle. */
  copy(): ReplayCopy {
    const { requestLog = 0 } = this.#options;
    const { name } = this.world;
    return {
      nextIndex: this.#nextIndex,
      database: this.client.serialize(),
      log: requestLog > 0 ? serializeStore(this.sandbox.requests.store) : undefined,
      snapshots: this.#snapshots
        .names(name)
        .map((snapshot) => [snapshot, this.#snapshots.take(name, snapshot)]),
      lastSeries: this.lastSeries,
      counters: this.counters,
    };
  }

  digest(): string {
    return digestOf(this.client);
  }

  /**
   * Ends the replay: from now on the sandbox runs in real time, with a frozen clock.
   * @param follower follows its acts
   */
  async runInRealTime(follower = NO_FOLLOWER): Promise<void> {
    const { clock } = this.world;
    this.#requests.rejectAll();
    await this.world.unrecorded(() => {
      clock.release();
      clock.setFrozen(true);
    });
    this.#isRealTime = true;
    this.world.followActs(follower);
    this.#scheduler.wake();
  }

  async close(): Promise<void> {
    this.#requests.rejectAll();
    await this.sandbox.close();
  }

  async #openSandbox(): Promise<void> {
    const { world: name, base_url, settings } = this.repro.head;
    const { copy, requestLog = 0, tools = [] } = this.#options;
    const rateLimits = Object.fromEntries(
      Object.entries(settings.rate_limits).map(([name, limit]) => [name, limit ?? undefined]),
    );
    const from = copy?.database ?? baseOf(this.repro);
    const isDefaultWorld = name === DEFAULT_WORLD;
    for (const snapshot of copy?.snapshots ?? []) this.#snapshots.put(name, ...snapshot, () => {});
    this.sandbox = await openSandbox({
      runtime: {
        now: () => (this.#isRealTime ? systemRuntime.now() : this.#time),
        monotonic: systemRuntime.monotonic,
        sleep: (ms, signal) =>
          this.#isRealTime ? systemRuntime.sleep(ms, signal) : Promise.resolve(),
        after: (ms, task) => (this.#isRealTime ? systemRuntime.after(ms, task) : () => {}),
      },
      sender: this.#requests.sender,
      initialWorld: { name, from, lastSeries: copy?.lastSeries ?? settings.last_id_series },
      initialLog: copy?.log,
      snapshotStorage: this.#snapshots,
      isAutomatic: () => this.#isRealTime,
      tools: [
        { name: 'replay', follow: async () => ({ worldOpened: this.#followWorld }) },
        ...tools,
      ],
      ...(!isDefaultWorld && { inventory: 0 }),
      frozenAt: settings.frozen_at ?? undefined,
      rateLimits: { ...NO_RATE_LIMITS, ...rateLimits },
      defaultCredential: isDefaultWorld && settings.default_credential,
      publicUrl: base_url,
      requestLog,
      report: () => {},
    });
    await this.sandbox.app();
  }

  async #perform(input: InputRecord): Promise<ReplayStep> {
    const step: ReplayStep = { input, requests: [] };
    this.#step = step;
    this.#time = input.at;
    if (input.kind === 'request') await this.#read(input);
    else {
      this.results.set(input, input);
      await this.#act(input);
      if (!this.wasPerformed(input)) this.results.delete(input);
    }
    this.world.flush();
    return step;
  }

  async #read(request: RequestRecord): Promise<void> {
    const run = this.#requests.start(request, []);
    await this.#requests.waitForNextAct(run);
    if (!run.isFinished) this.#note(`${describe(request)} acts, which it did not`);
    this.#requests.remove(run);
  }

  async #act(act: ActRecord): Promise<void> {
    this.#nextAct = act;
    this.counters = countersAt(act, this.counters);
    if (this.#setsCounters) this.world.setCounters(this.counters);
    const { cause } = act;
    if (cause.type !== 'request') {
      const onSent = (body: string) => {
        if (act.params?.body !== undefined) this.addResult(act, { params: { body } });
      };
      const problem = await performWork(this.world, this.#scheduler, act, onSent);
      if (problem) this.#note(`${cause.type}${cause.id ? ` ${cause.id}` : ''} ${problem}`);
      return;
    }
    const request = this.#requestsByAct.get(cause.of);
    const startedRun = this.#requests.find(request);
    if (!request || (cause.part > 1 && !startedRun)) {
      this.#note(`act ${act.n} belongs to no request that goes on`);
      return;
    }
    const acts = request.acts.flatMap((n) => this.#acts.get(n) ?? []);
    const run = startedRun ?? this.#requests.start(request, acts);
    await this.#requests.waitForNextAct(run);
    if (!run.startNextAct) {
      this.#note(`${describe(request)} does not act`);
      return;
    }
    run.remainingActs.shift();
    run.startNextAct();
    // The act runs in a microtask.
    await nextTurn();
    this.world.flush();
    if (run.remainingActs.length > 0 || !request.response) return;
    await this.#requests.waitUntilFinished(run);
    if (!run.isFinished) this.#note(`${describe(request)} does not end`);
  }

  #note(note: string): void {
    if (this.#step) this.addNote(this.#step.input, note);
  }

  readonly #followWorld = (world: World) => {
    if (world.name === this.repro.head.world) world.followActs(this.#follower);
  };

  readonly #follower: ActFollower = {
    ...NO_FOLLOWER,
    turn: (cause) => this.#requests.turn(cause),
    begin: (cause) => {
      const act = this.#nextAct;
      if (cause === UNRECORDED || !act) return;
      this.#nextAct = undefined;
      const { counters } = act;
      const isCompared = counters && !this.#setsCounters;
      this.addResult(act, {
        now: this.world.clock.now(act.at),
        ...(isCompared && { counters: this.world.counters(Object.keys(counters)) }),
      });
    },
    read: (request) => void this.#requests.runOf(request),
    finish: (cause, response) => {
      const run = this.#requests.runOf(cause);
      if (!run) return undefined;
      const { request } = run;
      const failed_check = (cause as LogEntryBuilder).trace.failed ?? null;
      this.addResult(request, { response: toResponseRecord(response), failed_check });
      this.#step?.requests.push(request);
      return { requestId: request.request_id };
    },
  };
}

function baseOf({ head, rows }: ReproContents) {
  const { base } = head;
  if (base.type === 'rows') return databaseOfRows({ head, rows });
  const { seed, inventory, created_at, id_series } = base;
  return { seed, inventory, createdAt: created_at, idSeries: id_series };
}

function toResponseRecord(response: GivenResponse | undefined): ResponseRecord {
  if (response === undefined) return { closed: true };
  const { status, headers, body } = response;
  return { status, headers: headers.map(([name, value]) => [name, value]), body: { text: body } };
}

function describe({ method, target }: RequestRecord): string {
  return `${method} ${target}`;
}
