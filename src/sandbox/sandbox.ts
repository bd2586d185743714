import path from 'node:path';
import { inspect } from 'node:util';
import type { Hono } from 'hono';
import { ENDPOINTS } from '../api/index.ts';
import type {
  ControlContext,
  ControlEndpoint,
  Documents,
  ServerInfo,
} from '../control/endpoint.ts';
import { type Status, statusOf } from '../control/status.ts';
import { annotateWith } from '../http/pipeline/annotate.ts';
import type { PartnerApiOptions } from '../http/pipeline/context.ts';
import { createPartnerApi } from '../http/pipeline/partner-api.ts';
import { rateLimitsOf } from '../http/rate-limits.ts';
import {
  type ApiResponse,
  ConnectionClosedError,
  errorResponse,
  respond,
} from '../http/response.ts';
import { type Listening, serve } from '../http/serve.ts';
import { urlOf } from '../kernel/addresses.ts';
import type { ErrorCode } from '../kernel/errors.ts';
import { lazily, lazilyAsync } from '../kernel/lazily.ts';
import { escapeControls } from '../kernel/printable.ts';
import { resolvesWithin, systemRuntime } from '../kernel/runtime.ts';
import { SECOND } from '../kernel/time.ts';
import { DEFAULT_INVENTORY, DEFAULT_SEED } from '../market/defaults.ts';
import { seedInventory } from '../market/inventory/seed-inventory.ts';
import {
  ensureDefaultCredential,
  removeDefaultCredential,
} from '../market/partners/credentials.ts';
import { RequestLog } from '../requests/request-log.ts';
import { Schedulers } from '../schedule/scheduler.ts';
import { makeStateFolder } from '../store/private-files.ts';
import type { FinishedAttempt } from '../webhooks/dispatcher.ts';
import { registeredSecrets } from '../webhooks/registrations.ts';
import { createSender, LISTEN_SERVER, type Send, withRedactedResponses } from '../webhooks/send.ts';
import { DEFAULT_WORLD } from '../world/files.ts';
import type { World } from '../world/world.ts';
import { Worlds } from '../world/worlds.ts';
import type { SandboxOptions } from './options.ts';
import { lockState } from './state-lock.ts';
import { controlEndpoints, toolPages } from './tool.ts';

/** A running sandbox: its worlds, their schedulers and both APIs. */
export interface Sandbox {
  /** Both APIs and all pages; what starting does not need is loaded on the first request for it. */
  app: Hono;
  /** Responds in process. Rejects after the sandbox began to close. */
  fetch(request: Request): Promise<Response>;
  worlds: Worlds;
  schedulers: Schedulers;
  requests: RequestLog;
  /** Returns the response of `GET /_sandbox/status` for the default world. */
  status(): Status;
  /** Counts what was done since the sandbox was opened. */
  summary(): RunSummary;
  /** Opens a port. Links that the sandbox returns use it from then on, unless there is a `publicUrl`. */
  listen(host: string, port: number): Promise<Listening>;
  /**
   * Ends delays, streams and waits; `fetch` rejects from then on. Resolves when all requests in flight have responses, even
   * if their clients have hung up, or after 3 s.
   */
  finishRequests(): Promise<unknown>;
  /** Finishes what is in flight and leaves a clean database. */
  close(): Promise<void>;
}

/** Opens a sandbox. @throws UnusableStateError if the state on disk cannot be used */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = withDefaults(options);
  const { runtime, publicUrl, dataDir = null, workingDir = null } = settings;
  let listening: Listening | undefined;
  const address = () => (listening ? urlOf(listening) : (publicUrl ?? 'http://localhost'));
  const baseUrl = () => publicUrl ?? address();
  const server: ServerInfo = { baseUrl, address, publicUrl, dataDir, workingDir };
  const state = await openState(settings, server);
  const { worlds, schedulers, requests } = state;
  const closing = new AbortController();
  const counters = new RunCounters();
  const { app, context } = createApi(settings, state, server, {
    closing: closing.signal,
    onResponse: (response) => counters.add(response),
  });
  // `close` waits for requests over HTTP and in process, so both are noted here.
  const responding = new Set<Promise<Response>>();
  const { fetch } = app;
  app.fetch = async (...args) => {
    const response = Promise.resolve(fetch(...args));
    responding.add(response);
    return response.finally(() => responding.delete(response));
  };
  const finishRequests = () => {
    closing.abort();
    return resolvesWithin(Promise.allSettled(responding), 3 * SECOND, { runtime });
  };
  return {
    app,
    worlds,
    schedulers,
    requests,
    status: () => statusOf(worlds.require(DEFAULT_WORLD), context),
    summary: () => counters.summary(),
    finishRequests,
    listen: async (host, port) => {
      listening = await serve(app, host, port);
      return listening;
    },
    fetch: async (request) => {
      if (closing.signal.aborted) throw new TypeError('the sandbox is closed');
      return app.fetch(request);
    },
    close: lazily(async () => {
      closing.abort();
      await listening?.close();
      await finishRequests();
      await state.close();
    }),
  };
}

