import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { UnreachableError } from '../../client/unreachable.ts';
import { ConfigError, readConfig } from '../../config/read-config.ts';
import type { Config } from '../../config/schema.ts';
import { CONFIG_FILE } from '../../config/settings.ts';
import type { Status } from '../../control/status.ts';
import { countOf } from '../../kernel/count.ts';
import { messageOf } from '../../kernel/errors.ts';
import { MINUTE, SECOND } from '../../kernel/time.ts';
import { toolSettings } from '../../sandbox/tool.ts';
import { DEFAULT_HOST } from '../../server/exposure.ts';
import { DEFAULT_DATA_DIR, findUserOf } from '../../server/record.ts';
import { describePortUser } from '../../server/start-failure.ts';
import { DEFAULT_PORT } from '../../server/start-server.ts';
import { LOCK_FILE, lockState, StateInUseError } from '../../server/state-lock.ts';
import { MAX_SKEW_SECONDS } from '../../signing/signature.ts';
import { assertUsable } from '../../store/check-file.ts';
import { VERSION } from '../../version.ts';
import type { ControlRegistration } from '../../webhooks/registration.ts';
import { worldFile, worldNamesIn } from '../../world/files.ts';
import type { CommandContext } from '../context.ts';
import { usageFrom } from '../errors.ts';
import { describeClock } from './clock.ts';

export interface Finding {
  check: string;
  status: 'ok' | 'warning' | 'failure';
  detail: string;
  /** The suggested next step; null if there is nothing to do. */
  hint: string | null;
}

type Result = Omit<Finding, 'check'>;

const ok = (detail: string): Result => ({ status: 'ok', detail, hint: null });
const warning = (detail: string, hint: string): Result => ({ status: 'warning', detail, hint });
const failure = (detail: string, hint: string): Result => ({ status: 'failure', detail, hint });

/** Runs every check; those of the clock and the receivers only if a sandbox responds. */
export async function examine(
  context: CommandContext,
  options: { config: string | undefined; port: number | undefined },
): Promise<Finding[]> {
  const config = configOf(context, options.config);
  const port = options.port ?? config.port ?? DEFAULT_PORT;
  const status = await readStatus(context).catch((error: Error) => error);
  const results: [check: string, Result][] = [
    ['version', checkVersion(context, status)],
    ['port', await checkPort(context, config.host ?? DEFAULT_HOST, port)],
    ['state', config.ephemeral ? ok('in memory') : checkState(folderOf(context, config.data_dir))],
  ];
  if (!(status instanceof Error)) {
    results.push(['clock', checkClock(context, status)]);
    const receivers = await checkReceivers(context);
    results.push(...receivers.map((result): [string, Result] => ['receiver', result]));
  }
  return results.map(([check, result]) => ({ check, ...result }));
}

/** @throws ControlApiError, UnreachableError, UsageError */
async function readStatus({ control }: CommandContext): Promise<Status> {
  return control(AbortSignal.timeout(TIMEOUT_MS)).get<Status>('/status');
}

/** Reads the configuration file, if there is one. @throws UsageError */
function configOf({ io, tools }: CommandContext, configFile: string | undefined): Config {
  const file = path.resolve(io.cwd, configFile ?? CONFIG_FILE);
  if (configFile === undefined && !fs.existsSync(file)) return {};
  try {
    return readConfig(file, toolSettings(tools));
  } catch (error) {
    throw usageFrom(error, ConfigError);
  }
}

/** Returns the folder that `start` uses: --data-dir, or else that of the configuration file. */
function folderOf({ dataDir, io }: CommandContext, configFolder: string | undefined): string {
  const isDefault = dataDir === path.resolve(io.cwd, DEFAULT_DATA_DIR);
  return isDefault && configFolder !== undefined ? path.resolve(io.cwd, configFolder) : dataDir;
}

const TIMEOUT_MS = 3_000;

/** Compares the versions of this command and the sandbox. */
function checkVersion(context: CommandContext, status: Status | Error): Result {
  const own = `sandlot ${VERSION}, Node.js ${process.versions.node} on ${process.platform} ${process.arch}`;
  if (status instanceof Error) {
    const detail = `${own}; ${status.message}`;
    if (status instanceof UnreachableError && !isNamed(context)) {
      const hint = `start a sandbox with: sandlot start${status.isOther ? ' --port 0' : ''}`;
      return warning(detail, hint);
    }
    return failure(detail, 'correct --url, SANDLOT_URL, --world or the control token');
  }
  const sandbox = `sandbox at ${status.url}, pid ${status.pid}`;
  if (status.version === VERSION) return ok(`${own}; ${sandbox}`);
  const hint = 'stop the sandbox and start it again to use this version';
  return warning(`${own}; ${sandbox}, has version ${status.version}`, hint);
}

