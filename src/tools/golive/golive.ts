import path from 'node:path';
import { conflict } from '../../kernel/errors.ts';
import { randomSecret } from '../../kernel/ids.ts';
import { lazilyAsync } from '../../kernel/lazily.ts';
import type { RequestLogEntry } from '../../requests/log-entry.ts';
import type { RequestLogs } from '../../requests/request-logs.ts';
import type { FollowedSandbox, Follower } from '../../sandbox/tool.ts';
import { deliveries } from '../../store/schema/events.ts';
import { finder } from '../../store/table.ts';
import { VERSION } from '../../version.ts';
import type { FinishedAttempt } from '../../webhooks/dispatcher.ts';
import { LISTEN_SERVER } from '../../webhooks/send.ts';
import type { World } from '../../world/world.ts';
import { DEFAULT_WORLD } from '../../world/worlds.ts';
import type { AttemptActivity } from './activity.ts';
import type { GoliveExport, Source } from './export-file.ts';
import type { Gate } from './gate.ts';
import type { Evidence } from './observation.ts';
import type { Report } from './report.ts';
import type { WorldObservations } from './world-observations.ts';

const EXPORT_LENGTH = 16;
/** The rules load after the start, so that the start is fast. */
const LOAD_AFTER_MS = 500;
/** Number of entries that are kept for the rules, if the log drops entries before the rules are loaded. */
const MAX_EARLY_ENTRIES = 500;

type Rules = typeof import('./world-observations.ts');

const findDelivery = finder(deliveries, 'id');

/** By request logs of open sandboxes. */
const GOLIVES = new WeakMap<RequestLogs, Golive>();

/** Returns the observations of a sandbox. @throws conflict if its request log is off */
export function goliveOf({ requests }: { requests: RequestLogs }): Golive {
  const golive = GOLIVES.get(requests);
  if (!golive) throw new Error('the go-live report does not follow this sandbox');
  if (golive.isLogged) return golive;
  throw conflict(
    'the go-live report reads the request log, which is off; start without --request-log 0',
  );
}

/** Whether a sandbox has a request log, which a report reads. */
export function isLogged({ requests }: { requests: RequestLogs }): boolean {
  return GOLIVES.get(requests)?.isLogged ?? false;
}

