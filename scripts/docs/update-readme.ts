import fs from 'node:fs';
import path from 'node:path';
import { withSections } from './readme-sections.ts';

/** Writes the README's generated parts anew. */
const readme = path.join(import.meta.dirname, '../../README.md');
fs.writeFileSync(readme, withSections(fs.readFileSync(readme, 'utf8')));
