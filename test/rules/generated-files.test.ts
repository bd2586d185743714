import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { endpointTable } from '../../scripts/docs/endpoint-table.ts';
import { configJsonSchema } from '../../src/config/schema.ts';
import type { OpenApiDocument } from '../../src/control/openapi-document.ts';
import { sandbox } from '../support/sandbox.ts';
import { ROOT } from '../support/sandlot-process.ts';

const read = (file: string) => fs.readFileSync(path.join(ROOT, file), 'utf8');

test('the published JSON Schema is that of the configuration that is checked (npm run docs)', () => {
  expect(JSON.parse(read('fixtures/config.schema.json'))).toEqual(configJsonSchema());
});

test('src/cli/endpoints.json is current (npm run docs)', async () => {
  const { control } = await sandbox();
  const document = await control.get<OpenApiDocument>('/openapi.json', { api: 'control' });
  expect(read('src/cli/endpoints.json')).toBe(endpointTable(document));
});
