import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { configJsonSchema } from '../../src/config/schema.ts';
import { ROOT } from '../support/sandlot-process.ts';

test('the published JSON Schema is that of the configuration that is checked (npm run docs)', () => {
  const published = fs.readFileSync(path.join(ROOT, 'fixtures/config.schema.json'), 'utf8');
  expect(JSON.parse(published)).toEqual(configJsonSchema());
});
