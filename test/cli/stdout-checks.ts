import fs from 'node:fs';
import { expect } from 'vitest';
import { sandbox } from '../support/sandbox.ts';
import { stateFolder } from '../support/state-folder.ts';
import { commandLine } from './command-line.ts';

/** Expects a command to reject `-` for a file, because stdout has its output. */
export async function expectNotPrinted(line: string, option: string): Promise<void> {
  const cwd = stateFolder();
  const { code, stderr } = await commandLine(await sandbox(), { cwd })(line);
  expect(code).toBe(2);
  expect(stderr).toContain(`error: ${option}: cannot be -; pass the name of a file\n`);
  expect(fs.readdirSync(cwd)).toEqual([]);
}
