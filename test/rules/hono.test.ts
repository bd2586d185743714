import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '../..');

function filesWith(pattern: RegExp): string[] {
  return fs
    .globSync('src/**/*.{ts,tsx}', { cwd: ROOT })
    .filter((file) => pattern.test(fs.readFileSync(path.join(ROOT, file), 'utf8')))
    .sort();
}

test('no request reaches a handler without Hono', () => {
  // `doctor` tries ports.
  expect(filesWith(/\bcreateServer\(/)).toEqual([
    'src/cli/commands/doctor.ts',
    'src/http/serve.ts',
  ]);
  expect(filesWith(/getRequestListener\(/)).toEqual(['src/http/serve.ts']);
  expect(filesWith(/of RECEIVE\)/)).toEqual(['src/http/pipeline/partner-api.ts']);
  const partnerApi = fs.readFileSync(path.join(ROOT, 'src/http/pipeline/partner-api.ts'), 'utf8');
  const handled = partnerApi.match(/(?<=handleRequest\(c, )\w+/g);
  expect(handled).toEqual(['endpoint', 'undefined']);
});
