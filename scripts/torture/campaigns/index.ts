import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Campaign } from '../campaign.ts';
import { fullDisk } from './full-disk.ts';
import { kills } from './kills.ts';
import { largeOperations } from './large-operations.ts';
import { malformed } from './malformed.ts';
import { races } from './races.ts';
import { runs } from './runs.ts';
import { slowClients } from './slow-clients.ts';
import { soak } from './soak.ts';
import { swaps } from './swaps.ts';

const ROOT = path.join(import.meta.dirname, '../../..');

async function campaignOf(file: string): Promise<Campaign> {
  const { campaign } = await import(pathToFileURL(path.join(ROOT, file)).href);
  return campaign as Campaign;
}

/** Tools bring theirs. */
const OF_TOOLS = fs.globSync('test/tools/*/campaign.ts', { cwd: ROOT });

export const CAMPAIGNS: readonly Campaign[] = [
  kills,
  swaps,
  largeOperations,
  malformed,
  races,
  runs,
  slowClients,
  fullDisk,
  soak,
  ...(await Promise.all(OF_TOOLS.map(campaignOf))),
];
