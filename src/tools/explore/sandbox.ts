import { eq } from 'drizzle-orm';
import { openServer } from '../../cli/commands/server/run-server.ts';
import type { CommandContext } from '../../cli/context.ts';
import { readEnvironment } from '../../cli/io.ts';
import { ControlApiError, ControlClient } from '../../client/control-client.ts';
import type { Config } from '../../config/schema.ts';
import type { RequestContext } from '../../http/pipeline/context.ts';
import { resolvesWithin, systemRuntime } from '../../kernel/runtime.ts';
import { DAY } from '../../kernel/time.ts';
import { KnownTexts } from '../../redaction/redact.ts';
import { requests } from '../../requests/log-file.ts';
import { faultIdOf } from '../../requests/trace.ts';
import { upcoming } from '../../schedule/upcoming.ts';
import type { RunningServer } from '../../server/start-server.ts';
import type { Credential } from '../../store/schema/partners.ts';
import { createSender, type SendResult, withoutResponse } from '../../webhooks/send.ts';
import { DEFAULT_WORLD } from '../../world/files.ts';
import { BUYER_TAKES, type Fault, type Setup } from './kinds.ts';
import { NotMeasuredError } from './outcomes.ts';
import { type Violation, violation } from './properties.ts';
import { domainNamed, NO_DOMAIN, objectOf, readTraffic, type Traffic } from './traffic.ts';

interface InjectedFault extends Fault {
  /** Undefined for a kind that adds no fault to the sandbox. */
  faultId: string | undefined;
  /** Whether the app was killed, or the clock moved. For other kinds, `removeFaults` reads the hits. */
  hasActed: boolean;
}

const POLL_MS = 2;

function resolvesBy(end: number, promise: Promise<unknown>): Promise<boolean> {
  const ms = Math.max(0, end - systemRuntime.monotonic());
  return resolvesWithin(promise, ms, { runtime: systemRuntime });
}

/** Ignores a rejection: another tool may be deleted or have nothing to tell, or a quote be of no domain for sale. */
function orUndefined(error: unknown): undefined {
  if (!(error instanceof ControlApiError)) throw error;
}

/** A sandbox with one world in memory, in which each run starts over. Kills the app and moves the clock at points. */
export class ExploreSandbox {
  readonly control: ControlClient;
  /** What the commands get as SANDLOT_WEBHOOK_SECRET. */
  readonly webhookSecret: string;
  /** Set by `Runner`. */
  killApp: () => void = () => {};
  readonly #server: RunningServer;
  readonly #setup: Setup;
  /** Paths of what existed before the first run. */
  readonly #initialPaths: readonly string[];
  #injected: InjectedFault[] = [];
  /** Number of order requests so far, by domain, also those that a check rejects: the clock moves before the checks. */
  readonly #orderCounts = new Map<string, number>();
  readonly #handling = new Set<RequestContext>();
  /** `seq` of the last entry before the workload of this run, and before its faults were removed. */
  readonly #logged = { begin: 0, end: 0 };

  private constructor(server: RunningServer, setup: Setup, env: NodeJS.ProcessEnv) {
    this.webhookSecret = readEnvironment(env).webhookSecret ?? 'whsec_local';
    this.#server = server;
    this.#setup = setup;
    this.#initialPaths = this.#paths();
    this.control = new ControlClient({
      baseUrl: server.url,
      fetch: (url, init) => server.sandbox.fetch(new Request(url, init as RequestInit)),
    });
  }

  static async open(call: CommandContext, settings: Config, setup: Setup): Promise<ExploreSandbox> {
    let sandbox: ExploreSandbox | undefined;
    const { send, close } = createSender(systemRuntime);
    const server = await openServer(call, settings, {
      sender: {
        close,
        async send(request) {
          const result = await send(request);
          return sandbox?.afterSend(request.body, result) ?? result;
        },
      },
      requestHooks: {
        beforeHandling: (context) => sandbox?.beforeHandling(context),
        beforeResponse: (context) => sandbox?.beforeResponse(context),
      },
    });
    sandbox = new ExploreSandbox(server, setup, call.io.env);
    return sandbox;
  }

