import { controlEndpoints } from '../../src/sandbox/tool.ts';
import { TOOLS } from '../../src/tools/index.ts';

/** Every endpoint of the control API, those of tools included. */
export const CONTROL_ENDPOINTS = await controlEndpoints(TOOLS);
