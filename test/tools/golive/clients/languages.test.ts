import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ITEMS } from '../../../../src/tools/golive/items.ts';
import { commandLine } from '../../../cli/command-line.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

const FOLDER = import.meta.dirname;
const REPORTS = makeTemporaryFolder('golive-');
afterAll(() => fs.rmSync(REPORTS, { recursive: true }));
const GATE = path.join(REPORTS, 'gate.json');
const MUST = ITEMS.filter(({ level }) => level === 'must').map(({ id }) => id);
fs.writeFileSync(GATE, JSON.stringify({ require: MUST }));
const STRIP_TYPES = process.features.typescript ? [] : ['--experimental-strip-types'];

interface Language {
  name: string;
  /** Prints a version if the language is installed. */
  version: [string, ...string[]];
  run: [string, ...string[]];
}

const LANGUAGES: Language[] = [
  {
    name: 'Node',
    version: [process.execPath, '--version'],
    run: [process.execPath, ...STRIP_TYPES, path.join(FOLDER, 'node/main.ts')],
  },
  {
    name: 'Python',
    version: ['python3', '--version'],
    run: ['python3', '-B', path.join(FOLDER, 'python/integration.py')],
  },
];

/** Runs an integration under `sandlot exec`, which has a gate of every `must` item. */
async function run({ run: command, name }: Language): Promise<string> {
  const page = path.join(REPORTS, `${name}.html`);
  const options = ['--port', '0', '--inventory', '300', '--golive', page, '--gate', GATE];
  const { code, stderr } = await commandLine()(['exec', ...options, '--', ...command]);
  expect(code, stderr).toBe(0);
  return stderr;
}

describe.concurrent('the reference integration in', () => {
  for (const language of LANGUAGES) {
    const [file, ...args] = language.version;
    const isMissing = spawnSync(file, args, { stdio: 'ignore' }).status !== 0;
    if (isMissing) process.stderr.write(`skipped: ${language.name} is not installed\n`);
    test.skipIf(isMissing)(`${language.name} meets every must item over sockets`, async () => {
      const output = await run(language);
      expect(output).toContain('✓ Go-live check passed: 70 of 70 required items met');
      expect(output).not.toContain('contradicted');
    });
  }
});