type Settings = ReturnType<typeof withDefaults>;

function withDefaults(options: SandboxOptions) {
  const { runtime = systemRuntime, publicUrl } = options;
  return {
    ...options,
    runtime,
    // Tests change the working directory.
    dataDir: options.dataDir && path.resolve(options.dataDir),
    publicUrl: publicUrl === undefined ? undefined : new URL(publicUrl).origin,
    rateLimits: rateLimitsOf(options.rateLimits ?? true),
    sender: options.sender ?? createSender(runtime),
    tools: options.tools ?? [],
  };
}

/** Worlds with what acts on them: in memory, or in a folder that is locked until `close`. */
interface State {
  worlds: Worlds;
  schedulers: Schedulers;
  requests: RequestLog;
  send: Send;
  report(error: unknown): void;
  close(): Promise<void>;
}

/** @throws UnusableStateError */
async function openState(settings: Settings, server: ServerInfo): Promise<State> {
  const { runtime, dataDir, rateLimits, sender, controlToken } = settings;
  const startedAt = runtime.now();
  const report =
    settings.report ??
    ((error) => {
      const text = escapeControls(requests.redact(inspect(error)));
      process.stderr.write(`sandlot: unexpected error: ${text}\n`);
    });
  // Its callbacks name `worlds`, which are opened before any of them runs.
  const requests = new RequestLog({
    file: dataDir && path.join(dataDir, 'requests.db'),
    runtime,
    maxEntries: settings.requestLog,
    start: () => ({ at: startedAt, baseUrl: server.baseUrl(), rateLimits }),
    annotate: annotateWith(ENDPOINTS),
    secrets: () => [
      ...(controlToken === undefined ? [] : [controlToken]),
      ...worlds.keys.secrets(),
      ...worlds.list().flatMap((world) => world.read(registeredSecrets)),
    ],
    isCredentialSecret: (secret) => worlds.keys.hasSecret(secret),
    report,
  });
  const send = withRedactedResponses(sender.send, requests);
  const schedulers = new Schedulers({
    send,
    runtime,
    onAttempt: (world, attempt) => logAttempt(requests, world, attempt),
    sendsWebhooks: settings.sendsWebhooks !== false,
  });
  let unlock = () => {};
  if (dataDir !== undefined) {
    makeStateFolder(dataDir);
    unlock = lockState(dataDir);
  }
  let worlds: Worlds;
  try {
    worlds = openWorlds(settings, schedulers, requests);
  } catch (error) {
    // Worlds that opened before one failed are scheduled already.
    await schedulers.close();
    requests.close();
    unlock();
    throw error;
  }
  const close = async () => {
    // Deliveries are logged, and the log is redacted with the secrets of the worlds.
    await schedulers.close();
    requests.close();
    worlds.close();
    sender.close();
    unlock();
  };
  return { worlds, schedulers, requests, send, report, close };
}

function openWorlds(settings: Settings, schedulers: Schedulers, requests: RequestLog): Worlds {
  const { dataDir, defaultCredential, seedDefaults } = settings;
  return Worlds.open({
    dir: dataDir && path.join(dataDir, 'worlds'),
    snapshotsDir: dataDir && path.join(dataDir, 'snapshots'),
    runtime: settings.runtime,
    seed: settings.seed ?? DEFAULT_SEED,
    publicSeed: DEFAULT_SEED,
    inventory: settings.inventory ?? DEFAULT_INVENTORY,
    frozenAt: settings.frozenAt,
    randomKeys: settings.randomKeys,
    seedInventory,
    importInventory: settings.importInventory,
    initialWorld: settings.initialWorld,
    // After a kill, the log may lack its last requests: to replay the rest would not give the present state.
    onKilled: (name) => requests.setBase(name, undefined),
    onOpen: (world) => {
      const scheduler = schedulers.add(world);
      world.attach({
        onWork: () => scheduler.wake(),
        beforeRun: () => scheduler.runMoves(),
        runs: requests,
      });
      scheduler.wake();
    },
    onDelete: (world) => schedulers.end(world),
    onEnd: (world) => requests.hide(world),
    seedDefaults: (tx) => {
      if (defaultCredential === false) removeDefaultCredential(tx);
      else ensureDefaultCredential(tx);
      seedDefaults?.(tx);
    },
  });
}

