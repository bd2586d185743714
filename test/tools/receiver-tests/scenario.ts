import type { InProcessSandbox } from '../../../src/index.ts';

/** Calls every endpoint of the tool. */
export async function runScenario({ control }: InProcessSandbox): Promise<void> {
  await control.post('/golive/receiver-test', { url: 'http://127.0.0.1:3000/' });
}
