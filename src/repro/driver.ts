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
import { openSandbox, type Sandbox } from '../sandbox.ts';
import { findDelivery } from '../webhooks/deliveries.ts';
import type { Sender, SendRequest, SendResult } from '../webhooks/send.ts';
import type { GivenResponse, RequestInput } from '../world/inputs.ts';
import type { World } from '../world/world.ts';
import { DEFAULT_WORLD } from '../world/worlds.ts';
import { ReplayHook } from './replay-hook.ts';
import { fetchRequestOf, rawRequestOf } from './replayed-request.ts';

export interface Replay {
  /** Name of the world. */
  world: string;
  base: Base;
  settings: RecordedSettings;
  /** In order of their numbers. */
  inputs: readonly RecordedInput[];
}

/** The response that a replayed request got. */
export interface ReplayedResponse {
  /** Number of the request. */
  n: number;
  response: GivenResponse | 'closed';
  failedCheck: Check | null;
}

/** A webhook that was to be sent. */
export interface ReplayedSend {
  /** Number of the input that sends it. */
  of: number;
  url: string;
  body: string;
}

/** What an input brought about. */
export interface Outputs {
  input: RecordedInput;
  responses: ReplayedResponse[];
  sends: ReplayedSend[];
  /** Why the input could not be replayed. */
  problem: string | null;
}

/** Ticks of the event loop in which nothing happens, after which a world has finished an input. */
const QUIET_TICKS = 3;
/** How long a request may take to enter the world. */
const MAX_ENTER_MS = 10_000;

interface Sending {
  of: number;
  resolve(result: SendResult): void;
}

/** Replays a recording in a sandbox of its own, one input at a time, without network and timers. */
export class ReplayDriver {
  readonly #replay: Replay;
  readonly #hook: ReplayHook;
  #at: number;
  #next = 0;
  #sending: Sending[] = [];
  #outputs: Outputs | undefined;
  #unfinished = 0;
  #isOver = false;
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
      isSameQueue: (one, other) => this.#isSameQueue(one, other),
      finished: (input, response) => this.#finished(input, response),
    });
  }

  get world(): World {
    return this.sandbox.worlds.require(this.#replay.world);
  }

  /** Replays the next input. @returns undefined after the last one */
  async next(): Promise<Outputs | undefined> {
    const input = this.#replay.inputs[this.#next];
    if (!input) return undefined;
    this.#next += 1;
    const outputs: Outputs = { input, responses: [], sends: [], problem: null };
    this.#outputs = outputs;
    const isTaken = await (input.kind === 'request' ? this.#feed(input) : this.#take(input));
    if (!isTaken) outputs.problem = `${describe(input)} does not occur in the replay`;
    await this.#settle();
    if (this.#next === this.#replay.inputs.length && this.#unfinished > 0) await this.#lookAgain();
    return outputs;
  }

  async close(): Promise<void> {
    this.#isOver = true;
    this.#hook.end();
    for (const { resolve } of this.#sending.splice(0)) resolve(BLOCKED);
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
      sender: this.#sender(),
      replay: {
        given: { name, from, lastSeries: settings.lastSeries },
        inputs: this.#hook,
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

  #sender(): Sender {
    return {
      send: (request) => this.#send(request),
      close: () => {},
    };
  }

  #send({ of = this.#hook.number, url, body }: SendRequest): Promise<SendResult> {
    if (this.#isOver) return Promise.resolve(BLOCKED);
    this.#hook.activity += 1;
    this.#outputs?.sends.push({ of, url, body });
    return new Promise((resolve) => this.#sending.push({ of, resolve }));
  }

  /** Lets a request in. @returns whether it has entered the world */
  async #feed(request: RecordedRequest): Promise<boolean> {
    this.#begin(request);
    this.#hook.begin(request.n);
    this.#unfinished += 1;
    const { partner } = this.sandbox;
    const done =
      request.api === 'partner' ? partner.respond(rawRequestOf(request)) : this.#fetch(request);
    let isDone = false;
    const end = () => {
      isDone = true;
    };
    done.then(end, end);
    const begun = systemRuntime.monotonic();
    while (!this.#hook.hasEntered) {
      if (isDone || systemRuntime.monotonic() - begun > MAX_ENTER_MS) return false;
      await setImmediate();
    }
    return true;
  }

  async #fetch(request: RecordedRequest): Promise<unknown> {
    const app = await this.sandbox.app();
    return app.fetch(fetchRequestOf(request, this.#replay.settings.baseUrl));
  }

  /** Lets the work of a step go on. @returns whether any waited for it */
  async #take(input: RecordedStep): Promise<boolean> {
    this.#begin(input);
    if (this.#tryTake(input)) return true;
    // In the recording a timer did.
    await this.#lookAgain();
    return this.#tryTake(input);
  }

  #tryTake({ n, label, of, delivery, result }: RecordedStep): boolean {
    if (label !== 'outcome') {
      return this.#hook.take(n, {
        label,
        ...(of !== null && { of }),
        ...(delivery !== null && { delivery }),
      });
    }
    const index = this.#sending.findIndex((sending) => sending.of === of);
    const [sending] = index < 0 ? [] : this.#sending.splice(index, 1);
    if (!sending) return false;
    this.#hook.number = n;
    sending.resolve(result as SendResult);
    return true;
  }

  #begin({ at }: RecordedInput): void {
    this.#at = at;
  }

  async #lookAgain(): Promise<void> {
    this.#hook.turnAway();
    this.sandbox.schedulers.of(this.world).wake();
    await this.#settle();
  }

  /** Waits until the world has finished what it can do. */
  async #settle(): Promise<void> {
    const hook = this.#hook;
    for (let quiet = 0, seen = hook.activity; quiet < QUIET_TICKS; ) {
      await setImmediate();
      quiet = hook.activity === seen ? quiet + 1 : 0;
      seen = hook.activity;
    }
  }

  #finished(input: RequestInput, response: GivenResponse | undefined): void {
    this.#unfinished -= 1;
    const failed =
      input instanceof LogEntryBuilder
        ? input.trace.steps.find(({ result }) => result === 'failed')
        : undefined;
    this.#outputs?.responses.push({
      n: input.number,
      response: response ?? 'closed',
      failedCheck: failed?.check ?? null,
    });
  }

  #isSameQueue(one: string, other: string): boolean {
    return this.world.read((tx) => {
      const [first, second] = [findDelivery(tx, one), findDelivery(tx, other)];
      return first?.partnerId === second?.partnerId && first?.environment === second?.environment;
    });
  }
}

const BLOCKED: SendResult = {
  outcome: 'blocked',
  httpStatus: null,
  durationMs: 0,
  response: null,
};

function rateLimitsOf({ rateLimits }: RecordedSettings): RateLimits {
  const given = Object.entries(rateLimits).map(([name, limit]) => [name, limit ?? undefined]);
  return { ...NO_RATE_LIMITS, ...Object.fromEntries(given) };
}

function describe(input: RecordedInput): string {
  if (input.kind === 'request') return `${input.method} ${input.target}`;
  const about = input.of ?? input.delivery;
  return `step ${input.label}${about === null ? '' : ` ${about}`}`;
}