/** Creates the app of both APIs and all pages, and what their handlers get. */
function createApi(
  settings: Settings,
  { worlds, schedulers, requests, send, report }: State,
  server: ServerInfo,
  { closing, onResponse }: Pick<PartnerApiOptions, 'closing' | 'onResponse'>,
): { app: Hono; context: ControlContext } {
  const { runtime, rateLimits, tools } = settings;
  const app = createPartnerApi({
    endpoints: ENDPOINTS,
    closing,
    onResponse,
    delivered: async (world) => schedulers.of(world).idle(),
    worlds,
    runtime,
    rateLimits,
    requests,
    baseUrl: server.baseUrl,
    hooks: settings.requestHooks,
    report,
  });
  const endpoints = lazilyAsync(() => controlEndpoints(tools));
  const context: ControlContext = {
    worlds,
    schedulers,
    requests,
    rateLimits,
    send,
    runtime,
    server,
    closing,
    partnerEndpoints: ENDPOINTS,
    documents: documentsOf(server, endpoints),
    reference: () => import('../reference/reference.tsx'),
    stop: settings.onStop,
  };
  const { controlToken: token, host = '127.0.0.1', publicUrl } = settings;
  const loadApp = lazilyAsync(async () => {
    const { createApp } = await import('../app.ts');
    return createApp({
      endpoints: await endpoints(),
      toolPages: () => toolPages(tools),
      toolRoutes: tools.flatMap(({ routes = [] }) => routes),
      context,
      guard: { token, host, publicUrl },
      report,
    });
  });
  // Loaded on the first request that the partner API does not take.
  app.all('*', async ({ req, env }) => (await loadApp()).fetch(req.raw, env));
  app.onError((error, c) => {
    // In process there is no socket to close: the caller's fetch fails instead, as a client's would.
    if (error instanceof ConnectionClosedError) throw error;
    return respond(c, errorResponse(error, { report }));
  });
  return { app, context };
}

/** Logs a finished webhook attempt, unless it went to `webhooks listen`, which is not an integration. */
function logAttempt(
  log: RequestLog,
  world: World,
  { deliveryId, event, isForged, attempt }: FinishedAttempt,
): void {
  if (attempt.server === LISTEN_SERVER) return;
  const { id, type, subjectId: subject, partnerId, environment, data } = event;
  const about = { event: id, type, subject, partnerId, environment, isForged };
  const order = data.order as { status?: unknown } | undefined;
  log.addAttempt(world, {
    id: deliveryId,
    at: world.clock.now(),
    ...about,
    orderStatus: typeof order?.status === 'string' ? order.status : null,
    outcome: attempt.outcome,
    status: attempt.httpStatus,
  });
}

type LoadEndpoints = () => Promise<readonly ControlEndpoint[]>;

/** Imports the documents when they are first requested: starting the sandbox does not need them. */
function documentsOf(server: ServerInfo, endpoints: LoadEndpoints): Documents {
  return {
    partner: async () =>
      (await import('../openapi/partner-document.ts')).partnerDocument(server.baseUrl()),
    control: async () =>
      (await import('../openapi/control-document.ts')).controlDocument(
        server.baseUrl(),
        await endpoints(),
      ),
  };
}

/** Counts of a server since its start, over all worlds, including those before a reset and of deleted worlds. */
export interface RunSummary {
  /** Partner API requests, including rejected ones. */
  requests: number;
  /** Responses with an error code. */
  rejected: { status: number; code: ErrorCode; count: number }[];
}

class RunCounters {
  #requests = 0;
  readonly #rejected = new Map<string, RunSummary['rejected'][number]>();

  add({ closed, status, code }: ApiResponse): void {
    this.#requests += 1;
    if (closed || code === undefined) return;
    const key = `${status} ${code}`;
    const count = (this.#rejected.get(key)?.count ?? 0) + 1;
    this.#rejected.set(key, { status, code, count });
  }

  summary(): RunSummary {
    return { requests: this.#requests, rejected: [...this.#rejected.values()] };
  }
}
