import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Config } from '../config/schema.ts';
import type { Status } from '../control/status.ts';
import { exitStatus } from '../kernel/child-process.ts';
import { makePrivateFile, makePrivateFolder } from '../store/private-files.ts';
import { DEFAULT_DATA_DIR } from './record.ts';

/** Message from a server to its parent when it is ready, with a warning about its settings, or why it cannot start. */
type StartMessage =
  | { ready: Status; warning?: string | undefined }
  | { failure: string; isUsage: boolean };

/** Set for a server that `startDetached` has started: a channel (`process.send`) can be that of a process manager. */
const DETACHED = 'SANDLOT_DETACHED';

/**
 * Runs this command line again without `--detach`, as a detached process.
 * @returns its status when it accepts requests, or why it ended before that
 * @throws an error of the file system if the log cannot be opened
 */
export async function startDetached(settings: Config): Promise<StartMessage> {
  const logFile = settings.ephemeral ? undefined : logFileIn(settings.data_dir ?? DEFAULT_DATA_DIR);
  const log = logFile === undefined ? 'ignore' : fs.openSync(logFile, 'a');
  const [program = '', ...args] = process.argv.slice(1);
  const { control_token: token } = settings;
  const words = [...process.execArgv, program, ...argumentsOfServer(args)];
  // Not as an argument, which every user of the machine can read.
  const secrets = token === undefined ? {} : { SANDLOT_CONTROL_TOKEN: token };
  const child = spawn(process.execPath, words, {
    detached: true,
    env: { ...process.env, ...secrets, [DETACHED]: '1' },
    windowsHide: true,
    stdio: ['ignore', log, log, 'ipc'],
  });
  if (typeof log === 'number') fs.closeSync(log);
  const outcome = await new Promise<StartMessage>((resolve) => {
    child.once('message', resolve);
    child.once('exit', (code, signal) => {
      const where = logFile === undefined ? '' : `; see ${logFile}`;
      const failure = `the sandbox ended with exit code ${exitStatus(code, signal)}${where}`;
      resolve({ failure, isUsage: false });
    });
    child.once('error', (error) => resolve({ failure: error.message, isUsage: false }));
  });
  if (child.connected) child.disconnect();
  child.unref();
  return outcome;
}

/** Returns the arguments without `--detach`, also as `-d` or `-dd`, without `--json` and without the control token. */
function argumentsOfServer(args: readonly string[]): string[] {
  const out: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (/^--control-token(?:-file)?$/.test(arg)) at += 1;
    else if (!/^(?:--detach|-d+|--json|--control-token(?:-file)?=.*)$/s.test(arg)) out.push(arg);
  }
  return out;
}

/** Reports the result of the start to `startDetached` or a test, over the channel. @returns whether the parent prints it */
export function reportToParent(message: StartMessage): boolean {
  // The callback takes the error of a parent process that is gone, which would end this one.
  process.send?.(message, undefined, undefined, () => {});
  return process.env[DETACHED] !== undefined;
}

function logFileIn(dataDir: string): string {
  makePrivateFolder(dataDir);
  const file = path.join(dataDir, 'server.log');
  makePrivateFile(file);
  return file;
}
