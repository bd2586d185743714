import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { gateJsonSchema, type ItemList, itemList } from '../../../scripts/docs/tools/golive.ts';
import { ITEMS } from '../../../src/tools/golive/items.ts';
import { ROOT } from '../../support/sandlot-process.ts';

const read = (file: string) => fs.readFileSync(path.join(ROOT, file), 'utf8');
const published = JSON.parse(read('fixtures/golive-items.json')) as ItemList;

test('fixtures/golive-items.json lists the items of this version (npm run docs)', () => {
  expect(published).toEqual(itemList(published));
  expect(published.items).toHaveLength(ITEMS.length);
});

test('an item that disappears stays listed as removed, and CHANGELOG.md names each of these', () => {
  const before = {
    ...published,
    items: [...published.items, { ...published.items[0], id: 'a.b' }],
  };
  expect(itemList(before as ItemList).removed).toEqual([...published.removed, 'a.b']);
  expect(itemList({ ...published, removed: ['a.b'] }).removed).toEqual(['a.b']);
  const changelog = read('CHANGELOG.md');
  for (const id of published.removed) expect(changelog, id).toContain(`\`${id}\``);
});

test('fixtures/golive.schema.json is the schema that checks a gate file (npm run docs)', () => {
  expect(JSON.parse(read('fixtures/golive.schema.json'))).toEqual(gateJsonSchema());
});
