import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Campaign } from '../campaign.ts';
import { kills } from './kills.ts';
import { malformed } from './malformed.ts';
import { races } from './races.ts';
import { soak } from './soak.ts';

const ROOT = path.join(import.meta.dirname, '../../..');

async function campaignOf(file: string): Promise<Campaign> {
  const { campaign } = await import(pathToFileURL(path.join(ROOT, file)).href);
  return campaign as Campaign;
}

/** Tools bring theirs. */
const OF_TOOLS = fs.globSync('test/tools/*/campaign.ts', { cwd: ROOT });

export const CAMPAIGNS: readonly Campaign[] = [
  kills,
  malformed,
  races,
  soak,
  ...(await Promise.all(OF_TOOLS.map(campaignOf))),
];
