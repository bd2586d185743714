import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Fetch } from '../client/fetch.ts';
import type { Config } from '../config/schema.ts';
import type { Status } from '../control/status.ts';
import { makePrivateFile, makePrivateFolder } from '../store/private-files.ts';
import { DEFAULT_DATA_DIR } from './record.ts';
import { explainStartFailure } from './start-failure.ts';

/** A server that is ready, with a warning about its settings. */
interface Started {
  ready: Status;
  warning?: string | undefined;
}

/** Message from a server to its parent when it is ready, or why it cannot start. */
type StartMessage = Started | { failure: string };

/** Names the log of a detached server without a state folder to that server, which removes it. */
const TEMPORARY_LOG = 'SANDLOT_TEMPORARY_LOG';

/**
 * Runs this command line again without `--detach`, as a detached process.
 * @returns its status when it accepts requests, or why it ended before that
 */
export async function startDetached(settings: Config): Promise<StartMessage> {
  let logFile: string;
  let log: number;
  try {
    logFile = logFileOf(settings);
    log = fs.openSync(logFile, 'a');
  } catch (error) {
    const failure = await explainStartFailure(error, fetch as Fetch);
    if (failure === undefined) throw error;
    return { failure };
  }
  // A running server may write to the same file: what precedes this offset is not from this start.
  const begin = fs.fstatSync(log).size;
  const [program = '', ...args] = process.argv.slice(1);
  const { control_token: token } = settings;
  const child = spawn(
    process.execPath,
    [...process.execArgv, program, ...argumentsOfServer(args)],
    {
      detached: true,
      // Not as an argument, which every user of the machine can read.
      env: {
        ...process.env,
        ...(token !== undefined && { SANDLOT_CONTROL_TOKEN: token }),
        [TEMPORARY_LOG]: settings.ephemeral ? logFile : undefined,
      },
      windowsHide: true,
      stdio: ['ignore', log, log, 'ipc'],
    },
  );
  fs.closeSync(log);
  const outcome = await new Promise<StartMessage>((resolve) => {
    let why: string | undefined;
    child.once('message', (message: StartMessage) => {
      if ('ready' in message) resolve(message);
      else why = message.failure;
    });
    child.once('exit', (code) => {
      // The log may lie on a full disk.
      why ??= logSince(logFile, begin);
      if (why && settings.ephemeral) removeLog(logFile);
      resolve({ failure: why || `the sandbox ended with exit code ${code}; see ${logFile}` });
    });
    child.once('error', (error) => resolve({ failure: error.message }));
  });
  if (child.connected) child.disconnect();
  child.unref();
  return outcome;
}

/** Returns the arguments without the options of the starting process and without the control token. */
function argumentsOfServer(args: readonly string[]): string[] {
  const out: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (/^--control-token(?:-file)?$/.test(arg)) at += 1;
    else if (!/^(?:--detach|-d|--json|--control-token(?:-file)?=.*)$/s.test(arg)) out.push(arg);
  }
  return out;
}

/** Reports the result of the start to the parent process. @returns whether a parent process waits for it */
export function reportToParent(message: StartMessage): boolean {
  // Do not exit if the parent process is gone.
  return process.send?.(message, undefined, undefined, () => {}) !== undefined;
}

/** Removes the log of this process if it is temporary. A server that crashes leaves it, to say why. */
export function removeTemporaryLog(): void {
  const logFile = process.env[TEMPORARY_LOG];
  if (logFile !== undefined) removeLog(logFile);
}

function removeLog(logFile: string): void {
  try {
    fs.unlinkSync(logFile);
    fs.rmdirSync(path.dirname(logFile));
  } catch {
    // Windows keeps a file that is open.
  }
}

/** Returns what was written to the log since `begin`. */
function logSince(logFile: string, begin: number): string {
  return fs
    .readFileSync(logFile)
    .subarray(begin)
    .toString()
    .trim()
    .replace(/^error: /, '');
}

function logFileOf(settings: Config): string {
  const dir = settings.ephemeral
    ? fs.mkdtempSync(path.join(os.tmpdir(), 'sandlot-'))
    : (settings.data_dir ?? DEFAULT_DATA_DIR);
  makePrivateFolder(dir);
  const file = path.join(dir, 'server.log');
  makePrivateFile(file);
  return file;
}
