import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { gateJsonSchema } from '../../../scripts/docs/tools/golive.ts';
import { ROOT } from '../../support/sandlot-process.ts';

test('fixtures/golive.schema.json is the schema that checks a gate file (npm run docs)', () => {
  const file = path.join(ROOT, 'fixtures/golive.schema.json');
  expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toEqual(gateJsonSchema());
});
