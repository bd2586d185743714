import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Fetch } from '../client/fetch.ts';
import type { Config } from '../config/schema.ts';
import { makePrivateFile, makePrivateFolder } from '../store/private-files.ts';
import { explainStartFailure } from './start-failure.ts';
import { DEFAULT_DATA_DIR } from './start-server.ts';

/** What a server tells the process that started it, once it takes requests. */
export interface ReadyMessage {
  ready: unknown;
}

/**
 * Starts this very command line again, without `--detach`, as a process of its own.
 * @returns its status once it takes requests, or why it ended before
 */
export async function startDetached(
  settings: Config,
): Promise<{ status: unknown } | { failure: string }> {
  let logFile: string;
  try {
    logFile = logFileOf(settings);
  } catch (error) {
    const failure = await explainStartFailure(error, fetch as Fetch);
    if (failure === undefined) throw error;
    return { failure };
  }
  // A server that runs already writes there too: what this one says begins behind that.
  const begin = fs.existsSync(logFile) ? fs.statSync(logFile).size : 0;
  const log = fs.openSync(logFile, 'a');
  const [program = '', ...args] = process.argv.slice(1);
  const own = args.filter((arg) => !['--detach', '-d', '--json'].includes(arg));
  const child = spawn(process.execPath, [...process.execArgv, program, ...own], {
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  });
  fs.closeSync(log);
  const outcome = await new Promise<{ status: unknown } | { failure: string }>((resolve) => {
    child.once('message', (message) => resolve({ status: (message as ReadyMessage).ready }));
    child.once('exit', (code) => {
      const said = fs
        .readFileSync(logFile)
        .subarray(begin)
        .toString()
        .trim()
        .replace(/^error: /, '');
      resolve({ failure: said || `the sandbox ended with exit code ${code}; see ${logFile}` });
    });
    child.once('error', (error) => resolve({ failure: error.message }));
  });
  if (child.connected) child.disconnect();
  child.unref();
  return outcome;
}

/** Tells the process that started this one that it may go. Returns whether there is one that listens. */
export function tellReady(status: unknown): boolean {
  const message: ReadyMessage = { ready: status };
  return process.send?.(message) !== undefined;
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
