import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { withSections } from '../../scripts/docs/readme-sections.ts';
import { ROOT } from '../support/sandlot-process.ts';

test('the tables of the README say what the code does (npm run docs writes them anew)', () => {
  const readme = fs.readFileSync(path.join(ROOT, 'README.md'), 'utf8');
  expect(readme).toBe(withSections(readme));
});