/** Returns whether the user named the address of the sandbox. */
function isNamed({ address }: CommandContext): boolean {
  try {
    return ['--url', 'SANDLOT_URL'].includes(address().source);
  } catch {
    // No sandbox runs with the folder of --data-dir.
    return false;
  }
}

/** Checks that `start` can listen on its port, or that a sandbox does. */
async function checkPort({ io }: CommandContext, host: string, port: number): Promise<Result> {
  if (port === 0) return ok('any free port');
  const problem = await tryPort(host, port);
  if (problem === undefined) return ok(`${host}:${port} is free`);
  if (problem !== 'EADDRINUSE') {
    const hint = 'choose an address and a port that this user may use: --host, --port';
    return failure(`${host}:${port} is not available (${problem})`, hint);
  }
  const user = await describePortUser(port, io.fetch);
  const detail = `${host}:${port} is in use by ${user}`;
  if (user.startsWith('sandlot ')) return ok(detail);
  return failure(detail, 'choose another port with --port, or a free one with --port 0');
}

/** Listens for a moment. @returns the error code, or undefined if the port is free */
async function tryPort(host: string, port: number): Promise<string | undefined> {
  const server = net.createServer().listen(port, host);
  return problemOf(once(server, 'listening')).finally(() => server.close());
}

/** Returns the code or message of the error of a promise; undefined if it resolves. */
async function problemOf(attempt: Promise<unknown>): Promise<string | undefined> {
  try {
    await attempt;
    return undefined;
  } catch (error) {
    const { code, message, name } = error as NodeJS.ErrnoException;
    return name === 'AbortError' ? 'no response' : (code ?? message);
  }
}

/** Checks that a sandbox can use a state folder, or that one does. */
function checkState(dataDir: string): Result {
  const folder = nearestFolder(dataDir);
  try {
    if (!fs.statSync(folder).isDirectory()) throw new Error(`${folder} is not a folder`);
    fs.accessSync(folder, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
    if (folder !== dataDir) return ok(`${dataDir} is new`);
    // Without a lock file, the folder is not in use; the check must not create one.
    if (fs.existsSync(path.join(dataDir, LOCK_FILE))) lockState(dataDir)();
    const worlds = path.join(dataDir, 'worlds');
    const names = worldNamesIn(worlds);
    for (const name of names) assertUsable(worldFile(worlds, name), true);
    return ok(`${dataDir}, ${countOf(names.length, 'world')}`);
  } catch (error) {
    // A killed server leaves its record, but not its lock.
    const user = error instanceof StateInUseError ? findUserOf(dataDir) : undefined;
    if (user) return ok(`${dataDir}, in use by the sandbox with pid ${user.record.pid}`);
    return failure(messageOf(error), 'use another --data-dir, or --ephemeral');
  }
}

function nearestFolder(folder: string): string {
  const parent = path.dirname(folder);
  return fs.existsSync(folder) || parent === folder ? folder : nearestFolder(parent);
}

/** Checks that the clocks of this machine and the sandbox agree well enough for signatures. */
function checkClock({ io }: CommandContext, { clock }: Status): Result {
  const sandboxTime = Date.parse(clock.now) - clock.offset_ms;
  const difference = Math.abs(io.runtime.now() - sandboxTime);
  const detail = `real time differs from that of the sandbox by ${Math.round(difference / SECOND)} s; sandbox clock: ${describeClock(clock)}`;
  const hint = `set the clocks (NTP); a signature is rejected if they differ by more than ${MAX_SKEW_SECONDS} s`;
  if (difference > MAX_SKEW_SECONDS * SECOND) return failure(detail, hint);
  return difference > MINUTE ? warning(detail, hint) : ok(detail);
}

/** Checks that each registered webhook URL accepts connections. Sends no webhook. */
async function checkReceivers({ control }: CommandContext): Promise<Result[]> {
  const page = await control().get<{ webhooks: ControlRegistration[] }>('/webhooks', {
    limit: 100,
  });
  if (page.webhooks.length === 0) return [ok('no webhook URL is registered')];
  return Promise.all(
    page.webhooks.map(async ({ url, partner, environment }) => {
      const receiver = `${url} of ${partner} in ${environment}`;
      const problem = await tryConnection(new URL(url));
      if (problem === undefined) return ok(`${receiver} accepts connections`);
      // Not a failure: a receiver is often stopped during development.
      return warning(
        `${receiver} cannot be reached (${problem})`,
        'start the receiver, or remove the URL with: sandlot webhooks unregister',
      );
    }),
  );
}

/** Connects and disconnects. @returns the problem, undefined if the URL accepts connections */
async function tryConnection({ hostname, port, protocol }: URL): Promise<string | undefined> {
  const socket = net.connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (protocol === 'https:' ? 443 : 80),
  });
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  return problemOf(once(socket, 'connect', { signal })).finally(() => socket.destroy());
}
