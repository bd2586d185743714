import { afterAll, onTestFinished } from 'vitest';
import {
  type CreateSandboxOptions,
  createSandbox,
  type InProcessSandbox,
} from '../../src/index.ts';
import { documented } from './openapi/watch.ts';
import { testRuntime } from './runtime.ts';
import { stateFolder } from './state-folder.ts';

/** Small enough to be quick, large enough to search in. */
export const INVENTORY = 300;

/**
 * A sandbox in memory without a socket, closed when the test ends. Its clock stands unless told otherwise.
 * A test fails if a response does not match the OpenAPI documents.
 */
export async function sandbox(options: CreateSandboxOptions = {}): Promise<InProcessSandbox> {
  return open(options, onTestFinished);
}

/** As `sandbox()`, in a state folder of its own. */
export async function sandboxOnDisk(options: CreateSandboxOptions = {}) {
  const dataDir = stateFolder();
  return { dataDir, at: await sandbox({ dataDir, ...options }) };
}

/** As `sandbox()`, whose real time is frozen until the test moves it. */
export async function sandboxWithRuntime(options: CreateSandboxOptions = {}) {
  const runtime = testRuntime();
  return { runtime, at: await sandbox({ runtime, ...options }) };
}

/** As `sandbox()`, for all tests of a file or a `describe`; closed after them. */
export async function sharedSandbox(options: CreateSandboxOptions = {}): Promise<InProcessSandbox> {
  return open(options, afterAll);
}

async function open(
  options: CreateSandboxOptions,
  whenDone: typeof afterAll | typeof onTestFinished,
): Promise<InProcessSandbox> {
  const made = await createSandbox({
    inventory: INVENTORY,
    frozenAt: '2026-03-02T09:00:00.000Z',
    port: false,
    ...options,
  });
  whenDone(() => made.close());
  return documented(made, options.runtime);
}
