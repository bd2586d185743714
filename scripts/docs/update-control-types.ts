import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { controlTypes } from './control-types.ts';

/** Generates the types of the control API. Needs a build: Node.js cannot run the source of the pages. */
const { createSandbox } = createRequire(import.meta.url)(
  '../../dist/index.cjs',
) as typeof import('../../src/index.ts');
const sandbox = await createSandbox({ port: false, inventory: 0 });
const document = await sandbox.control.get('/openapi.json', { api: 'control' });
await sandbox.close();
const file = path.join(import.meta.dirname, '../../src/client/control-endpoints.ts');
fs.writeFileSync(file, controlTypes(document as never));
