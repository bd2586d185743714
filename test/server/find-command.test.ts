import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findCommand } from '../../src/server/find-command.ts';

const NPM = 'C:\\Program Files\\nodejs\\npm.cmd';
const VITEST = 'C:\\app\\node_modules\\.bin\\vitest.CMD';

/** A Windows machine with these files, and what the first line of some of them is. */
function windows(files: Record<string, string>, env: Record<string, string> = {}) {
  const known = new Map(
    Object.entries(files).map(([file, line]) => [file.toLowerCase(), line] as const),
  );
  return {
    platform: 'win32' as const,
    cwd: 'C:\\app',
    env: {
      Path: '"C:\\Program Files\\nodejs";C:\\tools',
      PATHEXT: '.COM;.EXE;.BAT;.CMD',
      ComSpec: 'C:\\Windows\\system32\\cmd.exe',
      ...env,
    },
    isFile: (file: string) => known.has(file.toLowerCase()),
    firstLine: (file: string) => known.get(file.toLowerCase()) ?? '',
  };
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

describe('a command on Windows', () => {
  test('that is an .exe is started by itself, from wherever PATH names it', () => {
    const machine = windows({ 'C:\\tools\\git.EXE': '' });
    const target = { file: 'C:\\tools\\git.EXE', args: ['a b'], verbatim: false, found: true };
    expect(findCommand('git', ['a b'], machine)).toEqual(target);
    expect(findCommand('GIT.EXE', ['a b'], machine)).toMatchObject({ file: 'C:\\tools\\GIT.EXE' });
  });

  test('that is a .cmd such as npm is started by cmd.exe', () => {
    expect(findCommand('npm', ['test'], windows({ [NPM]: '@ECHO off' }))).toEqual({
      file: 'C:\\Windows\\system32\\cmd.exe',
      args: ['/d', '/s', '/c', '"npm ^"test^""'],
      verbatim: true,
      found: true,
    });
  });

  test('that npm put in node_modules reads its arguments twice', () => {
    const { args } = findCommand('node_modules\\.bin\\vitest', ['a&b'], windows({ [VITEST]: '' }));
    expect(args.at(-1)).toBe('"node_modules\\.bin\\vitest ^^^"a^^^&b^^^""');
  });

  test('that is a script with #! is started by its interpreter', () => {
    const machine = windows({
      'C:\\app\\run': '#!/usr/bin/env node --inspect',
      'C:\\tools\\node.EXE': '',
    });
    expect(findCommand('run', ['x'], machine)).toEqual({
      file: 'C:\\tools\\node.EXE',
      args: ['C:\\app\\run', 'x'],
      verbatim: false,
      found: true,
    });
  });

  test('that no folder has is left to cmd.exe, which has commands of its own', () => {
    const target = findCommand('dir', [], windows({}));
    expect(target).toMatchObject({ found: false, args: ['/d', '/s', '/c', '"dir"'] });
  });

  test('gets its arguments unchanged', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom('\\', '"', ' ', '^', '%', '&', '!', 'a') }),
    );
    fc.assert(
      fc.property(fc.array(text.filter((each) => !/[\r\n]/.test(each))), (args) => {
        const target = findCommand('npm', args, windows({ [NPM]: '' }));
        const line = target.args.at(-1)?.slice(1, -1) ?? '';
        expect(readByProgram(readByCmd(line))).toEqual(args);
        const shim = findCommand('node_modules\\.bin\\vitest', args, windows({ [VITEST]: '' }));
        const first = readByCmd(shim.args.at(-1)?.slice(1, -1) ?? '');
        expect(readByProgram(readByCmd(first))).toEqual(args);
      }),
    );
  });
});

test('a command elsewhere is left to the system', () => {
  const machine = { ...windows({}), platform: 'linux' as const };
  const target = { file: 'npm', args: ['test'], verbatim: false, found: true };
  expect(findCommand('npm', ['test'], machine)).toEqual(target);
});
