import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { emptyDirectory, ROOT } from '../support/sandlot-process.ts';

const TSC = path.join(ROOT, 'node_modules/typescript/bin/tsc');

const CONSUMER = `
import { createSandbox, type InProcessSandbox } from 'sandlot';
async function use(): Promise<InProcessSandbox> {
  const sandbox = await createSandbox({ seed: 'x', port: false });
  const { key_id }: { key_id: string } = sandbox.credential;
  await sandbox.call({ method: 'GET', target: '/api/partner/v1/orders' }, { key_id, secret: '' });
  // @ts-expect-error There is no such option, so the types are not any.
  await createSandbox({ sed: 'x' });
  return sandbox;
}
void use();
`;

const COMMON_JS = `
import sandlot = require('sandlot');
const made: Promise<sandlot.InProcessSandbox> = sandlot.createSandbox();
void made;
`;

/** Type-checks a project that has the package installed. */
function check(type: 'commonjs' | 'module', module: string, source: string) {
  const cwd = emptyDirectory();
  fs.mkdirSync(path.join(cwd, 'node_modules/sandlot'), { recursive: true });
  for (const name of ['package.json', 'dist']) {
    fs.cpSync(path.join(ROOT, name), path.join(cwd, 'node_modules/sandlot', name), {
      recursive: true,
      filter: (from) => !/\.(?:db|cjs|mjs)$/.test(from) || from.endsWith('index.cjs'),
    });
  }
  fs.writeFileSync(path.join(cwd, 'package.json'), JSON.stringify({ type }));
  fs.writeFileSync(path.join(cwd, 'consumer.ts'), source);
  const compilerOptions = {
    module,
    target: 'es2023',
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    types: ['node'],
    typeRoots: [path.join(ROOT, 'node_modules/@types')],
  };
  fs.writeFileSync(
    path.join(cwd, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['consumer.ts'] }),
  );
  return spawnSync(process.execPath, [TSC, '-p', cwd], { encoding: 'utf8' });
}

test.each([
  ['commonjs', 'node16', CONSUMER],
  ['commonjs', 'node16', COMMON_JS],
  ['commonjs', 'nodenext', CONSUMER],
  ['module', 'node16', CONSUMER],
  ['module', 'nodenext', CONSUMER],
] as const)('TypeScript finds the types in a %s package with module %s', (type, module, source) => {
  const { status, stdout } = check(type, module, source);
  expect(stdout).toBe('');
  expect(status).toBe(0);
});
