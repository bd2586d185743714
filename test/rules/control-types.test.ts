import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { controlTypes } from '../../scripts/docs/control-types.ts';
import { endpointTable } from '../../scripts/docs/endpoint-table.ts';
import type { OpenApiDocument } from '../../src/control/endpoint.ts';
import { sandbox } from '../support/sandbox.ts';
import { ROOT } from '../support/sandlot-process.ts';

test.each([
  ['client/control-endpoints.ts', controlTypes],
  ['cli/endpoints.json', endpointTable],
])('src/%s is current (npm run docs)', async (file, generate) => {
  const { control } = await sandbox();
  const document = await control.get<OpenApiDocument>('/openapi.json', { api: 'control' });
  expect(fs.readFileSync(path.join(ROOT, 'src', file), 'utf8')).toBe(generate(document));
});
