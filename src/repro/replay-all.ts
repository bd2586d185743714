import type { Api } from '../requests/message.ts';
import type { Client } from '../store/open.ts';
import type { GivenResponse } from '../world/inputs.ts';
import { digestOf, inventoryDigest } from './digest.ts';
import { type Replay as DriverOptions, ReplayDriver } from './driver.ts';
import type { Repro, ReproResponse, ReproRow } from './format.ts';
import { noOutputs, type Outputs } from './outputs.ts';
import { fromReproInput } from './recorded-inputs.ts';
import { databaseOfRows, rowsOf } from './rows.ts';

/** The outputs of a replay, and the contents of the world. */
export interface Replayed extends Outputs {
  digest: string;
  /** Of the world before the first input. */
  inventoryDigest: string;
  /** The first input that did not occur again. */
  missing: number | null;
  /** Where a file starts that does not start with the recording. */
  start: MiddleStart | undefined;
}

/** An input before which the world was idle. */
export interface MiddleStart {
  n: number;
  rows: ReproRow[];
  lastSeries: number;
}

/** Replays all inputs. @param mayStart whether a file may start with this request, if the world is idle */
export async function replayAll(
  options: DriverOptions,
  mayStart: (n: number) => boolean = () => false,
): Promise<Replayed> {
  const replay = await Replay.open(options);
  try {
    const outputs = noOutputs();
    const inventory = replay.inventoryDigest();
    let start: MiddleStart | undefined;
    let missing: number | null = null;
    for (const { n, kind } of options.inputs) {
      if (!start && kind === 'request' && mayStart(n) && replay.driver.isIdle) {
        start = { n, rows: rowsOf(replay.client), lastSeries: replay.lastSeries };
      }
      const made = await replay.next(outputs);
      if (made?.problem) missing ??= n;
    }
    return { ...outputs, digest: replay.digest(), inventoryDigest: inventory, missing, start };
  } finally {
    await replay.close();
  }
}

/** The result of an input. */
export interface Made {
  /** Number of the input. */
  n: number;
  /** The numbers of its outputs. */
  outputs: number[];
  /** Why the input could not be replayed. */
  problem: string | null;
}

/** A replay in progress. */
export class Replay {
  readonly driver: ReplayDriver;
  readonly #apis: ReadonlyMap<number, Api>;
  /** Webhook bodies whose outcome has not come, by the input that sent them. */
  readonly #sent = new Map<number, string[]>();

  private constructor(driver: ReplayDriver, apis: ReadonlyMap<number, Api>) {
    this.driver = driver;
    this.#apis = apis;
  }

  static async open(options: DriverOptions): Promise<Replay> {
    const apis = options.inputs.flatMap((input) =>
      input.kind === 'request' ? [[input.n, input.api] as const] : [],
    );
    return new Replay(await ReplayDriver.open(options), new Map(apis));
  }

  /** Feeds the next input, and adds its outputs. @returns undefined after the last one */
  async next(outputs: Outputs): Promise<Made | undefined> {
    const next = await this.driver.next();
    if (!next) return undefined;
    const { input, responses, sends, problem } = next;
    const made: Made = { n: input.n, outputs: responses.map(({ n }) => n), problem };
    for (const { n, response, failedCheck } of responses) {
      const api = this.#apis.get(n) ?? 'partner';
      outputs.responses.set(n, { api, response: wholeResponse(response), failedCheck });
    }
    if (input.kind === 'step' && input.label === 'outcome' && input.of !== null) {
      const body = this.#sent.get(input.of)?.shift();
      if (body !== undefined) outputs.sent.set(input.n, body);
      made.outputs.push(input.n);
    }
    for (const { of, body } of sends) this.#sent.set(of, [...(this.#sent.get(of) ?? []), body]);
    return made;
  }

  /** The database of the world, with all that was committed. */
  get client(): Client {
    const { world } = this.driver;
    world.flush();
    return world.store.client;
  }

  /** The last ID series of the world. */
  get lastSeries(): number {
    return this.driver.sandbox.worlds.lastSeriesOf(this.driver.world);
  }

  digest(): string {
    return digestOf(this.client);
  }

  inventoryDigest(): string {
    return inventoryDigest(this.client);
  }

  close(): Promise<void> {
    return this.driver.close();
  }
}

function wholeResponse(response: GivenResponse | 'closed'): ReproResponse {
  if (response === 'closed') return { closed: true };
  const { status, headers, body } = response;
  return { status, headers: headers.map(([name, value]) => [name, value]), body: { text: body } };
}

/** Opens the replay of a file. @throws ReproFileError if its rows are not those of a world */
export function openReplay(repro: Omit<Repro, 'end'>): Promise<Replay> {
  return Replay.open(replayOf(repro));
}

/** Returns a file as the driver replays it. @throws ReproFileError if its rows are not those of a world */
export function replayOf({ head, rows, inputs }: Omit<Repro, 'end'>): DriverOptions {
  const { base, settings, world } = head;
  return {
    world,
    base:
      base.type === 'rows'
        ? { kind: 'database', bytes: databaseOfRows({ head, rows }) }
        : {
            kind: 'seed',
            seed: base.seed,
            inventory: base.inventory,
            createdAt: base.created_at,
            idSeries: base.id_series,
          },
    settings: {
      baseUrl: head.base_url,
      rateLimits: Object.fromEntries(
        Object.entries(settings.rate_limits).map(([name, limit]) => [name, limit ?? null]),
      ),
      lastSeries: settings.last_id_series,
      frozenAt: settings.frozen_at,
      defaultCredential: settings.default_credential,
    },
    inputs: inputs.map(fromReproInput),
  };
}
