import fs from 'node:fs';
import path from 'node:path';
import { is } from 'drizzle-orm';
import { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { expect, test } from 'vitest';
import { TABLES } from '../../src/store/schema/tables.ts';

test('every table that a module of the schema declares is listed', async () => {
  const folder = path.join(import.meta.dirname, '../../src/store/schema');
  const found: SQLiteTable[] = [];
  for (const file of fs.readdirSync(folder)) {
    const module: Record<string, unknown> = await import(path.join(folder, file));
    found.push(...Object.values(module).filter((each) => is(each, SQLiteTable)));
  }
  expect(new Set(found)).toEqual(new Set(TABLES));
  expect(found.length).toBeGreaterThan(10);
});
