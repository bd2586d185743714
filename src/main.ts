import process from 'node:process';
import type { CommandLineIo } from './cli/io.ts';
import { runCommandLine } from './cli/run.ts';
import { systemRuntime } from './kernel/runtime.ts';
import { TOOLS } from './tools/index.ts';

const closedByReader = new Set<NodeJS.WriteStream>();
let ignoresOutputErrors = false;
/** Set by a command that may print for hours. */
let endsWithReader = false;
/** Aborts `interruption()`, if the command has asked for it. */
let interrupt: (() => void) | undefined;

/** Runs the `sandlot` command, and is the only place that ends the process. Loading this file runs nothing. */
export function main(saveCode: NonNullable<CommandLineIo['saveCode']>): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) => handleFailedWrite(stream, error));
  }
  let cwd: string;
  try {
    cwd = process.cwd();
  } catch {
    process.stderr.write('error: the working directory no longer exists; change to another one\n');
    process.exitCode = 1;
    return;
  }
  void runCommandLine(process.argv.slice(2), processIo(cwd, saveCode), TOOLS).then((exitCode) => {
    process.exitCode = exitCode;
  });
}

/** Exits with 1, except in a server, or if the reader is done: `sandlot golive | head -1` keeps its exit code. */
function handleFailedWrite(stream: NodeJS.WriteStream, error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') closedByReader.add(stream);
  if (endsWithReader) endWithReader();
  if (ignoresOutputErrors || closedByReader.has(stream)) return;
  process.stderr.write(`error: cannot write the output: ${error.message}\n`);
  process.exit(1);
}

/** Ends the command once stdout is closed: `sandlot logs --follow | head -1`. */
function endWithReader(): void {
  endsWithReader = true;
  if (!closedByReader.has(process.stdout)) return;
  if (interrupt) interrupt();
  else process.exit(0);
}

function processIo(cwd: string, saveCode: NonNullable<CommandLineIo['saveCode']>): CommandLineIo {
  return {
    stdout: process.stdout,
    stderr: process.stderr,
    stdinChunks: () => process.stdin,
    env: process.env,
    cwd,
    fetch: (url, init) => fetch(url, init as RequestInit),
    runtime: systemRuntime,
    interruption,
    saveCode,
    ignoreOutputErrors: () => {
      ignoresOutputErrors = true;
    },
    endWithReader,
  };
}

/** npm passes on the Ctrl-C that a terminal sends to every process: what arrives again within a second is the same. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  interrupt = () => controller.abort();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, function abort() {
      controller.abort();
      systemRuntime.after(1000, () => process.off(signal, abort));
    });
  }
  return controller.signal;
}
