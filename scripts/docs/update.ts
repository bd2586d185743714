import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { configJsonSchema } from '../../src/config/schema.ts';
import { endpointTable } from './endpoint-table.ts';
import { GENERATED, withSections } from './generated-sections.ts';
import { makeExamples } from './openapi-examples/make.ts';

const ROOT = path.join(import.meta.dirname, '../..');

// Of the build: Node.js cannot run the source of the pages.
const { createSandbox } = createRequire(import.meta.url)(
  '../../dist/index.cjs',
) as typeof import('../../src/index.ts');

function write(file: string, text: string): void {
  fs.writeFileSync(path.join(ROOT, file), text);
}

for (const document of Object.keys(GENERATED)) {
  const text = fs.readFileSync(path.join(ROOT, document), 'utf8');
  write(document, withSections(document, text));
}
const schema = configJsonSchema();
write('fixtures/config.schema.json', `${JSON.stringify(schema, null, 2)}\n`);
const examples = await makeExamples(createSandbox);
write('fixtures/openapi-examples.json', `${JSON.stringify(examples, null, 1)}\n`);
const sandbox = await createSandbox({ port: false, inventory: 0 });
const document = await sandbox.control.get('/openapi.json', { api: 'control' });
await sandbox.close();
write('src/cli/endpoints.json', endpointTable(document as never));
