import fs from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { damagedState, quickCheck } from '../../store/check-file.ts';
import { copyDatabase, isDamage, writeDatabaseFile } from '../../store/open.ts';
import type { DatabaseJob } from '../../world/background.ts';
import { seedTemplate } from '../../world/fresh-world.ts';
import { detachFork } from '../../world/restore.ts';
import { RECOVERY_HINTS } from '../../world/snapshot-storage.ts';
import { openWorldFile, verifyWorldFile, type WorldFileContents } from '../../world/world-file.ts';
import { seedInventory } from './seed-inventory.ts';

/** The worker thread of `runDatabaseJob`: does one job, posts its result and ends. */
async function run(job: DatabaseJob): Promise<void> {
  if (job.do === 'seed-bytes') {
    const bytes = new Uint8Array(seedTemplate(seedInventory, job.seed, job.inventory));
    parentPort?.postMessage(bytes, [bytes.buffer]);
    return;
  }
  if (job.do === 'copy') await copy(job);
  else if (job.do === 'verify') parentPort?.postMessage(verify(job.file));
  else {
    writeDatabaseFile(job.file, Buffer.alloc(0), 'DELETE', (store) =>
      seedInventory(store, job.seed, job.inventory),
    );
  }
  flush(job.file);
}

function verify(file: string): WorldFileContents {
  const client = openWorldFile(file);
  try {
    return verifyWorldFile(client);
  } finally {
    client.close();
  }
}

async function copy({ file, source, of, fork }: DatabaseJob & { do: 'copy' }): Promise<void> {
  try {
    await copyDatabase(source, file, (store) => {
      const problem = of === 'snapshot' ? quickCheck(store.client) : undefined;
      if (problem !== undefined) throw damagedState(source, problem, RECOVERY_HINTS);
      if (fork) detachFork(store, 0);
    });
  } catch (error) {
    throw isDamage(error) ? damagedState(source, error.message, RECOVERY_HINTS) : error;
  }
}

/** Writes the file to the disk: the rename that puts it in place would do that on the event loop. */
function flush(file: string): void {
  const handle = fs.openSync(file, 'r+');
  try {
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

// A rejection ends the thread with the error.
void run(workerData as DatabaseJob);
