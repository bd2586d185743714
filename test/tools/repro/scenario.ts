import type { InProcessSandbox } from '../../../src/index.ts';

/** Calls every endpoint of the tool that changes no files. */
export async function runScenario({ control }: InProcessSandbox): Promise<void> {
  await control.get('/repro/inventory');
}

/** It reads whole recordings. */
export const UNCALLED = ['POST /repro/export'];
