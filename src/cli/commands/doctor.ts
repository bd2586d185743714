import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { shellQuote } from '../../client/curl.ts';
import { UnreachableError } from '../../client/unreachable.ts';
import { readConfig } from '../../config/read-config.ts';
import type { Status } from '../../control/status.ts';
import { bareName } from '../../http/request.ts';
import { urlOf } from '../../kernel/addresses.ts';
import { countOf } from '../../kernel/count.ts';
import { messageOf } from '../../kernel/errors.ts';
import { MINUTE, SECOND } from '../../kernel/time.ts';
import { LOCK_FILE, lockState, StateInUseError } from '../../sandbox/state-lock.ts';
import { DEFAULT_HOST } from '../../server/exposure.ts';
import { DEFAULT_DATA_DIR, findServerOf } from '../../server/record.ts';
import { describePortUser } from '../../server/start-failure.ts';
import { DEFAULT_PORT } from '../../server/start-server.ts';
import { MAX_SKEW_SECONDS } from '../../signing/signature.ts';
import { checkFile } from '../../store/open.ts';
import { VERSION } from '../../version.ts';
import type { ControlRegistration } from '../../webhooks/registration.ts';
import { lookupAllowed } from '../../webhooks/send.ts';
import { namesIn, worldFile } from '../../world/files.ts';
import type { CommandContext } from '../context.ts';
import { callRoute } from '../endpoints.ts';
import type { CommandLineIo } from '../io.ts';
import { describeClock } from './clock.ts';

export interface DoctorCheck {
  check: string;
  status: 'ok' | 'warning' | 'failure';
  detail: string;
  /** The suggested next step; null if there is nothing to do. */
  hint: string | null;
}

type Result = Omit<DoctorCheck, 'check'>;

const ok = (detail: string): Result => ({ status: 'ok', detail, hint: null });
const warning = (detail: string, hint: string): Result => ({ status: 'warning', detail, hint });
const failure = (detail: string, hint: string): Result => ({ status: 'failure', detail, hint });

/** Runs every check; those of the clock and the receivers only if a sandbox responds. */
export async function examine(
  { io, control, suggest }: CommandContext,
  options: { config: string | undefined; port: number | undefined; dataDir: string | undefined },
): Promise<DoctorCheck[]> {
  const config = readConfig(options.config);
  const folder = path.resolve(io.cwd, options.dataDir ?? config.data_dir ?? DEFAULT_DATA_DIR);
  const isInMemory = config.ephemeral && options.dataDir === undefined;
  const port = options.port ?? config.port ?? DEFAULT_PORT;
  // Async, so that what `control` throws for an invalid address is a failed check too.
  const readStatus = async () => control(AbortSignal.timeout(TIMEOUT_MS)).get<Status>('/status');
  const status = await readStatus().catch((error: Error) => error);
  const findings = [
    { check: 'version', ...checkVersion(status) },
    { check: 'port', ...(await checkPort(io, config.host ?? DEFAULT_HOST, port)) },
    { check: 'state', ...(isInMemory ? ok('in memory') : checkState(folder)) },
  ];
  if (status instanceof Error) return findings;
  // Compares the time in `status` with now, so it precedes the receivers, which can take seconds.
  findings.push({ check: 'clock', ...checkClock(io, status) });
  const { webhooks } = await callRoute(control(), 'GET /webhooks', {}, { limit: 100 });
  const receiverResults = await Promise.all(webhooks.map((row) => checkReceiver(row, suggest)));
  if (receiverResults.length === 0) receiverResults.push(ok('no webhook URL is registered'));
  return [...findings, ...receiverResults.map((result) => ({ check: 'receiver', ...result }))];
}

const TIMEOUT_MS = 3_000;

/** Compares the versions of this command and the sandbox. */
function checkVersion(status: Status | Error): Result {
  const own = `sandlot ${VERSION}, Node.js ${process.versions.node} on ${process.platform} ${process.arch}`;
  if (status instanceof UnreachableError) {
    return warning(`${own}; ${status.message}`, 'start a sandbox with: sandlot start');
  }
  if (status instanceof Error) {
    const hint = 'correct --url, SANDLOT_URL, --world or the control token';
    return failure(`${own}; ${status.message}`, hint);
  }
  const sandbox = `sandbox at ${status.url}, pid ${status.pid}`;
  if (status.version === VERSION) return ok(`${own}; ${sandbox}`);
  const hint = 'stop the sandbox and start it again to use this version';
  return warning(`${own}; ${sandbox}, has version ${status.version}`, hint);
}

