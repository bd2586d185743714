import type { Tool } from '../cli/tool.ts';
import { story } from './story/index.ts';

/** Every tool. Nothing else names one: without its folder and its line here, the rest works. */
export const TOOLS: readonly Tool[] = [story];
