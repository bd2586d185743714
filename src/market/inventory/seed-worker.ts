import { parentPort, workerData } from 'node:worker_threads';
import { seedTemplate } from '../../world/fresh-world.ts';
import { seedInventory } from './seed-inventory.ts';

/** The worker thread of `seedDatabase`: posts the database and ends. */
const { seed, inventory } = workerData as { seed: string; inventory: number };
const bytes = new Uint8Array(seedTemplate(seedInventory, seed, inventory));
parentPort?.postMessage(bytes, [bytes.buffer]);
