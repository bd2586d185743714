import type { Tool } from '../cli/tool.ts';
import { agents } from './agents/index.ts';
import { explore } from './explore/index.ts';
import { golive } from './golive/index.ts';
import { receiverTests } from './receiver-tests/index.ts';
import { repro } from './repro/index.ts';
import { story } from './story/index.ts';

/**
 * Every tool, in the order of the help and the documents. Nothing else names one: without its folder and its lines here and
 * in `exports.ts`, the rest works.
 */
export const TOOLS: readonly Tool[] = [golive, receiverTests, repro, story, agents, explore];
