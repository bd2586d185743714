import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { controlTypes } from '../../scripts/docs/control-types.ts';
import type { OpenApiDocument } from '../../src/control/endpoint.ts';
import { sandbox } from '../support/sandbox.ts';
import { ROOT } from '../support/sandlot-process.ts';

test('the types of the control API are current (npm run docs)', async () => {
  const { control } = await sandbox();
  const document = await control.get<OpenApiDocument>('/openapi.json', { api: 'control' });
  const file = path.join(ROOT, 'src/client/control-endpoints.ts');
  expect(fs.readFileSync(file, 'utf8')).toBe(controlTypes(document));
});
