import type { InProcessSandbox } from '../../../src/index.ts';

/** Calls every endpoint of the tool. */
export async function runScenario({ control }: InProcessSandbox): Promise<void> {
  await control.get('/golive');
}
