import fs from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { ControlClient } from '../../src/client/control-client.ts';
import { parseConfig, readConfig } from '../../src/config/read-config.ts';
import { commandLine } from '../cli/command-line.ts';
import { serverFor } from '../support/server.ts';
import { stateFolder } from '../support/state-folder.ts';

/** A folder with a configuration and its inventory file. */
function configured(csv: string): { config: string; csv: string; dataDir: string } {
  const folder = stateFolder();
  const write = (name: string, text: string) => {
    fs.writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  return {
    csv: write('names.csv', csv),
    dataDir: path.join(folder, 'state'),
    config: write(
      'sandlot.config.json',
      '{ "port": 0, "inventory": 5, "inventory_files": [{ "file": "names.csv", "environment": "LIVE" }] }',
    ),
  };
}

async function started(config: string, dataDir: string): Promise<ControlClient> {
  const { url } = await serverFor({ ...readConfig(config), data_dir: dataDir });
  return new ControlClient({ baseUrl: url, fetch });
}

async function names(control: ControlClient): Promise<string[]> {
  const { listings } = await control.get<{ listings: { domain: string }[] }>('/inventory', {
    environment: 'LIVE',
  });
  return listings.map(({ domain }) => domain);
}

test.each([
  ['does not exist', () => {}, 'file not found'],
  ['is a folder', fs.mkdirSync, 'it is a folder'],
])(
  'an inventory file that %s is rejected before a start, with existing state too',
  async (_, replace, why) => {
    const { config, csv, dataDir } = configured('domain,price_cents\nzebra.com,100\n');
    const server = await serverFor({ ...readConfig(config), data_dir: dataDir });
    await server.close();
    fs.rmSync(csv);
    replace(csv);
    const run = commandLine();
    const { code, stderr } = await run(['start', '--config', config, '--data-dir', dataDir]);
    expect(stderr).toContain(
      `sandlot.config.json:1: inventory_files.0.file: names.csv cannot be read: ${why}`,
    );
    expect(code).toBe(2);
  },
);

test('inventory files are imported at the first start and on reset, not at every start', async () => {
  const { config, csv, dataDir } = configured('domain,price_cents\nzebra.com,100\n');
  const server = await serverFor({ ...readConfig(config), data_dir: dataDir });
  await server.close();
  fs.writeFileSync(csv, 'domain,price_cents\nokapi.com,100\n');
  const control = await started(config, dataDir);
  expect(await names(control)).toEqual(['zebra.com']);
  await control.post('/worlds', { name: 'w1' });
  expect(await names(control.in('w1'))).toEqual([]);
  await control.post('/reset');
  expect(await names(control)).toEqual(['okapi.com']);
});

test('an invalid file fails the start with file and line, and leaves no world', async () => {
  const { config, csv, dataDir } = configured('domain,price_cents\nzebra.com,100\nzebra,100\n');
  await expect(started(config, dataDir)).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringMatching(/inventory_files: .*names\.csv: line 3: domain/),
  });
  fs.writeFileSync(csv, 'domain,price_cents\nokapi.com,100\n');
  expect(await names(await started(config, dataDir))).toEqual(['okapi.com']);
});

test('a bad file on reset leaves the world as it was', async () => {
  const { config, csv, dataDir } = configured('domain,price_cents\nzebra.com,100\n');
  const control = await started(config, dataDir);
  fs.rmSync(csv);
  await expect(control.post('/reset')).rejects.toMatchObject({
    code: 'validation_error',
    message: expect.stringContaining('names.csv cannot be read: file not found'),
  });
  expect(await names(control)).toEqual(['zebra.com']);
});

test('a configuration that is not UTF-8 is rejected, and says so', () => {
  const file = path.join(stateFolder(), 'utf16.json');
  fs.writeFileSync(file, '\ufeff{ "seed": "a" }', 'utf16le');
  expect(() => readConfig(file)).toThrow(/utf16\.json: cannot be read: .* utf-8$/);
});

test('a configuration in a folder that may not be searched is rejected', () => {
  vi.spyOn(fs, 'lstatSync').mockImplementationOnce(() => {
    throw Object.assign(new Error(), { code: 'EACCES' });
  });
  expect(() => readConfig(undefined)).toThrow('json: cannot be read: permission denied');
});

test('a file of unknown format is rejected with its line', () => {
  const text = '{\n "inventory_files": [\n  { "file": "names.txt" }\n ]\n}';
  expect(() => parseConfig(text, 'x.json')).toThrow(
    /^x\.json:3: inventory_files\.0\.file: has no known extension/,
  );
});

test.each([
  ['[]', 'x.json:1: must be an object'],
  ['{ "webhooks": {} }', 'x.json:1: webhooks: must be a list'],
  ['{ "credentials": [1] }', 'x.json:1: credentials.0: must be an object'],
  ['{ "faults": [],\n "seed": "a",\n "faults": [] }', 'x.json:3: faults: given twice'],
])('what cannot be a setting is named in plain words: %s', (text, message) => {
  expect(() => parseConfig(text, 'x.json')).toThrow(message);
});
