import process from 'node:process';
import { systemRuntime } from '../kernel/runtime.ts';
import type { CommandLineIo } from './io.ts';
import { runCommandLine } from './run.ts';

/** The entry point of the `sandlot` command, and the only place that ends the process. */
function main(): void {
  process.stdout.on('error', endQuietlyOnBrokenPipe);
  process.stderr.on('error', endQuietlyOnBrokenPipe);
  void runCommandLine(process.argv.slice(2), processIo()).then((exitCode) => {
    process.exitCode = exitCode;
  });
}

/** `sandlot events list | head -1`: the reader has seen enough. */
function endQuietlyOnBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
}

function processIo(): CommandLineIo {
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
    cwd: process.cwd(),
    fetch: (url, init) => fetch(url, init as RequestInit),
    runtime: systemRuntime,
    interruption,
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
