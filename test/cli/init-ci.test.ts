import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { CI_SERVICES, WORKFLOWS } from '../../src/cli/commands/server.ts';
import { emptyDirectory, ROOT } from '../support/sandlot-process.ts';
import { commandLine } from './command-line.ts';

const TOOLS = path.join(ROOT, '.ci/tools');
const hasTools = fs.existsSync(path.join(TOOLS, 'node_modules'));
/** A skip is a failure in CI, which installs them. */
const withTools = test.skipIf(!hasTools && !process.env.CI);

test.each(CI_SERVICES)(
  'init --ci %s writes the workflow, and overwrites only with --force',
  async (service) => {
    const cwd = emptyDirectory();
    const file = path.join(cwd, WORKFLOWS[service].file);
    const run = commandLine(undefined, { cwd });
    expect((await run(`init --ci ${service} --json`)).json()).toEqual({ file });
    expect(fs.readFileSync(file, 'utf8')).toBe(WORKFLOWS[service].text());
    fs.writeFileSync(file, 'mine');
    const again = await run(`init --ci ${service}`);
    expect([again.code, again.stderr]).toEqual([
      2,
      expect.stringContaining('exists; pass --force'),
    ]);
    expect(fs.readFileSync(file, 'utf8')).toBe('mine');
    expect((await run(`init --ci ${service} --force`)).code).toBe(0);
    expect(fs.readFileSync(file, 'utf8')).toBe(WORKFLOWS[service].text());
  },
);

test('init --ci with another service is wrong usage', async () => {
  const { code, stderr } = await commandLine()('init --ci gitlub');
  expect([code, stderr]).toEqual([2, expect.stringContaining('github, gitlab')]);
});

withTools('the workflow for GitHub is valid', () => {
  const file = path.join(emptyDirectory(), 'workflow.yml');
  fs.writeFileSync(file, WORKFLOWS.github.text());
  const bin = path.join(TOOLS, 'node_modules/.bin/action-validator');
  const validate = () => spawnSync(process.execPath, [bin, file], { encoding: 'utf8' });
  expect(validate().stdout + validate().stderr).toBe('');
  expect(validate().status).toBe(0);
  fs.writeFileSync(file, WORKFLOWS.github.text().replace('runs-on', 'runs-in'));
  expect(validate().status).not.toBe(0);
});
