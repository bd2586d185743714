import describeUnsupported from '../bin/supported.cjs';
import { ControlClient } from './client/control-client.ts';
import { type InProcessFetch, inProcessFetch } from './client/in-process-fetch.ts';
import {
  type Key,
  type PartnerRequest,
  sendSigned,
  signPartnerRequest,
} from './client/partner-client.ts';
import { SETTING_SCHEMAS } from './config/schema.ts';
import type { SandboxSettings } from './config/settings.ts';
import { urlOf } from './kernel/addresses.ts';
import { didYouMean } from './kernel/did-you-mean.ts';
import { type Runtime, systemRuntime } from './kernel/runtime.ts';
import { SCHEMA_MESSAGES } from './kernel/schema-messages.ts';
import { parseIsoTime } from './kernel/time.ts';
import { DEFAULT_CREDENTIAL } from './market/defaults.ts';
import { openSandbox, type Sandbox } from './sandbox/sandbox.ts';
import { toolMethods } from './sandbox/tool.ts';
import { explainStartFailure } from './server/start-failure.ts';
import { UnusableStateError } from './store/errors.ts';
import type { RateClass } from './store/schema/enums.ts';
import type { ToolMethods } from './tools/exports.ts';
import { TOOLS } from './tools/index.ts';

export { ControlApiError, ControlClient } from './client/control-client.ts';
export type { Fetch } from './client/fetch.ts';
export type { InProcessFetch } from './client/in-process-fetch.ts';
export type { Key, PartnerRequest } from './client/partner-client.ts';
export { UnreachableError } from './client/unreachable.ts';
export type { SandboxSettings } from './config/settings.ts';
export type { Runtime } from './kernel/runtime.ts';
export * from './tools/exports.ts';

export interface CreateSandboxOptions extends SandboxSettings {
  /** ISO 8601 time at which the clock of a new world is frozen; it runs with real time if left out. */
  frozenAt?: string;
  /** True for the rate limits of the specification, or other requests per minute by class; no limits if left out. */
  rateLimits?: boolean | Partial<Record<RateClass, number>>;
  /** Port to listen on; a free one if left out. False opens no socket, and only `fetch` and `call` reach the sandbox. */
  port?: number | false;
  /** Real time and timers, for tests that control them. */
  runtime?: Runtime;
}

/** The setting whose schema checks an option, null for none. The compiler checks that each option has an entry. */
const SETTING_OF_OPTION = {
  dataDir: 'data_dir',
  seed: 'seed',
  inventory: 'inventory',
  frozenAt: 'frozen_at',
  rateLimits: 'rate_limits',
  port: 'port',
  publicUrl: 'public_url',
  requestLog: 'request_log',
  defaultCredential: 'default_credential',
  runtime: null,
} satisfies Record<keyof CreateSandboxOptions, keyof typeof SETTING_SCHEMAS | null>;

/** A sandbox in this process. */
export interface InProcessSandbox extends ToolMethods {
  /** Base URL for your client. */
  url: string;
  /** The default credential. */
  credential: Key;
  /** Client of the control API, with paths below `/_sandbox`. */
  control: ControlClient;
  /** `fetch` into the sandbox without a socket; takes its URLs, or paths. Does not follow redirects. */
  fetch: InProcessFetch;
  /** Sends a signed partner API request, with the default credential unless another is passed. */
  call(request: PartnerRequest, key?: Key): Promise<Response>;
  /** Resolves when nothing is being delivered and nothing is due now, in all worlds. */
  idle(): Promise<void>;
  /** Returns the default world to the seed, with new IDs; `sameIds` repeats the old ones, for byte-identical runs. */
  reset(options?: { sameIds?: boolean }): Promise<void>;
  /** Stops the sandbox. */
  close(): Promise<void>;
}

/**
 * Starts a sandbox in this process.
 * @throws TypeError if an option is unknown; RangeError if the value of one is invalid; UnusableStateError if
 * `dataDir` cannot be used; Error on a runtime that is too old
 */
export async function createSandbox(options: CreateSandboxOptions = {}): Promise<InProcessSandbox> {
  const problem = describeUnsupported(process);
  // SQLite's binary would crash the process, or is missing.
  if (problem) throw new Error(problem);
  assertOptions(options);
  const { rateLimits = false, frozenAt, port = 0, ...sandboxOptions } = options;
  const runtime = options.runtime ?? systemRuntime;
  const sandbox = await openSandbox({
    ...sandboxOptions,
    tools: TOOLS,
    runtime,
    frozenAt: frozenAt === undefined ? undefined : parseIsoTime(frozenAt),
    rateLimits,
  }).catch(async (error: unknown) => {
    const reason = await explainStartFailure(error, globalThis.fetch);
    throw reason === undefined ? error : new UnusableStateError(reason);
  });
  const url = port === false ? 'http://localhost' : await listenOrClose(sandbox, port);
  const fetch = inProcessFetch(url, sandbox.fetch);
  const { keyId, secret } = DEFAULT_CREDENTIAL;
  const credential: Key = { key_id: keyId, secret };
  const control = new ControlClient({ baseUrl: url, fetch });
  return {
    url,
    credential,
    control,
    fetch,
    call: async (request, key = credential) => {
      assertRequest(request);
      return sendSigned(fetch, signPartnerRequest(url, key, request, runtime.now()));
    },
    idle: async () => {
      await Promise.all(sandbox.worlds.list().map((world) => sandbox.schedulers.of(world).idle()));
    },
    ...((await toolMethods(TOOLS, { ...sandbox, runtime })) as ToolMethods),
    reset: async ({ sameIds = false } = {}) => {
      await control.post('/reset', { same_ids: sameIds });
    },
    close: () => sandbox.close(),
  };
}

/** Checks what JavaScript callers pass. @throws TypeError that names the nearest option, RangeError */
function assertOptions(options: CreateSandboxOptions): void {
  const names = Object.keys(SETTING_OF_OPTION);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const fix = didYouMean(unknown, names) || ` Pass ${names.join(', ')}.`;
    throw new TypeError(`createSandbox: unknown option "${unknown}".${fix}`);
  }
  for (const [name, setting] of Object.entries(SETTING_OF_OPTION)) {
    const value = options[name as keyof typeof SETTING_OF_OPTION];
    if (setting === null || (name === 'port' && value === false)) continue;
    const [issue] =
      SETTING_SCHEMAS[setting]().safeParse(value, SCHEMA_MESSAGES).error?.issues ?? [];
    if (issue) {
      throw new RangeError(`createSandbox: ${[name, ...issue.path].join('.')}: ${issue.message}`);
    }
  }
}

/** Checks what JavaScript callers pass. @throws TypeError that names the right field */
function assertRequest(request: PartnerRequest): void {
  const { method, target } = request;
  if (typeof target !== 'string' || !target.startsWith('/')) {
    const wrong = ['path', 'url', 'uri', 'endpoint'].find((name) => Object.hasOwn(request, name));
    const instead = wrong === undefined ? '' : `, not ${wrong}`;
    throw new TypeError(
      `call: pass target${instead}: a path with its query, such as '/api/partner/v1/orders?limit=5'`,
    );
  }
  if (typeof method !== 'string') throw new TypeError("call: pass method, such as 'GET'");
}

/** A sandbox that cannot listen is not left open: its state could not be opened again. */
async function listenOrClose(sandbox: Sandbox, port: number): Promise<string> {
  try {
    return urlOf(await sandbox.listen('127.0.0.1', port));
  } catch (error) {
    await sandbox.close();
    throw error;
  }
}
