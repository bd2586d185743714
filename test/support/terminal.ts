import { execFileSync, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { shellQuote } from '../../src/client/curl.ts';
import { BIN } from './sandlot-process.ts';

/** What came to a terminal. */
interface Screen {
  status: number | null;
  /** Every byte, commands to the terminal included. */
  raw: string;
  /** The text of each line as it stands in the end, without colors. */
  lines: string[];
}

/**
 * Runs the built command on a pseudo-terminal of a width, by `script` of util-linux.
 * @param more shell text behind the command: redirections
 */
export async function onTerminal(
  columns: number,
  args: readonly string[],
  { cwd, env = {}, more = '' }: { cwd: string; env?: Record<string, string>; more?: string },
): Promise<Screen> {
  const command = [process.execPath, BIN, ...args].map(shellQuote).join(' ');
  const { NO_COLOR: _no, FORCE_COLOR: _force, CI: _ci, ...inherited } = process.env;
  const child = spawn(
    'script',
    ['-qec', `stty cols ${columns} rows 24; ${command} ${more}`, '/dev/null'],
    {
      cwd,
      env: { ...inherited, TERM: 'xterm-256color', ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [status, raw] = await Promise.all([ended, text(child.stdout)]);
  return { status, raw, lines: linesOf(raw) };
}

/** A test that needs a pseudo-terminal: where none can be had it is skipped, in CI it fails. */
export function terminalTest(name: string, run: () => void | Promise<void>): void {
  const there = hasScript();
  test.skipIf(!there && !process.env.CI)(name, async () => {
    expect(there, 'script of util-linux, for a pseudo-terminal').toBe(true);
    await run();
  });
}

function hasScript(): boolean {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux');
  } catch {
    return false;
  }
}

/** Only what sandlot uses: carriage return, erasing to the end of the line, colors. */
function linesOf(raw: string): string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  const plain = raw.replaceAll(/\x1b\[[\d;]*m/g, '');
  return plain
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map((line) => line.split('\r\x1b[K').at(-1) ?? '')
    .filter((line) => line !== '');
}
