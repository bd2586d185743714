import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { BASE_URL, doors } from '../support/openapi/documents.ts';
import { emptyDirectory, ROOT } from '../support/sandlot-process.ts';

/** Redocly's command line, which asks nobody and tells nobody anything. */
const REDOCLY = path.join(
  path.dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')),
  'bin/cli.js',
);

async function lint(file: string): Promise<{ totals: object; problems: { message: string }[] }> {
  const config = path.join(ROOT, 'redocly.yaml');
  const args = [REDOCLY, 'lint', '--config', config, '--format', 'json', file];
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const run = promisify(execFile)(process.execPath, args, { env, maxBuffer: 16_000_000 });
  const { stdout } = await run.catch((failed: { stdout: string }) => failed);
  return JSON.parse(stdout);
}

test.each(['partner', 'control'])(
  'Redocly finds nothing to say of the %s document',
  async (door) => {
    const document = doors()[door === 'partner' ? 0 : 1]?.document;
    const file = path.join(emptyDirectory(), 'openapi.json');
    fs.writeFileSync(file, JSON.stringify(document));
    const { totals, problems } = await lint(file);
    expect(problems.map(({ message }) => message)).toEqual([]);
    expect(totals).toMatchObject({ errors: 0, warnings: 0 });
  },
);

test('Redocly would say so if an example did not fit its schema', async () => {
  const [partner] = doors();
  const text = JSON.stringify(partner?.document).replaceAll('"order_count":1', '"order_count":"1"');
  expect(text).toContain(BASE_URL);
  const file = path.join(emptyDirectory(), 'openapi.json');
  fs.writeFileSync(file, text);
  expect((await lint(file)).problems).not.toEqual([]);
});
