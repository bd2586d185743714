import fs from 'node:fs';
import { expect, test } from 'vitest';
import { type CreateSandboxOptions, createSandbox } from '../../src/index.ts';
import { stateFolder } from '../support/state-folder.ts';

test.each([
  ['frozenat', 'createSandbox: unknown option "frozenat". Did you mean frozenAt?'],
  ['request_log', 'createSandbox: unknown option "request_log". Did you mean requestLog?'],
  ['controlToken', 'createSandbox: unknown option "controlToken". Pass dataDir, seed, '],
])(
  'an unknown option %s is rejected with the nearest one, and opens nothing',
  async (name, message) => {
    const dataDir = stateFolder();
    const options = { dataDir, inventory: 0, port: false, [name]: 1 } as CreateSandboxOptions;
    const opening = createSandbox(options);
    await expect(opening).rejects.toThrow(TypeError);
    await expect(opening).rejects.toThrow(message);
    expect(fs.readdirSync(dataDir)).toEqual([]);
  },
);
