import { expect, onTestFinished, test } from 'vitest';
import { schemaHash } from '../../src/store/check-world.ts';
import { SCHEMA_HASH } from '../../src/store/create-tables.ts';
import { closeStore, openMemoryStore } from '../../src/store/open.ts';

test('a schema that has changed has another hash, and with it a new version', () => {
  const store = openMemoryStore();
  onTestFinished(() => closeStore(store));
  expect(schemaHash(store.client)).toBe(SCHEMA_HASH);
});
