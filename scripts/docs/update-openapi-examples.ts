import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { makeExamples } from './openapi-examples/make.ts';

/** Generates the examples of the OpenAPI documents. Needs a build: Node.js cannot run the source of the pages. */
const { createSandbox } = createRequire(import.meta.url)(
  '../../dist/index.cjs',
) as typeof import('../../src/index.ts');
const file = path.join(import.meta.dirname, '../../fixtures/openapi-examples.json');
fs.writeFileSync(file, `${JSON.stringify(await makeExamples(createSandbox), null, 1)}\n`);
