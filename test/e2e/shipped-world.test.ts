import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { DEFAULT_INVENTORY, DEFAULT_SEED } from '../../src/market/defaults.ts';
import { shippedTemplate, shippedTemplateName } from '../../src/world/templates.ts';

const NAME = shippedTemplateName(DEFAULT_SEED, DEFAULT_INVENTORY);
const BUILT = path.resolve('dist');

test('the world that a build keeps is taken as it is', () => {
  const shipped = shippedTemplate(DEFAULT_SEED, DEFAULT_INVENTORY, BUILT);
  expect(shipped?.equals(fs.readFileSync(path.join(BUILT, NAME)))).toBe(true);
});

test('there is none for another seed or size', () => {
  expect(shippedTemplate('other', DEFAULT_INVENTORY, BUILT)).toBeUndefined();
  expect(shippedTemplate(DEFAULT_SEED, DEFAULT_INVENTORY + 1, BUILT)).toBeUndefined();
  expect(shippedTemplate(`/../world-${DEFAULT_SEED}`, DEFAULT_INVENTORY, BUILT)).toBeUndefined();
});
