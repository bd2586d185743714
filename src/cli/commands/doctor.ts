import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { ControlApiError } from '../../client/control-client.ts';
import type { Fetch } from '../../client/fetch.ts';
import { UnreachableError } from '../../client/unreachable.ts';
import { readConfig } from '../../config/read-config.ts';
import type { Config } from '../../config/schema.ts';
import { CONFIG_FILE } from '../../config/settings.ts';
import type { Status } from '../../control/status.ts';
import { countOf } from '../../kernel/count.ts';
import { messageOf } from '../../kernel/errors.ts';
import { MINUTE, SECOND } from '../../kernel/time.ts';
import { type SandboxTool, toolSettings } from '../../sandbox/tool.ts';
import { DEFAULT_HOST } from '../../server/exposure.ts';
import { isServerAlive, readServerRecord } from '../../server/record.ts';
import { describePortUser } from '../../server/start-failure.ts';
import { DEFAULT_PORT } from '../../server/start-server.ts';
import { assertNotLocked, StateInUseError } from '../../server/state-lock.ts';
import { MAX_SKEW_SECONDS } from '../../signing/signature.ts';
import { assertUsable } from '../../store/check-file.ts';
import { UnusableStateError } from '../../store/errors.ts';
import { VERSION } from '../../version.ts';
import type { Delivery } from '../../webhooks/delivery.ts';
import type { ControlRegistration } from '../../webhooks/registration.ts';
import { worldFile, worldNamesIn } from '../../world/files.ts';
import type { CommandContext } from '../context.ts';
import { send, signingKey, signNow } from '../partner-call.ts';
import { describeClock } from './clock.ts';

export interface Finding {
  check: string;
  status: 'ok' | 'warning' | 'failure';
  detail: string;
  /** The suggested next step; null if there is nothing to do. */
  hint: string | null;
}

function ok(check: string, detail: string): Finding {
  return { check, status: 'ok', detail, hint: null };
}

function warning(check: string, detail: string, hint: string): Finding {
  return { check, status: 'warning', detail, hint };
}

function failure(check: string, detail: string, hint: string): Finding {
  return { check, status: 'failure', detail, hint };
}

/** Runs every check, in the order in which they depend on each other. */
export async function examine(
  context: CommandContext,
  options: { config: string | undefined; port: number | undefined },
): Promise<Finding[]> {
  const { io, tools } = context;
  const { finding: configFinding, config } = checkConfig(io.cwd, options.config, tools);
  const { finding: sandboxFinding, status } = await checkSandbox(context);
  const dataDir = folderOf(context, config.data_dir);
  return [
    checkNode(),
    await checkSqlite(),
    configFinding,
    ...(config.ephemeral === true
      ? [ok('state', 'in memory')]
      : [checkState(dataDir), checkSpace(dataDir)]),
    await checkPort(config.host ?? DEFAULT_HOST, options.port ?? config.port ?? DEFAULT_PORT, {
      running: status && context.address().url,
      fetch: io.fetch,
    }),
    sandboxFinding,
    ...(status === undefined
      ? []
      : [
          ...checkWorlds(status),
          checkClock(context, status),
          await checkCredential(context),
          ...(await checkWebhooks(context)),
        ]),
  ];
}

/** Returns the folder that `start` uses: --data-dir, or else that of the configuration file. */
function folderOf({ dataDir, io }: CommandContext, configFolder: string | undefined): string {
  const isDefault = dataDir === path.resolve(io.cwd, '.sandlot');
  return isDefault && configFolder !== undefined ? path.resolve(io.cwd, configFolder) : dataDir;
}

/** The Node-API version that the binary of SQLite needs. */
const NEEDED_NAPI = 10;

export function checkNode(versions: { node?: string; napi?: string } = process.versions): Finding {
  const platform = `Node.js ${versions.node} on ${process.platform} ${process.arch}`;
  if (Number(versions.napi) >= NEEDED_NAPI) return ok('node', platform);
  return failure('node', `${platform} is too old`, 'install Node.js 22.14 or newer');
}

