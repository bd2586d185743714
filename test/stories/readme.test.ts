import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { BIN, emptyDirectory, ROOT, sandlot } from '../support/sandlot-process.ts';

const DEFAULT_PORT = 4010;

test('the sale in the README runs line by line as printed', async () => {
  expect(
    await isFree(DEFAULT_PORT),
    `port ${DEFAULT_PORT}, which the README names, is in use`,
  ).toBe(true);
  const cwd = directoryWithSandlot();
  const env = withoutSandlotVariables();
  onTestFinished(() => void sandlot(cwd, ['stop'], env));

  fs.writeFileSync(path.join(cwd, 'sale.sh'), shellBlockBelow('## Sell a domain'));
  const { status, stdout, stderr } = spawnSync('sh', ['-eu', 'sale.sh'], {
    cwd,
    env,
    encoding: 'utf8',
  });

  expect(status, stderr).toBe(0);
  expect(stdout).not.toContain('"error"');
  expect(stdout).toContain('"status":"TRANSFER_COMPLETED"');
  expect(stdout).toContain('"type":"order.transfer_completed"');
});

/** The first block of shell commands below a heading. */
function shellBlockBelow(heading: string): string {
  const readme = fs.readFileSync(path.join(ROOT, 'README.md'), 'utf8');
  const block = /```sh\n([\s\S]*?)```/.exec(readme.slice(readme.indexOf(heading)))?.[1];
  if (block === undefined) throw new Error(`the README has no commands below ${heading}`);
  return block;
}

/** As after `npm install sandlot`: npx finds the command there. */
function directoryWithSandlot(): string {
  const cwd = emptyDirectory();
  const bin = path.join(cwd, 'node_modules/.bin');
  fs.mkdirSync(bin, { recursive: true });
  fs.symlinkSync(BIN, path.join(bin, 'sandlot'));
  fs.writeFileSync(path.join(cwd, 'package.json'), '{ "private": true }');
  return cwd;
}

function withoutSandlotVariables(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('SANDLOT_')),
  );
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
