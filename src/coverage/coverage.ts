import { randomSecret } from '../kernel/ids.ts';
import { lazilyAsync } from '../kernel/lazily.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { deliveries } from '../store/schema/events.ts';
import type { Credential, Owner } from '../store/schema/partners.ts';
import { finder } from '../store/table.ts';
import { VERSION } from '../version.ts';
import type { World } from '../world/world.ts';
import { DEFAULT_WORLD, type Worlds } from '../world/worlds.ts';
import type { AttemptActivity, PageViewActivity } from './activity.ts';
import type { CoverageExport, Source, StoredEvidence } from './export-file.ts';
import type { Gate } from './gate.ts';
import type { Item } from './item.ts';
import type { Report } from './report.ts';
import { type EvidenceLog, type Observed, WorldCoverage } from './world-coverage.ts';

const EXPORT_LENGTH = 16;
const LOGGED = new Set(['request.secret_kept', 'request.known_fields']);
const NEEDS_LOG = 'Only the request log shows it: start without --request-log 0.';

const findDelivery = finder(deliveries, 'id');

interface CoverageLog extends EvidenceLog {
  /** When a request ended, real time, Unix ms; undefined if the log does not have it. */
  endedAt(id: string): number | undefined;
}

interface CoverageOptions {
  /** False observes nothing. */
  isOn: boolean;
  /** Whether requests are logged: two items are seen in the log only. */
  hasLog: boolean;
  worlds(): Worlds;
  logOf(world: World): CoverageLog;
  redact(text: string, world: World): string;
  loadItems(): Promise<readonly Item[]>;
  runtime: Runtime;
  baseUrl(): string;
  report(error: unknown): void;
}

/** Whether sandlot itself sent a request, which then shows nothing about an integration. */
export function isFromSandlot(userAgent: string | undefined): boolean {
  return userAgent?.startsWith('sandlot/') ?? false;
}

export class Coverage {
  readonly #options: CoverageOptions;
  readonly #of = new Map<World, WorldCoverage>();
  readonly #loadRules;
  #closed = false;

