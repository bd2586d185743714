import type { Column } from 'drizzle-orm';
import { integer } from 'drizzle-orm/sqlite-core';

/** Builders and columns share a `config`, which is hidden from types. */
interface Marked {
  config: { isWriteTime?: true };
}

/** The sandbox time at which a row was written, Unix ms. If the key is one column, later rows have higher keys. */
export function writeTime(name: string) {
  const column = integer(name);
  (column as unknown as Marked).config.isWriteTime = true;
  return column;
}

export function isWriteTime(column: Column): boolean {
  return (column as unknown as Marked).config.isWriteTime === true;
}
