import { isDeepStrictEqual } from 'node:util';
import { resolvesWithin, systemRuntime } from '../../kernel/runtime.ts';
import type { Start } from '../../requests/log-file.ts';
import type { SandboxOptions } from '../../sandbox/options.ts';
import { openSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import type { Tx } from '../../store/transaction.ts';
import { findDelivery, recordAttempt } from '../../webhooks/deliveries.ts';
import { DEFAULT_WORLD } from '../../world/files.ts';
import type { RequestRun } from '../../world/run.ts';
import type { World } from '../../world/world.ts';
import {
  isBodyCut,
  type Repro,
  type ReproHead,
  type ReproRow,
  type RequestRecord,
} from './format.ts';
import { mainRun, type ReplayedResponse, sortKeyOf } from './logged-requests.ts';
import { replayRequest } from './replayed-requests.ts';
import { databaseOfRows, generatedInventory, inventoryDigest, withRowErrors } from './rows.ts';
import { endSlice } from './slices.ts';

/** Real time after which a request that gives no response counts as closed. */
const MAX_WAIT_MS = 10_000;

/** Entries that the log keeps. A replay reads only the newest, after each request. */
const MAX_LOGGED = 100;

/** Rejected, but not sent again: a restore, whose snapshot may exist by then, and a key ID that another world has. */
const NOT_SENT = /^\/_sandbox\/(?:snapshots\/[^/]+\/restore\b|credentials(?:\?.*)? 409$)/;

/** Each start adds the configured faults to the default world again: after the others, without hits. */
const ADD_FAULTS_AGAIN = `UPDATE faults SET matched = 0, hits = 0, delivery_id = NULL,
  seq = seq + (SELECT 1 + max(seq) - min(seq) FILTER (WHERE configured) FROM faults) WHERE configured`;

/** The outcome of a request that got no response. */
const CLOSED: ReplayedResponse = {
  status: null,
  code: null,
  response: { headers: [], body: null, bytes: 0, encoding: 'utf8', altered: null },
  trace: [],
};

/** A file cannot be replayed by this version. The message is one sentence. */
export class NotReplayableError extends Error {
  override readonly name = 'NotReplayableError';
}

/**
 * Returns the database with the rows of a file.
 * @throws NotReplayableError if there are none, or this version generates another inventory; ReproFileError
 */
export function databaseOf(head: ReproHead, rows: readonly ReproRow[]): Buffer {
  if (rows.length === 0) throw new NotReplayableError(head.problem ?? 'the file has no world');
  const generated = generatedInventory(head);
  try {
    if (inventoryDigest(generated) === head.digest) return databaseOfRows(head, rows, generated);
  } finally {
    generated.close();
  }
  throw new NotReplayableError(
    `this version generates another inventory from the seed; use sandlot ${head.sandlot}`,
  );
}

/** A sandbox in memory, without network and timers, in which requests run again. */
export class Replay {
  readonly #head: ReproHead;
  #sandbox!: Sandbox;
  #world!: World;
  /** That in which the present requests were handled. */
  #start: Start | undefined;
  /** Real time, Unix ms. */
  #time = 0;
  /** Number of the next log entry. */
  #nextSeq = 1;
  /** The request that runs now, for `#sleep`. */
  #current: Running | undefined;
  readonly #begun = new Set<RequestRecord>();
  /** Requests that have not responded: the current one, and those in an injected delay. */
  readonly #running = new Map<RequestRecord, Running>();

  /** @param start that of the first request, if there is one */
  static async open(head: ReproHead, database: Buffer, start?: Start): Promise<Replay> {
    const replay = new Replay(head);
    await replay.#open(database, start);
    return replay;
  }

  async #open(database: Buffer, start?: Start): Promise<void> {
    this.#start = start;
    this.#nextSeq = 1;
    this.#sandbox = await openSandbox({
      ...sandboxOptionsOf(this.#head, database, start),
      runtime: {
        now: () => this.#time,
        monotonic: systemRuntime.monotonic,
        sleep: () => this.#sleep(),
        after: () => () => {},
      },
      publicUrl: start?.baseUrl,
      sendsWebhooks: false,
      requestLog: MAX_LOGGED,
    });
    this.#world = this.#sandbox.worlds.require(this.#head.world);
    // Until the first request, which sets a running clock and holds it at its own time.
    this.#world.clock.hold(0);
  }

  /** Starts again where the recorded sandbox did, with the settings of that start, and forgets nonces and rate windows. */
  async #restart(start: Start): Promise<void> {
    if (this.#head.world === DEFAULT_WORLD) this.#world.store.client.exec(ADD_FAULTS_AGAIN);
    const database = this.#world.serialize();
    await this.close();
    await this.#open(database, start);
  }

  private constructor(head: ReproHead) {
    this.#head = head;
  }

  /**
   * Runs requests, passed in the order of the file, in that of their runs. Yields each when it has responded.
   * @param requestFor called just before a request is sent; returns it, or another one to send in its place
   */
  async *run(
    requests: readonly RequestRecord[],
    requestFor = (record: RequestRecord) => record,
  ): AsyncGenerator<ReplayedRequest> {
    for (const { record, run, isFirst } of stepsOf(requests)) {
      await endSlice();
      if (!isDeepStrictEqual(record.start, this.#start)) await this.#restart(record.start);
      this.#moveTo(record, run);
      this.#begun.add(record);
      if (NOT_SENT.test(`${record.target} ${record.status}`)) {
        yield { record, sent: record, replayed: record };
        continue;
      }
      if (isFirst) this.#send(record, requestFor(record));
      const running = this.#running.get(record);
      // Undefined at the end of an injected delay that the replay did not have.
      if (!running || !(await this.#proceed(running, isFirst))) continue;
      this.#running.delete(record);
      const replayed = this.#newestResponse();
      const lastRun = record.runs.at(-1);
      // A call may have moved the clock to an attempt of a delivery; the replay makes none.
      if (lastRun) this.#world.clock.hold(lastRun.now);
      // With only the beginning of its body, it may be rejected for another reason, which matters only for the target.
      const isCut = record.n !== this.#head.target && isBodyCut(record);
      yield { record, sent: running.sent, replayed: isCut ? record : replayed };
    }
  }

  /** Sets both clocks to the time of a run, or of a request without one. */
  #moveTo(record: RequestRecord, run: RequestRun | undefined): void {
    const { clock } = this.#world;
    const now = run?.now ?? Math.max(record.at, clock.now());
    this.#time = run?.at ?? record.receivedAt;
    clock.release();
    // A running clock that a call moves is released before the call ends, and must not be ahead then.
    if (!clock.frozen && clock.now() !== now)
      this.#world.transaction(() => clock.set(now, false, this.#time));
    clock.hold(now);
  }

  async close(): Promise<void> {
    for (const { endDelay } of this.#running.values()) endDelay?.();
    await this.#sandbox.close();
  }

  /**
   * Freezes the clock at the time of the first of `requests` that has not begun, or where it is, and returns the database.
   * @param state its webhook attempts up to then are recorded, because a replay makes none
   */
  finish({ requests, state }: Pick<Repro, 'requests' | 'state'> = { requests: [], state: [] }) {
    const { clock } = this.#world;
    const next = requests.find((record) => !this.#begun.has(record));
    if (next) this.#moveTo(next, mainRun(next));
    this.#sandbox.schedulers.of(this.#world).runMoves();
    this.#addAttempts(state);
    this.#world.transaction(() => {
      clock.setFrozen(true);
      clock.release();
    });
    return this.#world.serialize();
  }

  /** Records the webhook attempts that began before now. */
  #addAttempts(state: readonly ReproRow[]): void {
    const world = this.#world;
    const now = world.clock.now();
    const { client } = world.store;
    const lastId = Number(client.prepare('SELECT max(id) FROM delivery_attempts').pluck().get());
    for (const { table, values } of state) {
      const { id, at, delivery_id, outcome, http_status, duration_ms, response } = values;
      if (table !== 'delivery_attempts' || !(Number(id) > lastId && Number(at) <= now)) continue;
      const record = (tx: Tx) => {
        const delivery = findDelivery(tx, String(delivery_id));
        // One that failed may have further attempts: retries by hand.
        if (!delivery || delivery.status === 'delivered') return;
        recordAttempt(tx, delivery, {
          at: tx.now,
          url: delivery.url,
          outcome: String(outcome),
          httpStatus: http_status as number | null,
          durationMs: Number(duration_ms),
          response: response as string | null,
        });
      };
      withRowErrors(table, () => world.transaction(record, undefined, Number(at)));
    }
  }

  #send(record: RequestRecord, sent: RequestRecord): void {
    const { promise: delayed, resolve: onDelay } = Promise.withResolvers<void>();
    const running: Running = { sent, delayed, onDelay };
    this.#running.set(record, running);
    this.#current = running;
    running.ended = replayRequest(this.#sandbox, sent, record.start.baseUrl).catch(() => {});
  }

  /**
   * Waits until a request responds, or has no response in time.
   * @param isFirst false ends its injected delay
   * @returns false if an injected delay began
   */
  async #proceed(running: Running, isFirst: boolean): Promise<boolean> {
    this.#current = running;
    const { ended, delayed } = running;
    if (!isFirst) running.endDelay?.();
    const next = Promise.race(isFirst ? [ended, delayed] : [ended]);
    await resolvesWithin(next, MAX_WAIT_MS, { runtime: systemRuntime });
    return !isFirst || running.endDelay === undefined;
  }

  #newestResponse(): ReplayedResponse {
    const { requests } = this.#sandbox;
    // The query is prepared; `list` would build one for each request.
    const [entry] = requests.history(this.#world.name, this.#nextSeq, 1);
    this.#nextSeq = requests.nextSeq;
    if (!entry) return CLOSED;
    const { status, code, response, trace } = entry;
    return { status, code, response, trace };
  }

  /** The first sleep of a partner request with two runs is its injected delay, until the second. Other sleeps end at once. */
  async #sleep(): Promise<void> {
    const running = this.#current;
    if (running?.sent.api !== 'partner' || running.sent.runs.length < 2 || running.endDelay) return;
    await new Promise<void>((resolve) => {
      running.endDelay = resolve;
      running.onDelay();
    });
  }
}

