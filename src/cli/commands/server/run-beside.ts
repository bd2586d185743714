import { spawn } from 'node:child_process';
import os from 'node:os';
import type { Config } from '../../../config/schema.ts';
import type { CommandContext } from '../../command.ts';
import { CheckFailedError } from '../../failures.ts';
import { openServer } from './run-server.ts';

const PASSED_ON: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** Runs a command while a sandbox is up. @returns its exit code, 128 + signal when a signal ended it */
export async function runBeside(
  call: CommandContext,
  settings: Config,
  [command = '', ...args]: readonly string[],
): Promise<number> {
  const server = await openServer(call, settings);
  try {
    const { env } = server.sandbox.status();
    const token = settings.control_token;
    return await run(command, args, {
      ...call.io.env,
      ...env,
      ...(token !== undefined && { SANDLOT_CONTROL_TOKEN: token }),
    });
  } finally {
    await server.close();
  }
}

function run(
  command: string,
  args: readonly string[],
  env: Record<string, string | undefined>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', env });
    const passOn = (signal: NodeJS.Signals) => child.kill(signal);
    for (const signal of PASSED_ON) process.on(signal, passOn);
    const settle = (act: () => void) => {
      for (const signal of PASSED_ON) process.off(signal, passOn);
      act();
    };
    child.once('error', (error) => {
      settle(() => reject(new CheckFailedError(`cannot run ${command}: ${error.message}`)));
    });
    child.once('exit', (code, signal) => {
      settle(() => resolve(code ?? 128 + (signal === null ? 0 : os.constants.signals[signal])));
    });
  });
}
