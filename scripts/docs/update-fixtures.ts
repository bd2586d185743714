import fs from 'node:fs';
import path from 'node:path';
import { configJsonSchema } from '../../src/config/schema.ts';
import { toolSettings } from '../../src/sandbox/tool.ts';
import { TOOLS } from '../../src/tools/index.ts';

// The JSON Schema of the configuration file, from the schema that checks it.
fs.writeFileSync(
  path.join(import.meta.dirname, '../../fixtures/config.schema.json'),
  `${JSON.stringify(configJsonSchema(toolSettings(TOOLS)), null, 2)}\n`,
);
