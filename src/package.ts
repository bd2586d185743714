import type { ControlClientOptions } from './client/control-client.ts';
import type { TypedControlClient } from './control/typed-client.ts';
import * as inProcess from './index.ts';

// What the package exports: the in-process API, with a client that knows the types of the control API. The
// declarations here replace those of the same name; only their types differ.
export type { ControlEndpoints } from './control/endpoint-types.ts';
export * from './index.ts';

/** A client of the control API: paths are below `/_sandbox`. */
export type ControlClient = TypedControlClient;

export const ControlClient: new (options: ControlClientOptions) => ControlClient =
  inProcess.ControlClient as never;

/** A sandbox in this process. */
export interface InProcessSandbox extends Omit<inProcess.InProcessSandbox, 'control'> {
  /** Client of the control API, with paths below `/_sandbox`. */
  control: ControlClient;
}

/**
 * Starts a sandbox in this process.
 * @throws TypeError if an option is unknown; RangeError if the value of one is invalid; UnusableStateError if
 * `dataDir` cannot be used; Error on a runtime that is too old
 */
export const createSandbox: (
  options?: inProcess.CreateSandboxOptions,
) => Promise<InProcessSandbox> = inProcess.createSandbox as never;
