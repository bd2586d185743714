import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { redocly } from '../support/openapi/redocly.ts';
import { sandbox } from '../support/sandbox.ts';
import { emptyDirectory, ROOT } from '../support/sandlot-process.ts';

const run = promisify(execFile);

test('clients that Redocly generates from the documents are sound TypeScript and complete a sale', async () => {
  const at = await sandbox({ port: 0 });
  const folder = emptyDirectory();
  const inFolder = (name: string) => path.join(folder, name);
  for (const api of ['partner', 'control']) {
    const document = await at.control.get('/openapi.json', { api });
    fs.writeFileSync(inFolder(`${api}.json`), JSON.stringify(document));
    const into = ['--output', inFolder(`${api}.ts`), '--import-ext', 'ts'];
    await redocly('generate-client', inFolder(`${api}.json`), ...into);
  }
  const program = path.join(import.meta.dirname, 'generated-client/sale.ts');
  fs.copyFileSync(program, inFolder('sale.ts'));
  fs.writeFileSync(inFolder('package.json'), '{ "type": "module" }');

  await typeCheck(inFolder('sale.ts'));
  const { stdout } = await run(process.execPath, [inFolder('sale.ts')], {
    env: {
      ...process.env,
      SANDLOT_URL: at.url,
      SANDLOT_KEY_ID: at.credential.key_id,
      SANDLOT_SECRET: at.credential.secret,
    },
  });

  expect(JSON.parse(stdout)).toEqual({
    price_kept: true,
    advanced: 'TRANSFER_COMPLETED',
    settled: 1,
    transfer: 'completed',
    timeline: ['EXTERNALLY_PAID', 'TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED', 'SETTLED'],
    events: [
      'order.recorded EXTERNALLY_PAID',
      'order.transfer_started TRANSFER_IN_PROGRESS',
      'order.transfer_completed TRANSFER_COMPLETED',
      'order.settled SETTLED',
    ],
    rejected: [409, { error: { code: 'conflict', message: expect.stringContaining('SETTLED') } }],
  });
});

/** @throws Error with what the compiler complains of */
async function typeCheck(file: string): Promise<void> {
  const modules = path.join(ROOT, 'node_modules');
  const options =
    '--ignoreConfig --noEmit --strict --skipLibCheck --allowImportingTsExtensions --lib ES2024,DOM';
  const resolution = '--module NodeNext --target ES2024 --types node';
  const args = [...`${options} ${resolution}`.split(' '), '--typeRoots', `${modules}/@types`, file];
  await run(process.execPath, [path.join(modules, 'typescript/bin/tsc'), ...args]).catch(
    (failed: { stdout: string }) => {
      throw new Error(failed.stdout);
    },
  );
}
