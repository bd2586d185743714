import { onTestFinished } from 'vitest';
import {
  type CreateSandboxOptions,
  createSandbox,
  type InProcessSandbox,
} from '../../src/index.ts';
import { documented } from './openapi/watch.ts';

/** Small enough to be quick, large enough to search in. */
export const INVENTORY = 300;

/** What `sandbox()` starts with unless told otherwise. */
export const DEFAULTS = {
  inventory: INVENTORY,
  frozenAt: '2026-03-02T09:00:00.000Z',
  port: false,
} as const satisfies CreateSandboxOptions;

/**
 * A sandbox in memory without a socket, closed when the test ends. Its clock stands unless told otherwise.
 * A test fails in which it answers what the OpenAPI documents do not tell of.
 */
export async function sandbox(options: CreateSandboxOptions = {}): Promise<InProcessSandbox> {
  const made = await createSandbox({
    ...DEFAULTS,
    ...options,
  });
  onTestFinished(() => made.close());
  return documented(made, options.runtime);
}
