import type { SandboxSettings } from '../config/settings.ts';
import type { RequestHooks } from '../http/pipeline/context.ts';
import type { RateLimitChoice } from '../http/rate-limits.ts';
import type { Runtime } from '../kernel/runtime.ts';
import type { Store } from '../store/open.ts';
import type { Tx } from '../store/transaction.ts';
import type { Sender } from '../webhooks/send.ts';
import type { RandomKeys } from '../world/new-world.ts';
import type { WorldsOptions } from '../world/worlds.ts';
import type { SandboxTool } from './tool.ts';

export interface SandboxOptions extends SandboxSettings {
  /** Unix ms at which fresh worlds are frozen; undefined lets their clocks run. */
  frozenAt?: number | undefined;
  /** By default, the limits of the specification. */
  rateLimits?: RateLimitChoice | undefined;
  randomKeys?: RandomKeys | undefined;
  /** Required on control API requests, if set. */
  controlToken?: string | undefined;
  /** Address to listen on; the control API accepts it as a Host, as it does loopback names. */
  host?: string | undefined;
  /** Folder in which the server was started; undefined for a sandbox that no command finds by its folder. */
  workingDir?: string | undefined;
  /** Adds or updates what the default world must always contain, at every start and reset. */
  seedDefaults?: ((tx: Tx) => void) | undefined;
  /** Adds inventory to the default world on its first start and on reset. */
  importInventory?: ((store: Store) => void) | undefined;
  runtime?: Runtime | undefined;
  /** Sends webhooks, by default over the network; closed with the sandbox. */
  sender?: Sender | undefined;
  requestHooks?: RequestHooks | undefined;
  /** A world in memory to start with; requests cannot create others then. */
  initialWorld?: WorldsOptions['initialWorld'];
  /** False leaves due webhooks unsent; true by default. */
  sendsWebhooks?: boolean | undefined;
  /** Called with unexpected errors; by default, they go to stderr. */
  report?: ((error: unknown) => void) | undefined;
  tools?: readonly SandboxTool[] | undefined;
  /** Stops the server; called by `POST /_sandbox/stop`. */
  onStop?: (() => void) | undefined;
}
