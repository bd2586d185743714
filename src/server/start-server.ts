import path from 'node:path';
import { applyConfig } from '../config/apply-config.ts';
import type { Config } from '../config/schema.ts';
import { urlOf } from '../kernel/addresses.ts';
import { CodedError, UsageError } from '../kernel/errors.ts';
import { systemRuntime } from '../kernel/runtime.ts';
import { isoTime, parseIsoTime } from '../kernel/time.ts';
import type { SandboxOptions } from '../sandbox/options.ts';
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import type { Store } from '../store/open.ts';
import { DEFAULT_WORLD } from '../world/files.ts';
import { assertControlToken, DEFAULT_HOST, exposureOf } from './exposure.ts';
import { DEFAULT_DATA_DIR, writeServerRecord } from './record.ts';

/** Also in `DEFAULT_URL` of `cli/locate.ts` and in `DEFAULT_ADDRESSES` of `dashboard/page.tsx`. */
export const DEFAULT_PORT = 4010;

/** A listening sandbox, with its address recorded in its state folder. */
export interface RunningServer {
  url: string;
  sandbox: Sandbox;
  /** Names the settings that the existing state overrides. */
  warning: string | undefined;
  /** Finishes what is in flight, leaves a clean database and unlocks the state folder. */
  close(): Promise<void>;
}

/**
 * Starts a server as configured.
 * @param options.workingDir commands in this folder find the server
 * @param options.onStop called by `POST /_sandbox/stop`, which is rejected without it
 * @throws UsageError, StateInUseError, UnusableStateError, PortInUseError
 */
export async function startServer(
  config: Config,
  options: Pick<SandboxOptions, 'onStop' | 'tools' | 'workingDir' | 'sender' | 'requestHooks'> = {},
): Promise<RunningServer> {
  const { workingDir } = options;
  const host = config.host ?? DEFAULT_HOST;
  assertControlToken(config);
  const exposure = exposureOf(config);
  const dataDir = config.ephemeral ? undefined : path.resolve(config.data_dir ?? DEFAULT_DATA_DIR);
  let sandbox: Sandbox | undefined;
  try {
    sandbox = await openSandbox({
      dataDir,
      seed: config.seed,
      inventory: config.inventory,
      requestLog: config.request_log,
      publicUrl: config.public_url,
      frozenAt: config.frozen_at === undefined ? undefined : parseIsoTime(config.frozen_at),
      rateLimits: config.rate_limits,
      defaultCredential: exposure?.defaultCredential ?? config.default_credential,
      randomKeys: exposure?.randomKeys,
      controlToken: config.control_token,
      host,
      importInventory: config.inventory_files && (await importerOf(config.inventory_files)),
      seedDefaults: (tx) => applyConfig(tx, config),
      ...options,
    });
    const listening = await sandbox.listen(host, config.port ?? DEFAULT_PORT);
    // With the address: `isOwn` in `record.ts` cannot see that a name is of this machine.
    const url = urlOf({ ...listening, host: listening.address });
    const removeRecord = writeServerRecord(
      { url, pid: process.pid, started_at: isoTime(systemRuntime.now()) },
      { dataDir, startedIn: workingDir && path.resolve(workingDir, DEFAULT_DATA_DIR) },
    );
    const { close } = sandbox;
    return {
      url: urlOf(listening),
      sandbox,
      warning: describeIgnored(config, sandbox, dataDir),
      close: () => close().then(removeRecord),
    };
  } catch (error) {
    await sandbox?.close();
    // An error here comes from the configuration.
    throw error instanceof CodedError ? new UsageError(error.message) : error;
  }
}

/**
 * Names the settings that apply only to a new world and differ from the existing one; undefined if there are none.
 * `inventory_files` is not among them: a reset reads it again.
 */
function describeIgnored(
  { seed, inventory, frozen_at: frozenAt }: Config,
  { worlds }: Sandbox,
  dataDir: string | undefined,
): string | undefined {
  const { identity, clock } = worlds.require(DEFAULT_WORLD);
  const { nowMs, frozen } = clock.reading();
  const ignored: string[] = [];
  if (seed !== undefined && seed !== identity.seed) ignored.push(`--seed (it is ${identity.seed})`);
  if (inventory !== undefined && inventory !== identity.inventory) {
    ignored.push(`--inventory (it is ${identity.inventory})`);
  }
  if (frozenAt !== undefined && !(frozen && nowMs === parseIsoTime(frozenAt))) {
    const state = frozen ? 'is frozen at' : 'runs, at';
    ignored.push(`--frozen-at (the clock ${state} ${isoTime(nowMs)})`);
  }
  if (ignored.length === 0) return undefined;
  return `${ignored.join(', ')}: ignored, because the state in ${dataDir} has its own; start with another --data-dir or --ephemeral, or delete that folder`;
}

async function importerOf(
  files: NonNullable<Config['inventory_files']>,
): Promise<(store: Store) => void> {
  const { importFiles } = await import('../config/import-files.ts');
  return (store) => importFiles(store, files);
}
