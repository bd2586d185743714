import process from 'node:process';
import { systemRuntime } from '../kernel/runtime.ts';
import { explainDiskFull } from '../store/errors.ts';
import type { CommandLineIo } from './io.ts';
import { runCommandLine } from './run.ts';

/** The entry point of the `sandlot` command, and the only place that ends the process. */
function main(): void {
  process.stdout.on('error', endOnFailedWrite);
  process.stderr.on('error', endOnFailedWrite);
  const cwd = findWorkingDirectory();
  if (cwd === undefined) {
    process.stderr.write('error: the working directory no longer exists; change to another one\n');
    process.exitCode = 1;
    return;
  }
  void runCommandLine(process.argv.slice(2), processIo(cwd)).then((exitCode) => {
    process.exitCode = exitCode;
  });
}

/** Ends without an error when the reader is done: `sandlot events list | head -1`. */
function endOnFailedWrite(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  process.stderr.write(
    `error: cannot write the output: ${explainDiskFull(error) ?? error.message}\n`,
  );
  process.exit(1);
}

function ignoreOutputErrors(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.off('error', endOnFailedWrite).on('error', () => {});
  }
}

/** @returns undefined if it was deleted */
function findWorkingDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    return undefined;
  }
}

function processIo(cwd: string): CommandLineIo {
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    readStdin: async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of process.stdin) chunks.push(chunk);
      return Buffer.concat(chunks);
    },
    stdinChunks: () => process.stdin,
    env: process.env,
    cwd,
    fetch: (url, init) => fetch(url, init as RequestInit),
    runtime: systemRuntime,
    interruption,
    ignoreOutputErrors,
  };
}

function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => controller.abort(signal));
  }
  return controller.signal;
}

main();
