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

test.each([
  [{ rateLimits: { frob: 1 } }, 'rateLimits: unknown field "frob"'],
  [{ rateLimits: { search: -1 } }, 'rateLimits'],
  [{ rateLimits: { search: 'abc' } }, 'rateLimits'],
  [{ inventory: -1 }, 'inventory: must be at least 0'],
  [{ inventory: 'abc' }, 'inventory: must be a whole number'],
  [{ requestLog: 'x' }, 'requestLog: must be a whole number'],
  [{ port: true }, 'port: must be a whole number'],
  [{ publicUrl: 'box' }, 'publicUrl: must be an http or https address'],
  [{ frozenAt: '1969-12-31' }, 'frozenAt: must be an ISO 8601 date or time from 1970 to 2199'],
])(
  'an invalid value %j is rejected as in the configuration file, and opens nothing',
  async (option, message) => {
    const dataDir = stateFolder();
    const opening = createSandbox({ dataDir, port: false, ...option } as CreateSandboxOptions);
    await expect(opening).rejects.toThrow(RangeError);
    await expect(opening).rejects.toThrow(`createSandbox: ${message}`);
    expect(fs.readdirSync(dataDir)).toEqual([]);
  },
);
