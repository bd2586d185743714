import fs from 'node:fs';
import path from 'node:path';
import { configJsonSchema } from '../../src/config/schema.ts';
import { toolSettings } from '../../src/sandbox/tool.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { reproJsonSchema } from '../../src/tools/repro/format.ts';

/** Writes the JSON Schemas of files, from the schemas that check them. */
const fixtures = path.join(import.meta.dirname, '../../fixtures');
const schemas = { config: configJsonSchema(toolSettings(TOOLS)), repro: reproJsonSchema() };
for (const [name, schema] of Object.entries(schemas)) {
  fs.writeFileSync(
    path.join(fixtures, `${name}.schema.json`),
    `${JSON.stringify(schema, null, 2)}\n`,
  );
}
