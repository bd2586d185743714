import fs from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { CodedError } from '../../kernel/errors.ts';
import type { RunExport } from './recorded-job.ts';
import { InFlightError } from './select.ts';
import type { ThreadResult } from './worker.ts';

/** Runs an export in a thread, so that the sandbox keeps responding. @throws not_found, conflict */
export const exportInThread: RunExport = (job) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(workerFile(), { workerData: job });
    worker.once('message', (result: ThreadResult) => {
      if ('exported' in result) resolve(result.exported);
      else if ('inFlight' in result) reject(new InFlightError());
      else reject(new CodedError(result.rejected.code, result.rejected.message));
      // Its sandboxes may keep it alive.
      void worker.terminate();
    });
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the thread of an export ended with ${code}`)));
  });

/** The worker is beside the bundle; from source, it is that of the last build: pages are not plain TypeScript. */
function workerFile(): string {
  const bundled = path.join(import.meta.dirname, 'repro-worker.cjs');
  return fs.existsSync(bundled)
    ? bundled
    : path.join(import.meta.dirname, '../../../dist/repro-worker.cjs');
}
