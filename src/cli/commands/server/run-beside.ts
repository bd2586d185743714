import { spawn } from 'node:child_process';
import os from 'node:os';
import type { Config } from '../../../config/schema.ts';
import { describeExposure } from '../../../server/exposure.ts';
import { findCommand, thisMachine } from '../../../server/find-command.ts';
import { guardCommand } from '../../../server/guard-command.ts';
import type { CommandContext } from '../../command.ts';
import { CheckFailedError } from '../../failures.ts';
import { openServer } from './run-server.ts';
import { tellSummary } from './show-summary.ts';

const PASSED_ON: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Runs a command while a sandbox is up. @returns its exit code, 128 + signal when a signal ended it */
export async function runBeside(
  call: CommandContext,
  settings: Config,
  [command = '', ...args]: readonly string[],
  { quiet }: { quiet: boolean },
): Promise<number> {
  if (command === '') throw cannotRun(command, 'there is no such command');
  const server = await openServer(call, settings);
  if (!quiet) for (const line of describeExposure(settings)) call.out.note(line);
  let code: number;
  try {
    const { env } = server.sandbox.status();
    const token = settings.control_token;
    code = await run(command, args, {
      ...call.io.env,
      ...env,
      // The command runs beside it, whatever address its links name.
      SANDLOT_URL: server.url,
      ...(token !== undefined && { SANDLOT_CONTROL_TOKEN: token }),
    });
  } finally {
    await server.close();
  }
  // What was under way is finished now, and counted.
  if (!quiet) tellSummary(call.out, server.sandbox.summary());
  return code;
}

function run(
  command: string,
  args: readonly string[],
  env: Record<string, string | undefined>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const guard = guardCommand();
    const passOn = (signal: NodeJS.Signals) => {
      // Ctrl-C in a terminal reaches the command by itself; twice means something else to many. On Windows
      // everything does, and a signal passed on would be the end of the command.
      if (process.platform === 'win32' || (signal === 'SIGINT' && process.stdin.isTTY)) return;
      child.kill(signal);
    };
    // Before the command is there: one that arrives at once is its own, and not the end of this process.
    for (const signal of PASSED_ON) process.on(signal, passOn);
    const target = findCommand(command, args, thisMachine(env));
    const child = spawn(target.file, target.args, {
      stdio: 'inherit',
      env,
      windowsVerbatimArguments: target.verbatim,
    });
    if (child.pid !== undefined) guard.begin(child.pid);
    const settle = (act: () => void) => {
      for (const signal of PASSED_ON) process.off(signal, passOn);
      guard.end();
      act();
    };
    child.once('error', (error: NodeJS.ErrnoException) => {
      settle(() => reject(cannotRun(command, inWords(error))));
    });
    child.once('exit', (code, signal) => {
      // The shell of Windows, asked instead, has said so with this code.
      if (code === 1 && !target.found) {
        return settle(() => reject(cannotRun(command, 'there is no such command')));
      }
      settle(() => resolve(code ?? 128 + (signal === null ? 0 : os.constants.signals[signal])));
    });
  });
}

function cannotRun(command: string, why: string): CheckFailedError {
  return new CheckFailedError(`cannot run ${command || "''"}: ${why}`);
}

function inWords({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT') return 'there is no such command';
  return code === 'EACCES' ? 'it is not executable' : message;
}