/** Returns the options of a sandbox that has the world of a file, and whose webhooks get the outcome `blocked`. */
export function sandboxOptionsOf(head: ReproHead, database: Buffer, start?: Start) {
  return {
    sender: {
      send: async () => ({ outcome: 'blocked', httpStatus: null, durationMs: 0, response: null }),
      close: () => {},
    },
    initialWorld: { name: head.world, database },
    // A default world beside it stays empty.
    ...(head.world !== DEFAULT_WORLD && { inventory: 0, defaultCredential: false }),
    rateLimits: start?.rateLimits,
    report: () => {},
  } satisfies SandboxOptions;
}

/** A request of a file, the request that was sent for it, and its response. */
interface ReplayedRequest {
  record: RequestRecord;
  sent: RequestRecord;
  replayed: ReplayedResponse;
}

/** A request that has not responded. */
interface Running {
  sent: RequestRecord;
  /** Resolves when it has responded; set when it is sent. */
  ended?: Promise<void>;
  /** Resolves when an injected delay begins. */
  delayed: Promise<void>;
  onDelay(): void;
  /** Ends the injected delay; undefined until it has begun. */
  endDelay?: () => void;
}

interface Step {
  record: RequestRecord;
  run: RequestRun | undefined;
  /** Whether the step sends the request; another one ends its injected delay. */
  isFirst: boolean;
}

/** Returns the steps of a replay, in the order of runs. */
function stepsOf(requests: readonly RequestRecord[]): Step[] {
  let lastRun = 0;
  const steps = requests.flatMap((record): (Step & { sortKey: number })[] => {
    const run = mainRun(record);
    const sortKey = sortKeyOf(record, lastRun);
    lastRun = Math.max(lastRun, ...record.runs.map(({ n }) => n));
    const laterRuns = record.api === 'partner' ? record.runs.slice(1) : [];
    return [
      { record, run, isFirst: true, sortKey },
      ...laterRuns.map((next) => ({ record, run: next, isFirst: false, sortKey: next.n })),
    ];
  });
  return steps.sort((a, b) => a.sortKey - b.sortKey);
}
