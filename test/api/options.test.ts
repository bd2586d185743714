import fs from 'node:fs';
import { expect, test } from 'vitest';
import { type CreateSandboxOptions, createSandbox } from '../../src/index.ts';
import { stateFolder } from '../support/state-folder.ts';

test.each([
  [TypeError, { frozenat: 1 }, 'unknown option "frozenat". Did you mean frozenAt?'],
  [TypeError, { request_log: 1 }, 'unknown option "request_log". Did you mean requestLog?'],
  [TypeError, { controlToken: 1 }, 'unknown option "controlToken". Pass dataDir, seed, '],
  [RangeError, { rateLimits: { frob: 1 } }, 'rateLimits: unknown field "frob"'],
  [RangeError, { rateLimits: { search: -1 } }, 'rateLimits'],
  [RangeError, { rateLimits: { search: 'abc' } }, 'rateLimits'],
  [RangeError, { inventory: -1 }, 'inventory: must be at least 0'],
  [RangeError, { inventory: 'abc' }, 'inventory: must be a whole number'],
  [RangeError, { requestLog: 'x' }, 'requestLog: must be a whole number'],
  [RangeError, { port: true }, 'port: must be a whole number'],
  [RangeError, { publicUrl: 'box' }, 'publicUrl: must be an http or https address'],
  [
    RangeError,
    { frozenAt: '1969-12-31' },
    'frozenAt: must be an ISO 8601 date or time from 1970 to 2199',
  ],
])('%o: %j is rejected, and opens nothing', async (type, option, message) => {
  const dataDir = stateFolder();
  const opening = createSandbox({ dataDir, port: false, ...option } as CreateSandboxOptions);
  await expect(opening).rejects.toThrow(type);
  await expect(opening).rejects.toThrow(`createSandbox: ${message}`);
  expect(fs.readdirSync(dataDir)).toEqual([]);
});

test('a relative dataDir stays in its folder when the working directory changes', async () => {
  const [folder, workingDirectory] = [stateFolder(), process.cwd()];
  process.chdir(folder);
  const opening = createSandbox({ dataDir: 'state', inventory: 0, port: false });
  const at = await opening.finally(() => process.chdir(workingDirectory));
  await at.control.post('/snapshots', { name: 'saved' });
  await at.close();
  expect(fs.existsSync(`${folder}/state/snapshots`)).toBe(true);
});
