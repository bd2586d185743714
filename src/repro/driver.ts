import { setImmediate } from 'node:timers/promises';
import { NO_RATE_LIMITS, type RateLimits } from '../http/rate-limits.ts';
import { systemRuntime } from '../kernel/runtime.ts';
import { LogEntryBuilder } from '../requests/entry-builder.ts';
import type {
  Base,
  RecordedInput,
  RecordedRequest,
  RecordedSettings,
  RecordedStep,
} from '../requests/recording.ts';
import type { Check } from '../requests/trace.ts';
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { findDelivery } from '../webhooks/deliveries.ts';
import type { SendRequest, SendResult } from '../webhooks/send.ts';
import type { GivenResponse, RequestInput } from '../world/inputs.ts';
import type { World } from '../world/world.ts';
import { DEFAULT_WORLD } from '../world/worlds.ts';
import { limitedStorage } from './limited-storage.ts';
import { MAX_SNAPSHOT_BYTES, MEGABYTE } from './limits.ts';
import { ReplayHook } from './replay-hook.ts';
import { ReplaySender } from './replay-sender.ts';
import { fetchRequestOf, rawRequestOf } from './replayed-request.ts';
import { ReproFileError } from './unpack.ts';

export interface Replay {
  /** Name of the world. */
  world: string;
  base: Base;
  settings: RecordedSettings;
  /** In order of their numbers. */
  inputs: readonly RecordedInput[];
}

/** What an input led to. */
interface ReplayedInput {
  input: RecordedInput;
  responses: { n: number; response: GivenResponse | 'closed'; failedCheck: Check | null }[];
  /** Webhooks that were to be sent, with the number of the input that sends them. */
  sends: { of: number; url: string; body: string }[];
  /** Why the input could not be replayed. */
  problem: string | null;
}

/** Ticks of the event loop in which nothing happens, after which a world has finished an input. */
const QUIET_TICKS = 3;
/** How long all waits for requests may take that do not enter the world, or go on, at once: they load code, or use a thread. */
const MAX_WAIT_MS = 10_000;
/** A request that takes longer is looked at less often, so that waiting does not keep a processor busy. */
const LOOK_OFTEN_MS = 20;
const LOOK_EVERY_MS = 2;

/** Replays a recording in a separate sandbox, one input at a time, without network and timers. */
export class ReplayDriver {
  readonly #replay: Replay;
  readonly #hook: ReplayHook;
  #at: number;
  #next = 0;
  readonly #sender = new ReplaySender((request) => this.#noteSend(request));
  #outputs: ReplayedInput | undefined;
  /** Numbers of requests that are being handled. */
  readonly #running = new Set<number>();
  /** In ms: a file may ask for waits without end. */
  #patience = MAX_WAIT_MS;
  #isFull = false;
  declare sandbox: Sandbox;

  /** @throws Error if the base is missing or not a world */
  static async open(replay: Replay): Promise<ReplayDriver> {
    const driver = new ReplayDriver(replay);
    await driver.#open();
    return driver;
  }

