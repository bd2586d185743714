import fs from 'node:fs';
import path from 'node:path';
import { configJsonSchema } from '../../src/config/schema.ts';
import { toolSettings } from '../../src/sandbox/tool.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { TOOL_DOCS } from './tools.ts';

/** Writes what the package publishes as JSON: schemas of files, from those that check them, and lists. */
const fixtures: Readonly<Record<string, () => object>> = {
  'config.schema.json': () => configJsonSchema(toolSettings(TOOLS)),
  ...Object.assign({}, ...TOOL_DOCS.map((docs) => docs.fixtures)),
};
for (const [name, content] of Object.entries(fixtures)) {
  const file = path.join(import.meta.dirname, '../../fixtures', name);
  fs.writeFileSync(file, `${JSON.stringify(content(), null, 2)}\n`);
}
