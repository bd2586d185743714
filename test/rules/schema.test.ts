import fs from 'node:fs';
import path from 'node:path';
import { is } from 'drizzle-orm';
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { expect, test } from 'vitest';
import { isWriteTime } from '../../src/store/schema/columns.ts';
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

test('a table that says when its rows were written counts for the clock after a restart', () => {
  const others = TABLES.map((table) => getTableConfig(table))
    .filter(({ columns }) => columns.some(({ name }) => /^(?:created_)?at$/.test(name)))
    .filter(({ columns }) => !columns.some(isWriteTime))
    .map(({ name }) => name);
  // Those of credentials are real times, and the ledger has a query of its own.
  expect(others).toEqual(['world', 'partners', 'credentials', 'ledger']);
});
