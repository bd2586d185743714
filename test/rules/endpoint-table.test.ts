import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { endpointTable } from '../../scripts/docs/endpoint-table.ts';
import type { OpenApiDocument } from '../../src/control/endpoint.ts';
import { sandbox } from '../support/sandbox.ts';
import { ROOT } from '../support/sandlot-process.ts';

test('src/cli/endpoints.json is current (npm run docs)', async () => {
  const { control } = await sandbox();
  const document = await control.get<OpenApiDocument>('/openapi.json', { api: 'control' });
  const file = path.join(ROOT, 'src/cli/endpoints.json');
  expect(fs.readFileSync(file, 'utf8')).toBe(endpointTable(document));
});