  get env(): NodeJS.ProcessEnv {
    const { env } = this.#server.sandbox.status();
    return { ...env, SANDLOT_URL: this.#server.url, SANDLOT_WEBHOOK_SECRET: this.webhookSecret };
  }

  /** Returns the paths of all worlds, snapshots and credentials, which `POST /reset` keeps. */
  #paths(): string[] {
    const { worlds } = this.#server.sandbox;
    return [
      ...worlds.list().map(({ name }) => `/worlds/${name}`),
      ...worlds.snapshots.names(this.#world).map((name) => `/snapshots/${name}`),
      ...worlds.keys.credentialsOf(this.#world).map(({ keyId }) => `/credentials/${keyId}`),
    ];
  }

  get #world() {
    return this.#server.sandbox.worlds.require(DEFAULT_WORLD);
  }

  /** Starts over, with the same ids. */
  async reset(): Promise<void> {
    const { control } = this;
    const added = this.#paths().filter((path) => !this.#initialPaths.includes(path));
    for (const path of added) await control.delete(path);
    this.#injected = [];
    await control.post('/reset', { same_ids: true });
    // Right after the reset: later, the state would be copied as the base of the next repro.
    await control.delete('/requests');
    await control.post('/rate-limits/reset');
  }

  /** Installs faults, passed in the order of their points. What is recorded from here on is the traffic of the run. */
  async injectFaults(faults: readonly Fault[]): Promise<void> {
    this.#logged.begin = this.#lastEntry;
    // The later point first: a request on which one fault acts is not counted by those after it in the list.
    for (const { kind, point } of faults.toReversed()) {
      const input = kind.fault?.(point, this.#setup);
      const added = input && (await this.control.post<{ fault_id: string }>('/faults', input));
      this.#injected.push({ kind, point, faultId: added?.fault_id, hasActed: false });
    }
    this.#orderCounts.clear();
  }

  /** Removes the faults. @returns whether all of them have acted @throws NotMeasuredError if they are gone already */
  async removeFaults(): Promise<boolean> {
    type Faults = { faults: { fault_id: string; hits: number }[] };
    const { faults } = await this.control.get<Faults>('/faults');
    this.#logged.end = this.#lastEntry;
    await this.control.delete('/faults');
    const hits = new Map(faults.map((fault) => [fault.fault_id, fault.hits]));
    const injected = this.#injected.splice(0);
    if (injected.some(({ faultId }) => faultId !== undefined && !hits.has(faultId)))
      throw new NotMeasuredError('The fault is gone. Does your test reset the world?');
    return injected.every(({ faultId = '', hasActed }) => hasActed || (hits.get(faultId) ?? 0) > 0);
  }

  get #lastEntry(): number {
    const [newest] = this.#server.sandbox.requests.list(this.#world, { limit: 1 });
    return newest?.seq ?? this.#logged.begin;
  }

  /** Reads what this run has recorded so far; points of calls only after `removeFaults`. */
  readTraffic(): Traffic {
    const page = { where: eq(requests.api, 'partner'), first: this.#logged.begin + 1, limit: -1 };
    const entries = this.#server.sandbox.requests.list(this.#world, page);
    return this.#world.read((tx) => readTraffic(tx, entries, this.#logged.end));
  }

  /** The go-live items that this run contradicts. */
  async contradictions(): Promise<Violation[]> {
    type Item = { id: string; title: string; status: string; rule: { contradicted?: string } };
    const query = { world: DEFAULT_WORLD };
    const report = await this.control.get<{ items: Item[] }>('/golive', query).catch(orUndefined);
    return (report?.items ?? [])
      .filter(({ status }) => status === 'contradicted')
      .map(({ id, title, rule }) =>
        violation(`golive.${id}`, `Go-live item "${title}": ${rule.contradicted}`),
      );
  }

  /** Returns what the world received in this run, as a repro of its last request; undefined if it received nothing. */
  async exportRepro(): Promise<Uint8Array | undefined> {
    const file = await this.control.postForFile('/repro/export', { last: 1 }).catch(orUndefined);
    return file && new Uint8Array(await file.arrayBuffer());
  }

  redact(text: string): string {
    // The world knows the webhook secret only if a receiver is registered with it.
    return new KnownTexts([this.webhookSecret]).redact(this.#server.sandbox.requests.redact(text));
  }

  /** Resolves when no call is being handled, and no delivery is due; at `end` (monotonic) at the latest. */
  async idle(end: number): Promise<void> {
    const isBusy = () => this.#handling.size > 0 && systemRuntime.monotonic() < end;
    do {
      while (isBusy()) await systemRuntime.sleep(POLL_MS);
      await resolvesBy(end, this.#server.sandbox.schedulers.of(this.#world).idle());
    } while (isBusy());
  }

  /** Moves the clock to each due delivery and order move of the next 24 hours. @returns whether it is done by `end` */
  async runDueWork(beforeEach: () => Promise<void>, end: number): Promise<boolean> {
    const scheduler = this.#server.sandbox.schedulers.of(this.#world);
    const limit = this.#world.clock.now() + DAY;
    for (;;) {
      await this.idle(end);
      await beforeEach();
      const next = this.#world
        .read((tx) => upcoming(tx, { limit: -1 }))
        .find(({ kind }) => kind === 'delivery' || kind === 'order_move');
      if (!next || next.at > limit) return true;
      const advanced = scheduler.advance(undefined, ({ now }) => ({ to: Math.max(next.at, now) }));
      if (!(await resolvesBy(end, advanced))) return false;
    }
  }

  beforeHandling(context: RequestContext): Promise<void> | undefined {
    const { route, body, world } = context;
    this.#handling.add(context);
    const expiring = this.#waiting('clock.quote_expired');
    if (expiring.length === 0 || route?.endpoint.name !== 'postOrder') return undefined;
    const named = objectOf(body.toString());
    const domain = world.read((tx) => domainNamed(tx, named)) ?? NO_DOMAIN;
    const n = (this.#orderCounts.get(domain) ?? 0) + 1;
    this.#orderCounts.set(domain, n);
    const injected = expiring.find(({ point }) => point.domain === domain && point.n === n);
    return injected && this.#expireQuotes(injected, context.credential);
  }

  beforeResponse(context: RequestContext): void {
    this.#handling.delete(context);
    const faultId = faultIdOf(context.trace);
    this.#kill(this.#waiting('app.killed_after_call').find((fault) => fault.faultId === faultId));
  }

  /** @returns the result, or what is recorded instead */
  afterSend(body: string, result: SendResult): SendResult {
    const killing = this.#waiting('app.killed_at_webhook', 'app.killed_after_ack');
    if (killing.length === 0) return result;
    const { id } = objectOf(body);
    const delivery = this.readTraffic().deliveries.find(({ event }) => event.id === id);
    const injected = killing.find(({ point }) => point.key === delivery?.point.key);
    // Only the first attempt, which has no row yet.
    if (!injected || delivery?.attempts.length !== 0) return result;
    const isLost = injected.kind.id === 'app.killed_at_webhook';
    if (isLost || result.outcome === 'ok') this.#kill(injected);
    return isLost ? withoutResponse(result) : result;
  }

  /** Returns the faults of these kinds that have not acted. */
  #waiting(...ids: string[]): InjectedFault[] {
    return this.#injected.filter(({ kind, hasActed }) => ids.includes(kind.id) && !hasActed);
  }

  #kill(injected: InjectedFault | undefined): void {
    if (!injected) return;
    injected.hasActed = true;
    this.killApp();
  }

  /** Lets the quotes expire, and raises the price of a domain by 1 %. */
  async #expireQuotes(injected: InjectedFault, { environment }: Credential): Promise<void> {
    injected.hasActed = true;
    await this.control.post('/clock/advance', { by: BUYER_TAKES });
    const path = `/inventory/${encodeURIComponent(injected.point.domain)}`;
    type Priced = { price_cents: number };
    const raise = ({ price_cents: cents }: Priced) =>
      this.control.patch(path, { price_cents: Math.ceil(cents * 1.01) }, { environment });
    await this.control.get<Priced>(path, { environment }).then(raise).catch(orUndefined);
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}
