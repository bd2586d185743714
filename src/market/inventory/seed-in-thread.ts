import fs from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';

/** The script of the worker, if tests choose one. */
export const WORKER: { file?: string } = {};

/** The worker is beside the bundle, or beside this file when run from source. */
function workerFile(): string {
  const bundled = path.join(import.meta.dirname, 'seed-worker.cjs');
  return fs.existsSync(bundled) ? bundled : path.join(import.meta.dirname, 'seed-worker.ts');
}

/** Returns the bytes of a newly seeded database, made away from the event loop. Rejects if `signal` aborts. */
export function seedInThread(seed: string, inventory: number, signal: AbortSignal) {
  return new Promise<Buffer>((resolve, reject) => {
    const worker = new Worker(WORKER.file ?? workerFile(), { workerData: { seed, inventory } });
    const abort = () => void worker.terminate();
    let bytes = new Uint8Array();
    signal.addEventListener('abort', abort);
    worker.on('message', (posted) => {
      bytes = posted;
    });
    worker.on('error', reject);
    worker.on('exit', (code) => {
      signal.removeEventListener('abort', abort);
      if (signal.aborted) reject(signal.reason);
      else if (code === 0) resolve(Buffer.from(bytes.buffer));
      else reject(new Error(`the thread that seeds a world ended with ${code}`));
    });
  });
}