/** Checks that `start` can listen on its port, or that a sandbox does. */
async function checkPort(io: CommandLineIo, host: string, port: number): Promise<Result> {
  if (port === 0) return ok('any free port');
  const server = net.createServer().listen(port, host);
  const problem = await problemOf(once(server, 'listening'));
  server.close();
  if (problem === undefined) return ok(`${host}:${port} is free`);
  if (problem !== 'EADDRINUSE') {
    const hint = 'choose an address and a port that this user may use: --host, --port';
    return failure(`${host}:${port} is not available (${problem})`, hint);
  }
  const user = await describePortUser(urlOf({ host, port }), io.fetch);
  const detail = `${host}:${port} is in use by ${user}`;
  // The text of `describePortUser` begins with this for a sandbox, which is not a problem.
  if (user.startsWith('sandlot ')) return ok(detail);
  return failure(detail, 'choose another port with --port, or a free one with --port 0');
}

/** Returns the code or message of the error of a promise; undefined if it resolves. */
function problemOf(attempt: Promise<unknown>): Promise<string | undefined> {
  return attempt.then(
    () => undefined,
    ({ code, message, name }: NodeJS.ErrnoException) =>
      name === 'AbortError' ? 'no response' : (code ?? message),
  );
}

/** Checks that a sandbox can use a state folder, or that one does. */
function checkState(dataDir: string): Result {
  try {
    // A missing folder is created in the nearest one above.
    let folder = dataDir;
    // The root of a drive can be missing too.
    while (!fs.existsSync(folder) && folder !== path.dirname(folder)) folder = path.dirname(folder);
    if (!fs.statSync(folder).isDirectory()) throw new Error(`${folder} is not a folder`);
    fs.accessSync(folder, fs.constants.R_OK | fs.constants.W_OK | fs.constants.X_OK);
    if (folder !== dataDir) return ok(`${dataDir} is new`);
    // Locks and unlocks. Without a lock file, the folder is not in use; the check must not create one.
    if (fs.existsSync(path.join(dataDir, LOCK_FILE))) lockState(dataDir)();
    const worlds = path.join(dataDir, 'worlds');
    const names = namesIn(worlds);
    for (const name of names) checkFile(worldFile(worlds, name));
    return ok(`${dataDir}, ${countOf(names.length, 'world')}`);
  } catch (error) {
    const user = error instanceof StateInUseError ? findServerOf(dataDir) : undefined;
    if (user) return ok(`${dataDir}, in use by the sandbox with pid ${user.pid}`);
    return failure(messageOf(error), 'use another --data-dir, or --ephemeral');
  }
}

/** Checks that the clocks of this machine and the sandbox agree well enough for signatures. */
function checkClock({ runtime }: CommandLineIo, { clock }: Status): Result {
  const sandboxTime = Date.parse(clock.now) - clock.offset_ms;
  const difference = Math.abs(runtime.now() - sandboxTime);
  const detail = `real time differs from that of the sandbox by ${Math.round(difference / SECOND)} s; sandbox clock: ${describeClock(clock)}`;
  const hint = `set the clocks (NTP); a signature is rejected if they differ by more than ${MAX_SKEW_SECONDS} s`;
  if (difference > MAX_SKEW_SECONDS * SECOND) return failure(detail, hint);
  return difference > MINUTE ? warning(detail, hint) : ok(detail);
}

/** Checks that a registered webhook URL accepts connections. Sends no webhook. */
async function checkReceiver(
  registration: ControlRegistration,
  suggest: CommandContext['suggest'],
): Promise<Result> {
  const receiver = `${registration.url} of ${registration.partner} in ${registration.environment}`;
  const { hostname, port, protocol } = new URL(registration.url);
  const socket = net.connect({
    host: bareName(hostname),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
    lookup: lookupAllowed,
  });
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const problem = await problemOf(once(socket, 'connect', { signal }));
  socket.destroy();
  if (problem === undefined) return ok(`${receiver} accepts connections`);
  // Not a failure: a receiver is often stopped during development.
  const unregister = suggest(`webhooks unregister ${shellQuote(registration.url)}`);
  const hint = `start the receiver, or remove the URL with: ${unregister}`;
  return warning(`${receiver} cannot be reached (${problem})`, hint);
}
