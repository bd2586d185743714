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

/** Type-checks projects of both types that have the package installed. */
function check(module: string, sources: Record<'commonjs' | 'module', string[]>) {
  const cwd = emptyDirectory();
  fs.mkdirSync(path.join(cwd, 'node_modules/sandlot'), { recursive: true });
  for (const name of ['package.json', 'dist']) {
    fs.cpSync(path.join(ROOT, name), path.join(cwd, 'node_modules/sandlot', name), {
      recursive: true,
      filter: (from) => !/\.(?:db|cjs|mjs)$/.test(from) || from.endsWith('index.cjs'),
    });
  }
  for (const [type, files] of Object.entries(sources)) {
    fs.mkdirSync(path.join(cwd, type));
    fs.writeFileSync(path.join(cwd, type, 'package.json'), JSON.stringify({ type }));
    for (const [n, source] of files.entries()) {
      fs.writeFileSync(path.join(cwd, type, `consumer-${n}.ts`), source);
    }
  }
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
    JSON.stringify({ compilerOptions, include: ['*/consumer-*.ts'] }),
  );
  return spawnSync(process.execPath, [TSC, '-p', cwd], { encoding: 'utf8' });
}

test.each(['node16', 'nodenext'])(
  'TypeScript finds the types in CommonJS and ES packages with module %s',
  (module) => {
    const { status, stdout } = check(module, {
      commonjs: [CONSUMER, COMMON_JS],
      module: [CONSUMER],
    });
    expect(stdout).toBe('');
    expect(status).toBe(0);
  },
);
