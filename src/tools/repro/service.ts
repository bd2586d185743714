import fs from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { RateLimits } from '../../http/rate-limits.ts';
import { CodedError, type ErrorCode } from '../../kernel/errors.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import type { RequestLog } from '../../requests/request-log.ts';
import { MIGRATIONS } from '../../store/migrate.ts';
import { world as worldTable } from '../../store/schema/world.ts';
import { VERSION } from '../../version.ts';
import { DEFAULT_WORLD } from '../../world/files.ts';
import { seededTokenKey } from '../../world/fresh-world.ts';
import type { World } from '../../world/world.ts';
import type { Worlds } from '../../world/worlds.ts';
import type { ExportSource } from './export.ts';
import { FORMAT, FORMAT_VERSION, type RequestRecord } from './format.ts';
import { loggedRequests } from './logged-requests.ts';
import type { ExportedRepro } from './result.ts';
import { type ReproSelection, selectTarget } from './select.ts';

/** The parts of a sandbox that an export reads. */
interface ReproSource {
  worlds: Worlds;
  requests: RequestLog;
  runtime: Runtime;
  rateLimits: RateLimits;
  baseUrl(): string;
  /** Whether exports run in threads, so that requests do not wait. */
  threads?: boolean;
}

export type ExportOptions = ReproSelection & { keepPersonalData?: boolean | undefined };

/**
 * Exports the requests of a world up to a target, and its state.
 * @throws validation_error, not_found, conflict
 */
export async function exportRepro(
  source: ReproSource,
  world: World,
  options: ExportOptions,
): Promise<ExportedRepro> {
  const request = exportSourceOf(source, world, options);
  if (source.threads) return exportInThread(request);
  const { exportFile } = await import('./export.ts');
  return exportFile(request);
}

function exportSourceOf(
  { worlds, requests: log, runtime, rateLimits, baseUrl }: ReproSource,
  world: World,
  { keepPersonalData = false, ...selection }: ExportOptions,
): ExportSource {
  if (selection.request !== undefined) log.require(world, selection.request, 'request');
  const { base } = world;
  const { requests: allRequests, isIncomplete } = loggedRequests(log, world, base.n);
  const target = selectTarget(allRequests, selection, runtime.now());
  const requests = allRequests.slice(0, target.n);
  const tokenKeyOf = tokenKeyOwner(world, [
    world.name,
    DEFAULT_WORLD,
    ...worlds.list().map(({ name }) => name),
  ]);
  const cut = requests.find((request) => request.is_cut && readsBody(request));
  let problem: string | null = null;
  if (base.state === null) problem = 'the world is too large to keep the state in which it began';
  else if (isIncomplete)
    problem = 'the request log no longer has all requests since the world began';
  else if (cut) problem = `the request log has only the beginning of the body of request ${cut.n}`;
  else if (tokenKeyOf === null)
    problem = 'the keys of the world are random, so that no replay repeats them';
  const { seed, inventory } = world.identity;
  return {
    head: {
      kind: 'head',
      format: FORMAT,
      version: FORMAT_VERSION,
      sandlot: VERSION,
      schema: MIGRATIONS.length,
      made_at: runtime.now(),
      world: world.name,
      base_url: baseUrl(),
      rate_limits: Object.fromEntries(
        Object.entries(rateLimits).map(([name, limit]) => [name, limit ?? null]),
      ),
      seed,
      inventory,
      token_key_of: tokenKeyOf,
      target: target.n,
      problem,
    },
    requests,
    base: (problem === null && base.state) || undefined,
    state: world.serialize(),
    secrets: [...log.secretsOf(world)],
    keepPersonalData,
    subject: selection.request ?? selection.order ?? selection.domain ?? 'newest',
  };
}

/** Whether the beginning of the body is too little: one that was rejected is rejected again, which the replay checks. */
function readsBody({ response, runs }: RequestRecord): boolean {
  return runs.length > 0 && 'status' in response && response.status < 400;
}

/** Returns the name of the world from which, with the seed, the token key of a world is derived. */
function tokenKeyOwner(world: World, worldNames: readonly string[]): string | null {
  const { seed } = world.identity;
  const tokenKey = world.read((tx) => tx.db.select().from(worldTable).get()?.tokenKey);
  return worldNames.find((name) => seededTokenKey(seed, name) === tokenKey) ?? null;
}

/** Runs an export in a thread, so that the sandbox keeps responding. @throws not_found, conflict */
function exportInThread(request: ExportSource): Promise<ExportedRepro> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerFile(), { workerData: request });
    worker.once('message', (exported: ExportedRepro) => {
      resolve(exported);
      // Open handles of its sandboxes may keep the thread alive.
      void worker.terminate();
    });
    // An error from a thread has lost its class.
    worker.once('error', (error: Error & { code?: ErrorCode }) =>
      reject(
        error.name === 'CodedError' && error.code
          ? new CodedError(error.code, error.message)
          : error,
      ),
    );
    worker.once('exit', (code) => reject(new Error(`the thread of an export ended with ${code}`)));
  });
}

/** The worker is next to the bundle. From source, uses the last build, because Node.js does not run TSX. */
function workerFile(): string {
  const bundled = path.join(import.meta.dirname, 'repro-worker.cjs');
  return fs.existsSync(bundled)
    ? bundled
    : path.join(import.meta.dirname, '../../../dist/repro-worker.cjs');
}