async function checkSqlite(): Promise<Finding> {
  try {
    const { default: Database } = await import('better-sqlite3');
    const database = new Database(':memory:');
    const version = database.prepare('SELECT sqlite_version()').pluck().get();
    database.close();
    return ok('sqlite', `SQLite ${version}`);
  } catch (error) {
    return failure(
      'sqlite',
      `SQLite does not load: ${messageOf(error).split('\n', 1)[0]}`,
      'reinstall sandlot; its package has SQLite for Linux, macOS and Windows on x64 and arm64',
    );
  }
}

/** Checks the configuration file. @returns the result, and the settings; none if the file cannot be read */
function checkConfig(
  cwd: string,
  configFile: string | undefined,
  tools: readonly SandboxTool[],
): { finding: Finding; config: Config } {
  const file = path.resolve(cwd, configFile ?? CONFIG_FILE);
  if (configFile === undefined && !fs.existsSync(file)) {
    return { finding: ok('config', `no ${CONFIG_FILE} here; using the defaults`), config: {} };
  }
  try {
    return {
      config: readConfig(file, toolSettings(tools)),
      finding: ok('config', `${file} is valid`),
    };
  } catch (error) {
    const hint = 'fix that line; "sandlot init --force" writes a new file';
    return { finding: failure('config', messageOf(error), hint), config: {} };
  }
}

/** Checks that `start` can listen on its port. @param running address of the running sandbox, if any */
async function checkPort(
  host: string,
  port: number,
  { running, fetch }: { running: string | undefined; fetch: Fetch },
): Promise<Finding> {
  if (port === 0) return ok('port', 'any free port');
  const problem = await tryPort(host, port);
  if (problem === undefined) return ok('port', `${host}:${port} is free`);
  if (running !== undefined && Number(new URL(running).port) === port) {
    return ok('port', `${host}:${port} is used by the running sandbox`);
  }
  if (problem !== 'EADDRINUSE') {
    const hint = 'choose an address and a port that this user may use: --host, --port';
    return failure('port', `${host}:${port} is not available (${problem})`, hint);
  }
  const detail = `${host}:${port} is in use by ${await describePortUser(port, fetch)}`;
  const hint = 'choose another port with --port, or a free one with --port 0';
  return running === undefined ? failure('port', detail, hint) : warning('port', detail, hint);
}