/** Observes what integrations handle in a sandbox, for the go-live report. */
export class Golive implements Follower {
  readonly #sandbox: FollowedSandbox;
  readonly #observations = new Map<World, WorldObservations>();
  /** Keys of credentials that were created with `golive: false`, including deleted ones. */
  readonly #excludedKeys = new Set<string>();
  #rules: Rules | undefined;
  readonly #load = lazilyAsync(async () => {
    this.#rules = await import('./world-observations.ts');
    return this.#rules;
  });
  /** Resolves when the rules have read the activities from before they were loaded. */
  #earlyWork: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(sandbox: FollowedSandbox) {
    this.#sandbox = sandbox;
    GOLIVES.set(sandbox.requests, this);
    if (this.#isObserving) sandbox.runtime.after(LOAD_AFTER_MS, () => void this.#load());
  }

  get isLogged(): boolean {
    return this.#sandbox.settings.requestLog !== 0;
  }

  attemptFinished(world: World, { deliveryId, event, isForged, attempt }: FinishedAttempt): void {
    if (attempt.server === LISTEN_SERVER || !this.#follows(world)) return;
    const { partnerId, environment } = event;
    const credentials = this.#sandbox
      .worlds()
      .keys.of(world)
      .filter((key) => key.partnerId === partnerId && key.environment === environment);
    // The partner has only credentials that the report leaves out.
    if (credentials.length > 0 && !credentials.some(({ golive }) => golive)) return;
    const order = event.data.order as { status?: unknown } | undefined;
    const activity: AttemptActivity = {
      kind: 'attempt',
      id: deliveryId,
      at: this.#sandbox.runtime.now(),
      event: event.id,
      type: event.type,
      subject: event.subjectId,
      orderStatus: typeof order?.status === 'string' ? order.status : undefined,
      signature: isForged ? 'forged' : 'valid',
      outcome: attempt.outcome,
      status: attempt.httpStatus,
    };
    const { last } = this.#sandbox.requests.of(world).span;
    this.#withRules((rules) => this.#observationsOf(world, rules).addAttempt(activity, last));
  }

  beforeDrop(world: World, last: number): void {
    if (!this.#follows(world)) return;
    const dropped = this.#rules
      ? undefined
      : this.#sandbox.requests
          .of(world)
          .listSpan({}, { first: last - MAX_EARLY_ENTRIES + 1, last });
    this.#withRules((rules) => this.#observationsOf(world, rules).beforeDrop(last, dropped));
  }

  /** Reads a full log in slices, so that `beforeDrop` holds up other requests only for what is left. */
  async beforeClear(world: World): Promise<void> {
    if (!this.#rules || !this.#follows(world)) return;
    try {
      await this.#observationsOf(world, this.#rules).run();
    } catch (error) {
      this.#sandbox.report(error);
    }
  }

  /** Calls `act` with the rules, now or when they are loaded. */
  #withRules(act: (rules: Rules) => void): void {
    const { report } = this.#sandbox;
    if (!this.#rules) {
      this.#earlyWork = this.#load().then(act).catch(report);
      return;
    }
    try {
      act(this.#rules);
    } catch (error) {
      report(error);
    }
  }

  /** Adds the observations of the world to those of the default world. */
  async beforeDelete(world: World): Promise<void> {
    if (!this.#follows(world)) return;
    const rules = await this.#load();
    const record = await this.#observationsOf(world, rules).take();
    this.#observations.delete(world);
    this.#observationsOf(this.#sandbox.worlds().require(DEFAULT_WORLD), rules).add(record);
  }

  async report({
    world,
    gate,
    isServed = true,
  }: {
    world?: World | undefined;
    gate?: { file: string; content: Gate } | undefined;
    /** Whether the server keeps running, so that evidence can have links. */
    isServed?: boolean;
  } = {}): Promise<Report> {
    const { runtime, baseUrl } = this.#sandbox;
    const sources = await this.#sources(world);
    const { makeReport } = await import('./make-report.ts');
    return makeReport({
      sources: sources.filter(({ observations }) => observations.length > 0),
      gate,
      sandlot: VERSION,
      now: runtime.now(),
      ...(isServed && {
        baseUrl: baseUrl(),
        hrefOf: (evidence: Evidence) => this.#hrefOf(evidence),
      }),
    });
  }

  /** Exports all observations. Without any, includes an empty run. */
  async export({
    world,
    label = null,
  }: {
    world?: World | undefined;
    label?: string | null | undefined;
  } = {}): Promise<GoliveExport> {
    const allSources = await this.#sources(world, label);
    const nonEmpty = allSources.filter(({ observations }) => observations.length > 0);
    const sources = nonEmpty.length > 0 ? nonEmpty : allSources.slice(0, 1);
    return { format: 'sandlot-golive', version: 1, sandlot: VERSION, sources };
  }

  /** Deletes the observations of some items, or all if `items` is empty, in one world or in all. @returns their number */
  async clear(world: World | undefined, items: readonly string[]): Promise<number> {
    const rules = await this.#load();
    let cleared = 0;
    for (const target of this.#selectWorlds(world))
      cleared += await this.#observationsOf(target, rules).clear(items);
    return cleared;
  }

  /** Stores the observations of worlds that have a file. */
  async close(): Promise<void> {
    await this.#earlyWork;
    for (const [world, observations] of this.#observations) {
      try {
        if (world.file !== undefined) await observations.run();
      } catch (error) {
        this.#sandbox.report(error);
      }
      observations.close();
    }
    this.#closed = true;
    this.#observations.clear();
  }

  /** A request may end after its sandbox or its world was closed. */
  #follows(world: World): boolean {
    return this.#isObserving && !this.#closed && !world.isClosed;
  }

  get #isObserving(): boolean {
    return this.#sandbox.settings.golive !== false && this.isLogged;
  }

  async #sources(world: World | undefined, label: string | null = null): Promise<Source[]> {
    const id = randomSecret(EXPORT_LENGTH);
    const rules = await this.#load();
    await this.#earlyWork;
    const sources: Source[] = [];
    for (const target of this.#selectWorlds(world)) {
      const source = await this.#observationsOf(target, rules).source();
      if (source) sources.push({ ...source, export: id, label });
    }
    return sources;
  }

  #selectWorlds(world: World | undefined): World[] {
    return world ? [world] : this.#sandbox.worlds().list();
  }

  #observationsOf(world: World, { WorldObservations }: Rules): WorldObservations {
    const existing = this.#observations.get(world);
    if (existing) return existing;
    const { requests, runtime, report, dir } = this.#sandbox;
    const observations = new WorldObservations(world, {
      log: requests.of(world),
      file: dir && path.join(dir, `${world.name}.json`),
      excluded: {
        add: (keyId) => this.#excludedKeys.add(keyId),
        has: (entry) => this.#isExcluded(entry),
      },
      isObserving: this.#isObserving,
      now: () => runtime.now(),
      report,
    });
    this.#observations.set(world, observations);
    return observations;
  }

  #isExcluded({ keyId, partnerId }: RequestLogEntry): boolean {
    if (keyId === null || this.#excludedKeys.has(keyId)) return true;
    const key = this.#sandbox.worlds().keys.find(keyId);
    // The credential may be deleted. Without a partner, the key was never looked up, and may not have existed.
    return key ? !key.credential.golive : partnerId === null;
  }

  #hrefOf({ kind, id, world: name, at }: Evidence): string | null {
    const { worlds, requests } = this.#sandbox;
    const world = worlds().find(name);
    if (!world || id === null) return null;
    const query = name === DEFAULT_WORLD ? '' : `?world=${encodeURIComponent(name)}`;
    if (kind === 'delivery') {
      const isThere = world.read((tx) => findDelivery(tx, id)) !== undefined;
      return isThere ? `/_sandbox/dashboard/deliveries/${id}${query}` : null;
    }
    // After the log is cleared, its ids start over, so another request may have this id.
    if (requests.of(world).endedAt(id) !== at) return null;
    return `/_sandbox/dashboard/requests/${id}${query}`;
  }
}
