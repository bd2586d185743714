import fs from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { CodedError, type ErrorCode, messageOf } from '../../kernel/errors.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import { SECOND } from '../../kernel/time.ts';
import type { RequestLogs } from '../../requests/request-logs.ts';
import { serializeStore } from '../../store/open.ts';
import type { World } from '../../world/world.ts';
import type { Worlds } from '../../world/worlds.ts';
import { recordingOf } from './recording/world-recording.ts';
import type { ExportedRepro } from './result.ts';
import type { ExportOptions, ExportRequest } from './run-export.ts';
import { IN_FLIGHT } from './select.ts';

/** The parts of a sandbox that an export reads. */
interface ReproSource {
  worlds: Worlds;
  requests: RequestLogs;
  runtime: Runtime;
  /** Whether exports run in threads, so that requests do not wait. */
  threads?: boolean;
}

/** How long an export waits for requests in flight. */
const MAX_WAIT_MS = 10 * SECOND;
const POLL_MS = 50;

/**
 * Exports what a world has recorded.
 * @throws validation_error, not_found, conflict
 */
export async function exportRepro(
  source: ReproSource,
  world: World,
  options: ExportOptions,
): Promise<ExportedRepro> {
  const { requests, runtime, worlds } = source;
  const run = source.threads ? exportInThread : (await import('./run-export.ts')).runExport;
  const log = requests.of(world);
  const worldRecording = recordingOf(requests, world);
  const { recordings } = worldRecording;
  log.flush();
  return retryWhileInFlight(runtime, () => {
    const [newest] = log.list({}, { limit: 1 });
    const { request } = options;
    if (request !== undefined && !recordings.find(request)) log.require(request);
    return run({
      world: world.name,
      log: log.file ?? serializeStore(log.store),
      options,
      secrets: requests.secretsOf(world),
      worldNames: worlds.list().map(({ name }) => name),
      madeAt: runtime.now(),
      reason: worldRecording.status.reason,
      current: worldRecording.current,
      newest: request === undefined ? newest?.requestId : undefined,
    });
  });
}

async function retryWhileInFlight<T>(runtime: Runtime, act: () => Promise<T>): Promise<T> {
  for (let waited = 0; ; waited += POLL_MS) {
    try {
      return await act();
    } catch (error) {
      if (messageOf(error) !== IN_FLIGHT || waited >= MAX_WAIT_MS) throw error;
    }
    await runtime.sleep(POLL_MS);
  }
}

/** Runs an export in a thread, so that the sandbox keeps responding. @throws not_found, conflict */
function exportInThread(request: ExportRequest): Promise<ExportedRepro> {
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
