import fs from 'node:fs';
import path from 'node:path';

/** Arguments of `spawn` that start a command as a shell would. */
interface SpawnTarget {
  file: string;
  args: readonly string[];
  /** The arguments are quoted already: `windowsVerbatimArguments`. */
  verbatim: boolean;
  /** False if no such program was found; it may still be a command built into the shell. */
  found: boolean;
}

/** The parts of a machine that `findCommand` reads. */
export interface Machine {
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  isFile(file: string): boolean;
  firstLine(file: string): string;
}

/**
 * Finds out how to start a command. Windows starts only `.exe` and `.com` by itself: `npm` is a `.cmd` that needs cmd.exe, and
 * a script with `#!` needs its interpreter. Elsewhere the system does all of that.
 */
export function findCommand(
  command: string,
  args: readonly string[],
  machine: Machine,
): SpawnTarget {
  const asIs = { file: command, args, verbatim: false, found: true };
  if (machine.platform !== 'win32') return asIs;
  const file = findOnWindows(command, machine);
  const interpreter = file === undefined ? undefined : interpreterOf(machine.firstLine(file));
  if (file === undefined || interpreter === undefined)
    return throughShell(command, args, file, machine);
  return throughShell(interpreter, [file, ...args], findOnWindows(interpreter, machine), machine);
}

/** Returns this machine. */
export function thisMachine(env: Machine['env']): Machine {
  return {
    platform: process.platform,
    env,
    cwd: process.cwd(),
    isFile: (file) => fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true,
    firstLine,
  };
}

const MAX_FIRST_LINE_BYTES = 150;

function firstLine(file: string): string {
  const bytes = Buffer.alloc(MAX_FIRST_LINE_BYTES);
  let handle: number | undefined;
  try {
    handle = fs.openSync(file, 'r');
    const length = fs.readSync(handle, bytes, 0, bytes.length, 0);
    return bytes.toString('latin1', 0, length).split(/\r?\n/, 1)[0] ?? '';
  } catch {
    return '';
  } finally {
    if (handle !== undefined) fs.closeSync(handle);
  }
}

/** Returns the program after `#!`, or after `#!… env`. */
function interpreterOf(line: string): string | undefined {
  const [, program, first] = /^#!\s*(\S+)(?:\s+(\S+))?/.exec(line) ?? [];
  const name = program?.split('/').at(-1);
  return name === 'env' ? first : name;
}

/** Searches the current folder and then PATH, with each extension of PATHEXT and then without one. */
function findOnWindows(command: string, { env, cwd, isFile }: Machine): string | undefined {
  const { win32 } = path;
  const folders = /[\\/]/.test(command)
    ? [cwd]
    : [
        cwd,
        ...(variable(env, 'PATH') ?? '').split(win32.delimiter).map(withoutQuotes).filter(Boolean),
      ];
  const endings = (variable(env, 'PATHEXT') ?? '.EXE;.CMD;.BAT;.COM').split(';').filter(Boolean);
  const runnable = endings.some((ending) => command.toLowerCase().endsWith(ending.toLowerCase()));
  for (const tried of [runnable ? ['', ...endings] : endings, ['']]) {
    for (const folder of folders) {
      for (const ending of tried) {
        const file = win32.resolve(folder, command + ending);
        if (isFile(file)) return file;
      }
    }
  }
  return undefined;
}

/** Names of variables have no case on Windows. */
function variable(env: Machine['env'], name: string): string | undefined {
  const key = Object.keys(env).findLast((each) => each.toUpperCase() === name);
  return key === undefined ? undefined : env[key];
}

function withoutQuotes(folder: string): string {
  return folder.replace(/^"(.*)"$/, '$1');
}

function throughShell(
  command: string,
  args: readonly string[],
  file: string | undefined,
  { env }: Machine,
): SpawnTarget {
  const found = file !== undefined;
  if (found && /\.(?:exe|com)$/i.test(file)) return { file, args, verbatim: false, found };
  // A shim of npm passes its arguments to a second command line, which parses them again.
  const readTwice = found && /node_modules[\\/]\.bin[\\/][^\\/]+\.cmd$/i.test(file);
  const line = [
    escapeMeta(path.win32.normalize(command)),
    ...args.map((arg) => quoteArgument(arg, readTwice)),
  ].join(' ');
  return {
    file: variable(env, 'COMSPEC') ?? 'cmd.exe',
    args: ['/d', '/s', '/c', `"${line}"`],
    verbatim: true,
    found,
  };
}

/** Quotes an argument for `CommandLineToArgvW`, and escapes it for cmd.exe. */
function quoteArgument(arg: string, readTwice: boolean): string {
  const quoted = `"${arg.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1')}"`;
  const escaped = escapeMeta(quoted);
  return readTwice ? escapeMeta(escaped) : escaped;
}

function escapeMeta(text: string): string {
  return text.replace(/[()\][%!^"`<>&|;, *?]/g, '^$&');
}
