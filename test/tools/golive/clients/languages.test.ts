import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';

import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Report } from '../../../../src/tools/golive/report.ts';
import { BIN } from '../../../support/sandlot-process.ts';
import { makeTemporaryFolder } from '../../../support/temporary-folder.ts';

const FOLDER = import.meta.dirname;
const REPORTS = makeTemporaryFolder('golive-');
afterAll(() => fs.rmSync(REPORTS, { recursive: true }));
const STRIP_TYPES = process.features.typescript ? [] : ['--experimental-strip-types'];

interface Language {
  name: string;
  /** Prints a version if the language is installed. */
  version: [string, ...string[]];
  run: [string, ...string[]];
  folder: string;
}

const LANGUAGES: Language[] = [
  {
    name: 'Node',
    version: [process.execPath, '--version'],
    run: [process.execPath, ...STRIP_TYPES, 'main.ts'],
    folder: 'node',
  },
  {
    name: 'Python',
    version: ['python3', '--version'],
    run: ['python3', '-B', 'integration.py'],
    folder: 'python',
  },
  { name: 'Go', version: ['go', 'version'], run: ['go', 'run', '.'], folder: 'go' },
  { name: 'PHP', version: ['php', '--version'], run: ['php', 'integration.php'], folder: 'php' },
];

function isInstalled({ name, version: [file, ...args] }: Language): boolean {
  if (spawnSync(file, args, { stdio: 'ignore' }).status === 0) return true;
  process.stderr.write(`skipped: ${name} is not installed\n`);
  return false;
}

/** Runs an integration under `sandlot exec`. */
async function reportOf({
  run,
  folder,
  name,
}: Language): Promise<{ output: string; report: Report }> {
  const file = path.join(REPORTS, `${name}.json`);
  const args = [BIN, 'exec', '--quiet', '--inventory', '300', '--golive-json', file, '--', ...run];
  const child = spawn(process.execPath, args, { cwd: path.join(FOLDER, folder) });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text: Buffer) => {
      output += text;
    });
  }
  const code = await new Promise((resolve) => child.once('close', resolve));
  expect(code, output).toBe(0);
  return { output, report: JSON.parse(fs.readFileSync(file, 'utf8')) as Report };
}

describe.concurrent('the reference integration in', () => {
  for (const language of LANGUAGES) {
    const isThere = language.name === 'Node' || isInstalled(language);
    test.skipIf(!isThere)(`${language.name} meets every must item over sockets`, async () => {
      const { output, report } = await reportOf(language);
      const items = report.items.filter(({ level }) => level === 'must');
      expect(items).toHaveLength(70);
      const open = items.filter(({ status }) => status !== 'met').map(({ id }) => id);
      expect(open, output).toEqual([]);
      expect(report.totals.contradicted).toBe(0);
      for (const { id, evidence } of items) expect(evidence, id).not.toEqual([]);
      expect(report.gate).toMatchObject({ passed: true, failed: [] });
    });
  }
});