  constructor(options: CoverageOptions) {
    this.#options = options;
    this.#loadRules = lazilyAsync(async () => {
      const [{ Observer }, items] = await Promise.all([
        import('./observer.ts'),
        options.loadItems(),
      ]);
      return {
        newObserver: () => new Observer(items),
        revs: new Map(items.map(({ id, rev }) => [id, rev])),
      };
    });
  }

  items(): Promise<readonly Item[]> {
    return this.#options.loadItems();
  }

  /** Returns what observes the requests of a credential; undefined if nothing does. */
  observerOf(world: World, { coverage }: Credential): WorldCoverage | undefined {
    return coverage && this.#observes(world) ? this.#ofWorld(world) : undefined;
  }

  /** Observes what concerns a partner, unless all its credentials are left out of the report. */
  observeFor(world: World, owner: Owner, activity: AttemptActivity | PageViewActivity): void {
    if (!this.#observes(world)) return;
    const own = this.#options
      .worlds()
      .keys.of(world)
      .filter((each) => isOf(each, owner));
    if (own.length > 0 && !own.some(({ coverage }) => coverage)) return;
    this.#ofWorld(world).observe(activity);
  }

  observeGauntlet(
    world: World,
    run: { url: string; failed: readonly string[]; unseen: readonly string[] },
  ): void {
    if (!this.#observes(world)) return;
    this.#ofWorld(world).observe({ kind: 'gauntlet', at: this.#options.runtime.now(), ...run });
  }

  async sources(world?: World, label: string | null = null): Promise<Source[]> {
    return this.#sources({ world, label, isRequired: false });
  }

  async report({
    world,
    gate,
    isServed = true,
  }: {
    world?: World | undefined;
    gate?: { file: string; content: Gate } | undefined;
    /** Whether the server goes on running, so that evidence can be linked. */
    isServed?: boolean;
  } = {}): Promise<Report> {
    const { loadItems, hasLog, runtime, baseUrl } = this.#options;
    const { makeReport } = await import('./make-report.ts');
    const sources = await this.sources(world);
    const items = await loadItems();
    return makeReport({
      items: hasLog ? items : items.map(withoutLog),
      sources,
      gate,
      sandlot: VERSION,
      now: runtime.now(),
      ...(isServed && {
        baseUrl: baseUrl(),
        hrefOf: (evidence: StoredEvidence) => this.#hrefOf(evidence),
      }),
    });
  }

  /** Returns all observations as a file has them. A run without any is in it too. */
  async export({
    world,
    label = null,
  }: {
    world?: World | undefined;
    label?: string | null | undefined;
  } = {}): Promise<CoverageExport> {
    const sources = await this.#sources({ world, label, isRequired: true });
    return { format: 'sandlot-coverage', version: 1, sandlot: VERSION, sources };
  }

  /** Deletes the observations of these items in one world, or in all; all observations if none are named. */
  async clear(world: World | undefined, items: readonly string[]): Promise<number> {
    let cleared = 0;
    for (const each of this.#named(world)) cleared += await this.#ofWorld(each).clear(items);
    return cleared;
  }

  take(world: World): Promise<Observed> {
    return this.#ofWorld(world).take();
  }

  /** Adds the observations of a deleted world to those of the default world. */
  async inherit(deleted: World, observed: Observed): Promise<void> {
    this.#of.get(deleted)?.close();
    this.#of.delete(deleted);
    await this.#ofWorld(this.#options.worlds().require(DEFAULT_WORLD)).add(observed);
  }

  /** Stores what was observed, unless it is kept in memory only. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const [world, coverage] of this.#of) {
      try {
        if (world.file !== undefined) await coverage.store();
      } catch (error) {
        this.#options.report(error);
      }
      coverage.close();
    }
    this.#of.clear();
  }

  /** A request may end after its sandbox or its world was closed. */
  #observes(world: World): boolean {
    return this.#options.isOn && !this.#closed && !world.isClosed;
  }

  async #sources({
    world,
    label,
    isRequired,
  }: {
    world: World | undefined;
    label: string | null;
    isRequired: boolean;
  }): Promise<Source[]> {
    const sources: Omit<Source, 'export'>[] = [];
    for (const each of this.#named(world)) {
      const source = await this.#ofWorld(each).source(label, false);
      if (source) sources.push(source);
    }
    if (sources.length === 0 && isRequired) {
      const home = world ?? this.#options.worlds().require(DEFAULT_WORLD);
      const none = await this.#ofWorld(home).source(label, true);
      if (none) sources.push(none);
    }
    const id = randomSecret(EXPORT_LENGTH);
    return sources.map((source) => ({ ...source, export: id }));
  }

  #named(world: World | undefined): World[] {
    return world ? [world] : this.#options.worlds().list();
  }

  #ofWorld(world: World): WorldCoverage {
    const known = this.#of.get(world);
    if (known) return known;
    const { logOf, redact, runtime, report } = this.#options;
    const made = new WorldCoverage(world, {
      runtime,
      report,
      log: logOf(world),
      loadRules: this.#loadRules,
      redact: (text) => redact(text, world),
    });
    this.#of.set(world, made);
    return made;
  }

  #hrefOf({ kind, id, world: name, at }: StoredEvidence): string | null {
    const { worlds, logOf } = this.#options;
    const world = worlds().find(name);
    if (!world || id === null) return null;
    const query = name === DEFAULT_WORLD ? '' : `?world=${encodeURIComponent(name)}`;
    if (kind === 'delivery') {
      const isThere = world.read((tx) => findDelivery(tx, id)) !== undefined;
      return isThere ? `/_sandbox/dashboard/deliveries/${id}${query}` : null;
    }
    // Ids start over after the log is cleared.
    if (logOf(world).endedAt(id) !== at) return null;
    return `/_sandbox/dashboard/requests/${id}${query}`;
  }
}

function withoutLog(item: Item): Item {
  return LOGGED.has(item.id) ? { ...item, steps: [NEEDS_LOG] } : item;
}

function isOf(credential: Credential, { partnerId, environment }: Owner): boolean {
  return credential.partnerId === partnerId && credential.environment === environment;
}
