import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { emptyDirectory } from '../support/sandlot-process.ts';

interface Started {
  command: string;
  args: string[];
}

/** What cross-spawn starts on Windows, for commands in a folder with files of these contents. */
function onWindows(files: Record<string, string>, calls: [command: string, args: string[]][]) {
  const cwd = emptyDirectory();
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
    fs.writeFileSync(path.join(cwd, name), text);
  }
  const script = `
    Object.defineProperty(process, 'platform', { value: 'win32' });
    const { _parse } = require('cross-spawn');
    const { calls } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
    const env = { Path: ${JSON.stringify(cwd)}, PATHEXT: '.COM;.EXE;.BAT;.CMD' };
    const options = { cwd: ${JSON.stringify(cwd)}, env };
    console.log(JSON.stringify(calls.map(([command, args]) => _parse(command, args, options))));`;
  const env = { ...process.env, PATHEXT: '.COM;.EXE;.BAT;.CMD', comspec: 'cmd.exe' };
  const input = JSON.stringify({ calls });
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { env, input });
  expect(stderr.toString()).toBe('');
  return JSON.parse(stdout.toString()) as Started[];
}

/** What cmd.exe makes of a line without open quotes: `^` takes the meaning of what follows. */
function readByCmd(line: string): string {
  expect(line.replaceAll(/\^./g, '')).not.toMatch(/[()%!"<>&|]/);
  return line.replaceAll(/\^(.)/g, '$1');
}

/** `CommandLineToArgvW`, for arguments that are all in quotes. */
function readByProgram(line: string): string[] {
  return [...line.matchAll(/"((?:\\.|[^"\\])*?(?:\\\\)*)"(?= |$)/g)].map(([, quoted = '']) =>
    quoted.replace(/(\\+)("|$)/g, (_, slashes: string, quote: string) =>
      quote === '' ? '\\'.repeat(slashes.length / 2) : `${'\\'.repeat((slashes.length - 1) / 2)}"`,
    ),
  );
}

test('on Windows an .exe starts by itself, and a .cmd such as npm by cmd.exe', () => {
  const started = onWindows({ 'git.EXE': '', 'npm.CMD': '@ECHO off' }, [
    ['git', ['a b']],
    ['npm', ['test']],
    ['dir', []],
  ]);
  expect(started).toMatchObject([
    { command: 'git', args: ['a b'] },
    { command: 'cmd.exe', args: ['/d', '/s', '/c', '"npm ^"test^""'] },
    { command: 'cmd.exe', args: ['/d', '/s', '/c', '"dir"'] },
  ]);
});

test('on Windows a command of npm gets its arguments unchanged, also through its own script', () => {
  const text = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom('\\', '"', ' ', '^', '%', '&', '!', 'a') }),
  );
  // cross-spawn 7.0.6 loses count of several backslashes before a quote or at the end.
  const usual = text.filter((each) => !/[\r\n\0]|\\{2}/.test(each));
  const given = fc.sample(fc.array(usual), 100);
  const shim = './node_modules/.bin/vitest';
  const started = onWindows({ 'npm.CMD': '', [`${shim}.CMD`]: '' }, [
    ...given.map((args): [string, string[]] => ['npm', args]),
    ...given.map((args): [string, string[]] => [shim, args]),
  ]);
  const lines = started.map(({ args }) => args.at(-1)?.slice(1, -1) ?? '');
  for (const [n, args] of given.entries()) {
    expect(readByProgram(readByCmd(lines[n] ?? ''))).toEqual(args);
    const once = readByCmd(lines[given.length + n] ?? '');
    expect(readByProgram(readByCmd(once))).toEqual(args);
  }
});