/** Listens for a moment. @returns the error code, or undefined if the port is free */
function tryPort(host: string, port: number): Promise<string | undefined> {
  const server = net.createServer();
  return new Promise((resolve) => {
    server.once('error', ({ code, message }: NodeJS.ErrnoException) => resolve(code ?? message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

const MEGABYTE = 1024 * 1024;
/** A world takes about 5 MB with 5,000 domains, and a few hundred with a million. */
const LOW_SPACE_BYTES = 500 * MEGABYTE;
const MIN_SPACE_BYTES = 20 * MEGABYTE;

/** Checks that a sandbox can use a state folder: it is readable, has this version and is not in use. */
export function checkState(dataDir: string): Finding {
  if (!fs.existsSync(dataDir)) return checkNewFolder(dataDir);
  if (!fs.statSync(dataDir).isDirectory()) {
    return failure('state', `${dataDir} is not a folder`, 'use another --data-dir');
  }
  if (!isWritable(dataDir)) return unwritable(dataDir);
  const record = readServerRecord(dataDir);
  if (record && isServerAlive(record)) {
    return ok('state', `${dataDir}, in use by the sandbox with pid ${record.pid}`);
  }
  try {
    // Without a lock file, the folder is not in use; the check must not create one.
    if (fs.existsSync(path.join(dataDir, 'lock'))) assertNotLocked(dataDir);
    const worlds = path.join(dataDir, 'worlds');
    const names = worldNamesIn(worlds);
    const problems = names.flatMap((name) => problemOf(worldFile(worlds, name)) ?? []);
    if (problems.length > 0) {
      return failure('state', problems.join(' '), 'follow the message; nothing was changed');
    }
    return ok('state', `${dataDir}, ${countOf(names.length, 'world')}`);
  } catch (error) {
    const hint =
      error instanceof StateInUseError
        ? 'stop the other sandlot, or use another --data-dir'
        : 'follow the message; nothing was changed';
    return failure('state', messageOf(error), hint);
  }
}

function problemOf(file: string): string | undefined {
  try {
    assertUsable(file, true);
    return undefined;
  } catch (error) {
    if (error instanceof UnusableStateError) return error.message;
    throw error;
  }
}

/** Checks the free space of the disk of a folder, which may not exist yet. */
function checkSpace(dataDir: string): Finding {
  const folder = nearestFolder(dataDir);
  const { bavail, bsize } = fs.statfsSync(folder);
  const free = bavail * bsize;
  const detail = `${Math.floor(free / MEGABYTE)} MB free at ${folder}`;
  if (free >= LOW_SPACE_BYTES) return ok('space', detail);
  const hint = 'free some space, or use another --data-dir';
  return free < MIN_SPACE_BYTES ? failure('space', detail, hint) : warning('space', detail, hint);
}

function checkNewFolder(dataDir: string): Finding {
  const folder = nearestFolder(dataDir);
  return isWritable(folder) ? ok('state', `${dataDir} is new`) : unwritable(folder);
}

function unwritable(folder: string): Finding {
  return failure(
    'state',
    `${folder} cannot be read and written by this user`,
    'use another --data-dir, or --ephemeral to keep the state in memory',
  );
}

function isWritable(folder: string): boolean {
  try {
    fs.accessSync(folder, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function nearestFolder(folder: string): string {
  const parent = path.dirname(folder);
  return fs.existsSync(folder) || parent === folder ? folder : nearestFolder(parent);
}

const STATUS_TIMEOUT_MS = 5_000;

async function checkSandbox(
  context: CommandContext,
): Promise<{ finding: Finding; status?: Status }> {
  try {
    const client = context.control(AbortSignal.timeout(STATUS_TIMEOUT_MS));
    const status = await client.get<Status>('/status');
    const detail = `${status.url}, pid ${status.pid}, version ${status.version}, world ${status.world}`;
    if (status.version === VERSION) return { finding: ok('sandbox', detail), status };
    const hint = 'stop it and start it again to use this version';
    return {
      finding: warning('sandbox', `${detail}, but this command has version ${VERSION}`, hint),
      status,
    };
  } catch (error) {
    return { finding: explainNoStatus(context, error) };
  }
}

/** Checks that the clocks of this machine and the sandbox agree well enough for signatures. */
function checkClock({ io }: CommandContext, { clock }: Status): Finding {
  const sandboxTime = Date.parse(clock.now) - clock.offset_ms;
  const difference = Math.abs(io.runtime.now() - sandboxTime);
  const detail = `real time differs from that of the sandbox by ${Math.round(difference / SECOND)} s; sandbox clock: ${describeClock(clock)}`;
  const hint = `set the clocks (NTP); a signature is rejected if they differ by more than ${MAX_SKEW_SECONDS} s`;
  if (difference > MAX_SKEW_SECONDS * SECOND) return failure('clock', detail, hint);
  return difference > MINUTE ? warning('clock', detail, hint) : ok('clock', detail);
}

/** Reports the worlds that the running sandbox could not open. */
function checkWorlds({ unusable_worlds: worlds = [] }: Partial<Status>): Finding[] {
  return worlds.map(({ name, problem }) =>
    failure('worlds', `world ${name} cannot be used. ${problem}`, 'then restart the sandbox'),
  );
}

function explainNoStatus(context: CommandContext, error: unknown): Finding {
  if (error instanceof ControlApiError) {
    const hint =
      error.status === 404
        ? 'see: sandlot worlds list'
        : 'pass its control token with --control-token, --control-token-file or SANDLOT_CONTROL_TOKEN';
    return failure('sandbox', error.message, hint);
  }
  if (!(error instanceof UnreachableError)) {
    return failure('sandbox', messageOf(error), 'correct or remove --url and SANDLOT_URL');
  }
  const hint = error.isOther
    ? 'start a sandbox on another port with: sandlot start --port 0'
    : 'start a sandbox with: sandlot start';
  // It is a failure only if the user named an address.
  return hasExplicitAddress(context)
    ? failure('sandbox', error.message, `${hint}, or correct --url or SANDLOT_URL`)
    : warning('sandbox', error.message, hint);
}

function hasExplicitAddress({ address }: CommandContext): boolean {
  try {
    return ['--url', 'SANDLOT_URL'].includes(address().source);
  } catch {
    return false;
  }
}

/** Checks that a request signed with the key of the commands is accepted. It counts as a request. */
async function checkCredential(context: CommandContext): Promise<Finding> {
  try {
    const key = await signingKey(context, undefined);
    const target = '/api/partner/v1/orders?limit=1';
    const response = await send(context, signNow(context, key, { method: 'GET', target }));
    if (response.ok) return ok('credential', `a request signed with ${key.key_id} is accepted`);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    const detail = `${key.key_id}: ${error.code}: ${error.message}`;
    // The signature was accepted: it is checked before the scope and the rate limit.
    if (response.status === 403 || response.status === 429) {
      return warning('credential', detail, 'the signature is valid; see: sandlot credentials list');
    }
    return failure(
      'credential',
      detail,
      'set SANDLOT_KEY_ID and SANDLOT_SECRET to a credential of "sandlot credentials list", or unset both',
    );
  } catch (error) {
    return failure(
      'credential',
      messageOf(error),
      'create a credential with: sandlot credentials create',
    );
  }
}

const CONNECT_TIMEOUT_MS = 3_000;

/** Checks that each registered webhook URL accepts connections. Sends no webhook. */
async function checkWebhooks({ control }: CommandContext): Promise<Finding[]> {
  const { webhooks } = await control().get<{ webhooks: ControlRegistration[] }>('/webhooks', {
    limit: 100,
  });
  if (webhooks.length === 0) return [ok('webhooks', 'no URL is registered')];
  const { deliveries } = await control().get<{ deliveries: Delivery[] }>('/deliveries', {
    limit: 100,
  });
  return Promise.all(webhooks.map((webhook) => checkWebhook(webhook, deliveries)));
}

/** @param deliveries newest first */
async function checkWebhook(
  { url, partner, environment }: ControlRegistration,
  deliveries: readonly Delivery[],
): Promise<Finding> {
  const owner = `of ${partner} in ${environment}`;
  const problem = await tryConnection(new URL(url));
  if (problem === undefined) {
    const latestDelivery = deliveries.find(
      (delivery) => delivery.url === url && delivery.attempts.length > 0,
    );
    const outcome = latestDelivery?.attempts.at(-1)?.outcome ?? 'ok';
    const summary = `${url} ${owner} accepts connections`;
    if (latestDelivery === undefined || outcome === 'ok') return ok('webhooks', summary);
    return warning(
      'webhooks',
      `${summary}, but the newest webhook sent to it is ${latestDelivery.status}: ${outcome.replaceAll('_', ' ')}`,
      `only a response with 200 counts as delivered; see: sandlot webhooks show ${latestDelivery.delivery_id}`,
    );
  }
  // Not a failure: a receiver is often stopped during development.
  return warning(
    'webhooks',
    `${url} ${owner} cannot be reached (${problem})`,
    'start the receiver, or remove the URL with: sandlot webhooks unregister',
  );
}

/** Connects and disconnects. @returns the problem, undefined if the URL accepts connections */
function tryConnection({ hostname, port, protocol }: URL): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = net.connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || (protocol === 'https:' ? 443 : 80),
      timeout: CONNECT_TIMEOUT_MS,
    });
    const end = (problem?: string) => {
      socket.destroy();
      resolve(problem);
    };
    socket.once('connect', () => end());
    socket.once('timeout', () => end('no response'));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}
