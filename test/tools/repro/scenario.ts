import { expect } from 'vitest';
import type { InProcessSandbox } from '../../../src/index.ts';

/** Calls every endpoint of the tool that changes no files. */
export async function runScenario({ control }: InProcessSandbox): Promise<void> {
  await control.get('/repro/inventory');
  await expect(control.get('/repro')).rejects.toThrow('sandlot repro open');
  await expect(control.post('/repro/step', { by: 1 })).rejects.toThrow('sandlot repro open');
}

/** They read whole recordings. */
export const UNCALLED = [
  'POST /repro/export',
  'POST /repro/minimize',
  'GET /repro/steps',
  'GET /repro/why',
];
