import type { Campaign } from '../campaign.ts';
import { kills } from './kills.ts';
import { malformed } from './malformed.ts';
import { races } from './races.ts';
import { soak } from './soak.ts';

export const CAMPAIGNS: readonly Campaign[] = [kills, malformed, races, soak];
