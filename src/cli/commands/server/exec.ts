import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import crossSpawn from 'cross-spawn';
import type { Config } from '../../../config/schema.ts';
import { exitStatus, killGroup } from '../../../kernel/child-process.ts';
import { describeFileError } from '../../../kernel/file-errors.ts';
import { describeExposure } from '../../../server/exposure.ts';
import type { CommandContext, ExecFollower } from '../../context.ts';
import { CannotRunError, CommandFailedError } from '../../errors.ts';
import { openServer } from './run-server.ts';
import type { ExecOptions } from './sandbox-options.ts';
import { formatRateLimits, printSummary } from './status.ts';

const FORWARDED_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a command while a sandbox runs.
 * @returns its exit code, or 128 + signal if a signal ended it; 1 if the command succeeds and a tool fails
 * @throws CannotRunError
 */
export async function execWithSandbox(
  call: CommandContext,
  settings: Config,
  [command = '', ...args]: readonly string[],
  { quiet }: ExecOptions,
): Promise<number> {
  const server = await openServer(call, settings);
  const { env, rate_limits: limits, seed } = server.sandbox.status();
  if (!quiet) {
    const hint = settings.rate_limits === false ? ' (--rate-limits turns them on)' : '';
    call.out.note(`sandlot at ${server.url}, rate limits ${formatRateLimits(limits)}${hint}`);
    for (const line of describeExposure(settings, seed)) call.out.note(line);
  }
  let code: number;
  const reports: Awaited<ReturnType<ExecFollower>>[] = [];
  try {
    const token = settings.control_token;
    code = await run(command, args, {
      ...call.io.env,
      ...env,
      ...(token !== undefined && { SANDLOT_CONTROL_TOKEN: token }),
    });
    // The command may have ended before the response that it waited for.
    if (call.execFollowers.length > 0) await server.sandbox.finishRequests();
    for (const follow of call.execFollowers) {
      const report = follow(server.sandbox, code);
      reports.push(await report.catch((error: unknown) => reportFailed(call, error)));
    }
  } finally {
    await server.close();
  }
  // After `close`, all requests are finished and counted.
  if (!quiet) printSummary(call.out, server.sandbox.summary());
  const shown = reports.filter((report) => !quiet || report?.hasFailed);
  for (const line of shown.flatMap((report) => report?.lines ?? [])) call.out.note(line);
  return code === 0 && reports.some((report) => report?.hasFailed) ? 1 : code;
}

/** Prints why a tool failed, for example to write its file. Throws other errors again. */
function reportFailed({ out }: CommandContext, error: unknown) {
  if (!(error instanceof CommandFailedError)) throw error;
  out.note(`${out.colors.error('error:')} ${error.message}`);
  return { lines: [], hasFailed: true };
}

/** @throws CannotRunError */
async function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  // At a terminal, the command stays in the group that Ctrl-C reaches, and on Windows, there are no groups.
  const hasGroup = process.platform !== 'win32' && !process.stdin.isTTY;
  let child: ChildProcess | undefined;
  const forward = (signal: NodeJS.Signals) => {
    // Ctrl-C in a terminal also reaches the command, and many programs treat a second one differently. On Windows, every
    // signal reaches the command, and a forwarded one would end it.
    if (process.platform === 'win32' || (signal === 'SIGINT' && process.stdin.isTTY)) return;
    if (child && hasGroup) killGroup(child, signal);
    else child?.kill(signal);
  };
  // Added before the command starts, because an early signal must not end this process.
  for (const signal of FORWARDED_SIGNALS) process.on(signal, forward);
  try {
    // Throws some errors, for example ENOTDIR, and emits others.
    child = crossSpawn(command, args, { stdio: 'inherit', env, detached: hasGroup });
    const [code, signal] = await once(child, 'exit');
    return exitStatus(code, signal);
  } catch (error) {
    throw cannotRun(command, error as NodeJS.ErrnoException);
  } finally {
    for (const signal of FORWARDED_SIGNALS) process.off(signal, forward);
  }
}

function cannotRun(command: string, error: NodeJS.ErrnoException): CannotRunError {
  const { code } = error;
  const problem = describeFileError(error, 'command not found');
  const reason = code === 'EACCES' ? 'it is not executable' : problem;
  return new CannotRunError(code === 'ENOENT' ? 127 : 126, `cannot run ${command}: ${reason}`);
}
