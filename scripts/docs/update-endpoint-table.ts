import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { endpointTable } from './endpoint-table.ts';

/** Generates the endpoints of the control API for the command line. Needs a build: Node.js cannot run the source of the pages. */
const { createSandbox } = createRequire(import.meta.url)(
  '../../dist/index.cjs',
) as typeof import('../../src/index.ts');
const sandbox = await createSandbox({ port: false, inventory: 0 });
const document = await sandbox.control.get('/openapi.json', { api: 'control' });
await sandbox.close();
fs.writeFileSync(
  path.join(import.meta.dirname, '../../src/cli/endpoints.json'),
  endpointTable(document as never),
);
