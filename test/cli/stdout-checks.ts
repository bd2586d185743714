import fs from 'node:fs';
import { expect } from 'vitest';
import { sandbox } from '../support/sandbox.ts';
import { stateFolder } from '../support/state-folder.ts';
import { commandLine } from './command-line.ts';

/** Expects a command with `-` for a file to print it, with and without --json, and to write no file. */
export async function expectPrinted(line: string, content: string, first?: string): Promise<void> {
  const cwd = stateFolder();
  const at = await sandbox();
  await at.control.post('/clock/freeze');
  await at.call({ method: 'GET', target: '/api/partner/v1/orders' });
  const run = commandLine(at, { cwd });
  if (first !== undefined) await run(first);
  const before = fs.readdirSync(cwd);
  for (const json of ['', ' --json']) {
    const { code, stdout, stderr } = await run(line + json);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('error') });
    expect(stdout.slice(0, content.length)).toBe(content);
  }
  expect(fs.readdirSync(cwd)).toEqual(before);
}

/** Expects a command to reject `-` for a file, because stdout has its output. */
export async function expectNotPrinted(line: string, option: string): Promise<void> {
  const cwd = stateFolder();
  const { code, stderr } = await commandLine(await sandbox(), { cwd })(line);
  expect(code).toBe(2);
  expect(stderr).toContain(`error: ${option}: cannot be -; pass the name of a file\n`);
  expect(fs.readdirSync(cwd)).toEqual([]);
}
