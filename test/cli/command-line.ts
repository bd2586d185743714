import type { CommandLineIo } from '../../src/cli/io.ts';
import { runCommandLine } from '../../src/cli/run.ts';
import type { CommandFile } from '../../src/cli/tool.ts';
import type { Fetch } from '../../src/client/fetch.ts';
import type { InProcessSandbox } from '../../src/index.ts';
import { systemRuntime } from '../../src/kernel/runtime.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { shellWords } from '../support/shell-words.ts';
import { stateFolder } from '../support/state-folder.ts';

/** What a command line left behind. */
export interface Finished {
  code: number;
  /** Bytes that were printed are in Latin-1. */
  stdout: string;
  /** Without the line that names the sandbox of a change. */
  stderr: string;
  /** The line on stderr that names the sandbox of a change; undefined if nothing was changed. */
  sandboxLine: string | undefined;
  /** stdout as the one JSON document that it must be. */
  json<T = unknown>(): T;
}

export interface CommandLineOptions extends Partial<Omit<CommandLineIo, 'stdout' | 'stderr'>> {
  stdin?: string | Buffer;
  /** Width of the terminal; without it there is none. */
  columns?: number;
  isTTY?: boolean;
  /** Called with everything that is printed, while the command runs. */
  onStdout?: (text: string) => void;
  /** By default, all commands. */
  files?: readonly CommandFile[];
}

/** A shell beside a sandbox, or beside none: takes command lines as they are typed, `sandlot` left out. */
export function commandLine(sandbox?: InProcessSandbox, given: CommandLineOptions = {}) {
  const cwd = given.cwd ?? stateFolder();
  return (line: string | readonly string[], more: CommandLineOptions = {}): Promise<Finished> => {
    const argv = typeof line === 'string' ? shellWords(line) : line;
    if (!argv) throw new Error(`no command line: ${line}`);
    const url = sandbox ? { SANDLOT_URL: sandbox.url } : {};
    const options = { ...given, ...more, env: { ...url, ...given.env, ...more.env } };
    return execute(argv, { cwd, fetch: sandbox?.fetch ?? nobodyThere, ...options });
  };
}

/** A `fetch` without a connection. */
export function failing(cause: object): Fetch {
  return () => Promise.reject(new TypeError('fetch failed', { cause }));
}

/** What `fetch` does where nothing listens. */
export const nobodyThere = failing({ code: 'ECONNREFUSED' });

async function execute(
  argv: readonly string[],
  {
    stdin,
    columns,
    isTTY,
    onStdout,
    files,
    ...io
  }: CommandLineOptions & { cwd: string; fetch: Fetch },
): Promise<Finished> {
  let stdout = '';
  let stderr = '';
  const terminal = { columns, isTTY };
  const code = await runCommandLine(
    argv,
    {
      env: {},
      runtime: systemRuntime,
      stdinChunks: () => ReadableStream.from([Buffer.from(stdin ?? '')]),
      interruption: () => AbortSignal.abort(),
      ...io,
      stdout: {
        ...terminal,
        write: (given) => {
          const text = typeof given === 'string' ? given : Buffer.from(given).toString('latin1');
          stdout += text;
          onStdout?.(text);
        },
      },
      stderr: {
        ...terminal,
        write: (text) => {
          stderr += text;
        },
      },
    },
    TOOLS,
    files,
  );
  const [sandboxLine] = /^.{0,5}sandbox: http.*\n/m.exec(stderr) ?? [];
  return {
    code,
    stdout,
    stderr: sandboxLine === undefined ? stderr : stderr.replace(sandboxLine, ''),
    sandboxLine,
    json: () => JSON.parse(stdout),
  };
}
