// Uses the package and the executable like a new user. Expects a build.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { checkBinary } from './binary.ts';
import { checkPackage } from './package.ts';

const root = path.resolve(import.meta.dirname, '../..');

for (const check of [checkPackage, checkBinary]) {
  const empty = fs.mkdtempSync(path.join(os.tmpdir(), 'sandlot-smoke-'));
  try {
    console.log(`smoke: ${await check(root, empty)}`);
  } finally {
    fs.rmSync(empty, { recursive: true, force: true });
  }
}
