import fs from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { DatabaseJob, JobResults, RunJob } from '../../world/background.ts';

/** The script of the worker, if tests choose one. */
export const WORKER: { file?: string } = {};

/** The worker is beside the bundle, or beside this file when run from source. */
function workerFile(): string {
  const bundled = path.join(import.meta.dirname, 'database-worker.cjs');
  return fs.existsSync(bundled) ? bundled : path.join(import.meta.dirname, 'database-worker.ts');
}

export const runDatabaseJob: RunJob = <Job extends DatabaseJob>(job: Job, signal: AbortSignal) =>
  new Promise<JobResults[Job['do']]>((resolve, reject) => {
    const worker = new Worker(WORKER.file ?? workerFile(), { workerData: job });
    const abort = () => void worker.terminate();
    let result: JobResults[Job['do']];
    signal.addEventListener('abort', abort);
    worker.on('message', (posted) => {
      result = posted;
    });
    worker.on('error', reject);
    worker.on('exit', (code) => {
      signal.removeEventListener('abort', abort);
      if (signal.aborted) reject(signal.reason);
      else if (code === 0) resolve(result);
      else reject(new Error(`the thread of a database job ended with ${code}`));
    });
  });
