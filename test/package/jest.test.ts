import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { emptyDirectory, ROOT } from '../support/sandlot-process.ts';
import { TOOLS, TOOLS_INSTALLED } from '../support/tools.ts';

/** Runs the suite in `jest/` in a project that has the built package installed. */
function runJest(version: number, environment: string) {
  const project = emptyDirectory();
  fs.mkdirSync(path.join(project, 'node_modules'));
  fs.symlinkSync(ROOT, path.join(project, 'node_modules/sandlot'));
  fs.cpSync(path.join(import.meta.dirname, 'jest'), path.join(project, 'tests'), {
    recursive: true,
  });
  const config = {
    rootDir: project,
    testEnvironment: environment,
    transform: {},
    cacheDirectory: path.join(project, 'cache'),
    watchman: false,
    testTimeout: 60_000,
  };
  const jest = path.join(TOOLS, `jest-${version}/bin/jest.js`);
  const args = [jest, '--config', JSON.stringify(config), '--runInBand'];
  // With an open handle, jest would not end.
  const { status, stderr } = spawnSync(process.execPath, args, {
    cwd: project,
    encoding: 'utf8',
    timeout: 240_000,
  });
  return { status, stderr };
}

test.runIf(TOOLS_INSTALLED).each([
  [29, 'jsdom'],
  [30, 'node'],
])(
  'in jest %d with the %s environment, a suite of three files passes and jest ends',
  (version, environment) => {
    const isNode = environment === 'node';
    const name = isNode ? 'node' : path.join(TOOLS, `jest-environment-jsdom-${version}`);
    const { status, stderr } = runJest(version, isNode ? name : `${name}/build/index.js`);
    expect(stderr).toMatch(/Tests: +3 passed, 3 total/);
    expect(stderr).not.toContain('torn down');
    expect(status).toBe(0);
  },
);

test('nothing that is shipped uses globals of Node.js that the jsdom environment lacks or replaces', () => {
  const lacking =
    /(?<![.\w])(?:(?:set|clear)(?:Immediate|Timeout|Interval)|new (?:Request|Response|Text\w+|\w+Stream))\(|\bglobal(?:This)?\.(?:Request|Response|Headers) [^!]/;
  const dist = path.join(ROOT, 'dist');
  for (const file of fs.readdirSync(dist).filter((name) => name.endsWith('.cjs'))) {
    const text = fs.readFileSync(path.join(dist, file), 'utf8');
    expect(lacking.exec(text)?.[0], file).toBeUndefined();
  }
});
