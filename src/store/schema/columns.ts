/** Marks of columns: what a repro file contains of one, and which hold the time of writing. */
import type { Column, ColumnBuilderBase } from 'drizzle-orm';
import { integer, text } from 'drizzle-orm/sqlite-core';
import { ENVIRONMENTS } from './enums.ts';

/**
 * What a repro file contains of a column: `keep` is written (texts with the same replacements as everywhere), `secret`
 * is masked, `personal` is replaced as a whole, `rebuilt` is left out because the world makes it again.
 */
export type ColumnPolicy = 'keep' | 'secret' | 'personal' | 'rebuilt';

interface Marks {
  policy?: ColumnPolicy;
  /** Whether it holds the sandbox time at which its row was written. */
  isWriteTime?: boolean;
}

/** Builders and columns share a `config`, which is hidden from types. */
interface Marked {
  config: { marks?: Marks };
}

function mark<Marking extends ColumnBuilderBase>(column: Marking, marks: Marks): Marking {
  const { config } = column as unknown as Marked;
  config.marks = { ...config.marks, ...marks };
  return column;
}

const marksOf = (column: Column): Marks => (column as unknown as Marked).config.marks ?? {};

export function columnPolicy(column: Column): ColumnPolicy {
  return marksOf(column).policy ?? 'keep';
}

export function isWriteTime(column: Column): boolean {
  return marksOf(column).isWriteTime === true;
}

/** Marks a secret. */
export const secret = <Builder extends ColumnBuilderBase>(column: Builder) =>
  mark(column, { policy: 'secret' });

/** Marks data about a person or a machine. */
export const personal = <Builder extends ColumnBuilderBase>(column: Builder) =>
  mark(column, { policy: 'personal' });

/** Marks data that is rebuilt from other rows or from the seed. */
export const rebuilt = <Builder extends ColumnBuilderBase>(column: Builder) =>
  mark(column, { policy: 'rebuilt' });

/** The sandbox time at which a row was written, Unix ms. If the key is one column, later rows have higher keys. */
export const writeTime = (name: string) => mark(integer(name), { isWriteTime: true });

/** The owner of a row. */
export const ownerColumns = () => ({
  partnerId: text('partner_id').notNull(),
  environment: text('environment', { enum: ENVIRONMENTS }).notNull(),
});
