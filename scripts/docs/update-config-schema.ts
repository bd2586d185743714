import fs from 'node:fs';
import path from 'node:path';
import { configJsonSchema } from '../../src/config/json-schema.ts';

/** Writes the JSON Schema that editors use, from the one that checks the file. */
const file = path.join(import.meta.dirname, '../../fixtures/config.schema.json');
fs.writeFileSync(file, `${JSON.stringify(configJsonSchema(), null, 2)}\n`);
