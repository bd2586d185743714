import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { blocksOf } from '../../support/documents.ts';
import { ROOT } from '../../support/sandlot-process.ts';
import { sampleOutput } from './sample.ts';

test('the output in docs/golive.md is that of the report', () => {
  const [shown] = blocksOf(fs.readFileSync(path.join(ROOT, 'docs/golive.md'), 'utf8'), 'text');
  expect(shown).toBe(`● sandlot: 214 requests, 0 rejected\n${sampleOutput()}\n`);
});
