import { afterAll, expect } from 'vitest';
import {
  ControlApiError,
  type CreateSandboxOptions,
  type InProcessSandbox,
} from '../../src/index.ts';
import { type Rejection, rejection } from './responses.ts';
import { sandbox, sharedSandbox } from './sandbox.ts';
import { digestOf, stateFolder } from './state-folder.ts';

interface Watched {
  at: InProcessSandbox;
  /** The rejection of a partner's call, once it is proven to have changed no row. */
  rejected(call: () => Promise<Response>): Promise<Rejection>;
  /** The same of a call on the control API. */
  controlRejected(call: () => Promise<unknown>): Promise<ControlApiError>;
}

/** A sandbox on disk, of which a test can see whether anything at all has changed. */
export async function watched(options: CreateSandboxOptions = {}): Promise<Watched> {
  const dataDir = stateFolder();
  return watch(dataDir, await sandbox({ dataDir, rateLimits: false, ...options }));
}

/** As `watched()`, for all tests of a file or a `describe`: each of them is rejected. */
export async function sharedWatched(options: CreateSandboxOptions = {}): Promise<Watched> {
  const dataDir = stateFolder(afterAll);
  return watch(dataDir, await sharedSandbox({ dataDir, rateLimits: false, ...options }));
}

function watch(dataDir: string, at: InProcessSandbox): Watched {
  const unchanged = async <T>(act: () => Promise<T>): Promise<T> => {
    const before = digestOf(dataDir);
    const result = await act();
    expect(digestOf(dataDir), 'nothing has changed').toBe(before);
    return result;
  };
  return {
    at,
    rejected: (call) => unchanged(async () => rejection(await call())),
    controlRejected: (call) =>
      unchanged(async () => {
        const error = await call().then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        if (error instanceof ControlApiError) return error;
        throw new Error('the control API did not reject', { cause: error });
      }),
  };
}
