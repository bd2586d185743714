import type { Campaign } from '../campaign.ts';
import { fullDisk } from './full-disk.ts';
import { kills } from './kills.ts';
import { largeOperations } from './large-operations.ts';
import { malformed } from './malformed.ts';
import { minimized } from './minimized.ts';
import { observations } from './observations.ts';
import { races } from './races.ts';
import { runs } from './runs.ts';
import { slowClients } from './slow-clients.ts';
import { soak } from './soak.ts';
import { swaps } from './swaps.ts';

export const CAMPAIGNS: readonly Campaign[] = [
  kills,
  minimized,
  observations,
  swaps,
  largeOperations,
  malformed,
  races,
  runs,
  slowClients,
  fullDisk,
  soak,
];
