import fs from 'node:fs';
import path from 'node:path';
import { seedTemplate } from '../../world/fresh-world.ts';

/** A larger inventory is seeded in a worker thread: 20,000 domains take about a second. Tests lower the limit. */
export const SEED_IN_THREAD = { above: 20_000 };

/** The script of the worker, which tests can replace. */
export const WORKER: { file?: string } = {};

/** Returns the bytes of a newly seeded database. Rejects if `signal` aborts while a thread seeds it. */
export async function seedDatabase(
  seed: string,
  inventory: number,
  signal: AbortSignal,
): Promise<Buffer> {
  if (inventory > SEED_IN_THREAD.above) return seedInThread(seed, inventory, signal);
  const { seedInventory } = await import('./seed-inventory.ts');
  return seedTemplate(seedInventory, seed, inventory);
}

/** Returns the worker script next to the bundle, or next to this file when run from source. */
function workerFile(): string {
  const bundle = path.join(import.meta.dirname, 'seed-worker.cjs');
  return fs.existsSync(bundle) ? bundle : path.join(import.meta.dirname, 'seed-worker.ts');
}

async function seedInThread(seed: string, inventory: number, signal: AbortSignal): Promise<Buffer> {
  const { Worker } = await import('node:worker_threads');
  return new Promise((resolve, reject) => {
    const worker = new Worker(WORKER.file ?? workerFile(), { workerData: { seed, inventory } });
    const abort = () => void worker.terminate();
    let bytes = new Uint8Array();
    signal.addEventListener('abort', abort);
    worker.on('message', (message) => {
      bytes = message;
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