  private constructor(replay: Replay) {
    const { base, inputs } = replay;
    this.#replay = replay;
    this.#at = base.kind === 'seed' ? base.createdAt : (inputs[0]?.at ?? 0);
    this.#hook = new ReplayHook(inputs, {
      now: () => this.#at,
      stateVersion: () => this.sandbox?.worlds.require(replay.world).stateVersion,
      isSameQueue: (one, other) => this.#isSameQueue(one, other),
      finished: (input, response) => this.#finished(input, response),
    });
  }

  get world(): World {
    return this.sandbox.worlds.require(this.#replay.world);
  }

  /** Whether no request, delivery attempt or clock advance is in flight: a file can start here. */
  get isIdle(): boolean {
    const { isBusy, clock } = this.world;
    return this.#running.size === 0 && this.#sender.isIdle && !isBusy && !clock.waits;
  }

  /** Replays the next input. @returns undefined after the last one @throws ReproFileError over a limit */
  async next(): Promise<ReplayedInput | undefined> {
    const input = this.#replay.inputs[this.#next];
    if (!input) return undefined;
    this.#next += 1;
    const outputs: ReplayedInput = { input, responses: [], sends: [], problem: null };
    this.#outputs = outputs;
    const isTaken = await (input.kind === 'request' ? this.#feed(input) : this.#take(input));
    if (!isTaken) outputs.problem = `${describe(input)} does not occur in the replay`;
    await this.#settle();
    if (this.#next === this.#replay.inputs.length && this.#running.size > 0)
      await this.#lookAgain();
    if (this.#isFull) {
      const limit = `${MAX_SNAPSHOT_BYTES / MEGABYTE} MB`;
      throw new ReproFileError(`input ${input.n}: its snapshots take more than ${limit}`);
    }
    return outputs;
  }

  async close(): Promise<void> {
    this.#hook.end();
    this.#sender.close();
    await this.sandbox.close();
  }

  async #open(): Promise<void> {
    const { world: name, base, settings } = this.#replay;
    const from = base.kind === 'seed' ? base : base.bytes;
    if (!from) throw new Error('the base of the recording is not stored');
    const isHome = name === DEFAULT_WORLD;
    this.sandbox = await openSandbox({
      runtime: {
        now: () => this.#at,
        monotonic: systemRuntime.monotonic,
        sleep: () => Promise.resolve(),
        after: () => () => {},
      },
      sender: this.#sender,
      replay: {
        given: { name, from, lastSeries: settings.lastSeries },
        inputs: this.#hook,
        snapshots: limitedStorage(MAX_SNAPSHOT_BYTES, () => {
          this.#isFull = true;
        }),
      },
      ...(!isHome && { inventory: 0 }),
      frozenAt: settings.frozenAt ?? undefined,
      rateLimits: rateLimitsOf(settings),
      defaultCredential: isHome && settings.defaultCredential,
      publicUrl: settings.baseUrl,
      requestLog: 0,
      report: () => {},
    });
    await this.sandbox.app();
    await this.#settle();
  }

  #noteSend({ of = this.#hook.number, url, body }: SendRequest): number {
    this.#hook.activity += 1;
    this.#outputs?.sends.push({ of, url, body });
    return of;
  }

  /** Lets a request enter the world. @returns whether it has entered */
  async #feed(request: RecordedRequest): Promise<boolean> {
    this.#at = request.at;
    this.#hook.begin(request.n);
    const { partner } = this.sandbox;
    const done =
      request.api === 'partner' ? partner.respond(rawRequestOf(request)) : this.#fetch(request);
    this.#running.add(request.n);
    const end = () => this.#running.delete(request.n);
    done.then(end, end);
    return this.#until(request.n, () => this.#hook.hasEntered);
  }

  /** Waits until something happens that request `n` brings about. @returns whether it has happened */
  async #until(n: number | null, hasHappened: () => boolean): Promise<boolean> {
    const begun = systemRuntime.monotonic();
    const waited = () => systemRuntime.monotonic() - begun;
    while (!hasHappened()) {
      if (n === null || !this.#running.has(n) || waited() > this.#patience) {
        this.#patience -= waited();
        return false;
      }
      await (waited() < LOOK_OFTEN_MS ? setImmediate() : systemRuntime.sleep(LOOK_EVERY_MS));
    }
    return true;
  }

  async #fetch(request: RecordedRequest): Promise<void> {
    const app = await this.sandbox.app();
    const response = await app.fetch(fetchRequestOf(request, this.#replay.settings.baseUrl));
    // The hook has what is compared; a stream that nobody reads would keep its memory.
    await response.body?.cancel();
  }

  /** Lets the work of a step continue. @returns whether any was waiting for it */
  async #take(input: RecordedStep): Promise<boolean> {
    this.#at = input.at;
    if (this.#tryTake(input)) return true;
    // In the recording, a timer did this.
    await this.#lookAgain();
    return this.#until(input.label === 'continue' ? input.of : null, () => this.#tryTake(input));
  }

  #tryTake({ n, label, of, delivery, result }: RecordedStep): boolean {
    if (label !== 'outcome') {
      return this.#hook.take(n, {
        label,
        ...(of !== null && { of }),
        ...(delivery !== null && { delivery }),
      });
    }
    const end = this.#sender.take(of);
    if (!end) return false;
    this.#hook.number = n;
    end(result as SendResult);
    return true;
  }

  async #lookAgain(): Promise<void> {
    this.#hook.turnAway();
    this.sandbox.schedulers.of(this.world).wake();
    await this.#settle();
  }

  /** Waits until the world has finished the work that can run. */
  async #settle(): Promise<void> {
    const hook = this.#hook;
    for (let quiet = 0, seen = hook.activity; quiet < QUIET_TICKS; ) {
      await setImmediate();
      quiet = hook.activity === seen ? quiet + 1 : 0;
      seen = hook.activity;
    }
  }

  #finished(input: RequestInput, response: GivenResponse | undefined): void {
    const failed = input instanceof LogEntryBuilder ? input.trace.failed : undefined;
    this.#outputs?.responses.push({
      n: input.number,
      response: response ?? 'closed',
      failedCheck: failed ?? null,
    });
  }

  #isSameQueue(one: string, other: string): boolean {
    return this.world.read((tx) => {
      const [first, second] = [findDelivery(tx, one), findDelivery(tx, other)];
      return first?.partnerId === second?.partnerId && first?.environment === second?.environment;
    });
  }
}

function rateLimitsOf({ rateLimits }: RecordedSettings): RateLimits {
  const given = Object.entries(rateLimits).map(([name, limit]) => [name, limit ?? undefined]);
  return { ...NO_RATE_LIMITS, ...Object.fromEntries(given) };
}

function describe(input: RecordedInput): string {
  if (input.kind === 'request') return `${input.method} ${input.target}`;
  const about = input.of ?? input.delivery;
  return `step ${input.label}${about === null ? '' : ` ${about}`}`;
}
