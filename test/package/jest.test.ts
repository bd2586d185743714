import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { emptyDirectory, ROOT } from '../support/sandlot-process.ts';
import { TOOLS, TOOLS_INSTALLED } from '../support/tools.ts';

test.runIf(TOOLS_INSTALLED)('in jest with jsdom, a suite of two files passes and jest ends', () => {
  // The package is installed in the project of the suite.
  const project = emptyDirectory();
  fs.mkdirSync(path.join(project, 'node_modules'));
  fs.symlinkSync(ROOT, path.join(project, 'node_modules/sandlot'));
  fs.cpSync(path.join(import.meta.dirname, 'jest'), path.join(project, 'tests'), {
    recursive: true,
  });
  const config = {
    rootDir: project,
    testEnvironment: path.join(TOOLS, 'jest-environment-jsdom-30/build/index.js'),
    transform: {},
    cacheDirectory: path.join(project, 'cache'),
    watchman: false,
    testTimeout: 60_000,
  };
  const jest = path.join(TOOLS, 'jest-30/bin/jest.js');
  const args = [jest, '--config', JSON.stringify(config), '--runInBand'];
  // With an open handle, jest would not end.
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: project,
    encoding: 'utf8',
    timeout: 240_000,
  });
  expect(stderr).toMatch(/Tests: +3 passed, 3 total/);
  expect(stderr).not.toContain('torn down');
  expect(status).toBe(0);
});

test('nothing that is shipped uses globals of Node.js that the jsdom environment lacks or replaces', () => {
  const lacking =
    /(?<![.\w])(?:(?:set|clear)(?:Immediate|Timeout|Interval)|new (?:Request|Response|Text\w+|\w+Stream))\(|\bglobal(?:This)?\.(?:Request|Response|Headers) [^!]/;
  const dist = path.join(ROOT, 'dist');
  for (const file of fs.readdirSync(dist).filter((name) => name.endsWith('.cjs'))) {
    const text = fs.readFileSync(path.join(dist, file), 'utf8');
    expect(lacking.exec(text)?.[0], file).toBeUndefined();
  }
});
