import fs from 'node:fs';
import path from 'node:path';
import { GENERATED, withSections } from './generated-sections.ts';

/** Writes the generated sections of README and docs. */
for (const document of Object.keys(GENERATED)) {
  const file = path.join(import.meta.dirname, '../..', document);
  fs.writeFileSync(file, withSections(document, fs.readFileSync(file, 'utf8')));
}
