/**
 * Kinds and marks of columns. A mark says what a repro file contains of a column, or which values sandlot writes to it:
 * a world from elsewhere with another value is rejected (`verify-copy.ts`).
 */
import type { Column, ColumnBuilderBase } from 'drizzle-orm';
import { integer, text } from 'drizzle-orm/sqlite-core';
import { ENVIRONMENTS } from './enums.ts';

/**
 * What a repro file contains of a column: `keep` is written (texts with the same replacements as everywhere), `secret`
 * is masked, `personal` is replaced as a whole, `rebuilt` is left out because the world makes it again.
 */
export type ColumnPolicy = 'keep' | 'secret' | 'personal' | 'rebuilt';

/** Returns an SQL condition that holds for values which sandlot never writes. It does not hold for NULL. */
export type Rule = (column: string) => string;

interface Marks {
  policy?: ColumnPolicy;
  rule?: Rule;
  /** Whether amounts are added up, so that their sum must be exact. */
  isSummed?: boolean;
  /** Whether it holds the sandbox time at which its row was written. */
  isWriteTime?: boolean;
}

/** Builders and columns share a `config`, which is hidden from types. */
interface Marked {
  config: { marks?: Marks };
}

function mark<Marking extends ColumnBuilderBase | Column>(column: Marking, marks: Marks): Marking {
  const { config } = column as unknown as Marked;
  config.marks = { ...config.marks, ...marks };
  return column;
}

const marksOf = (column: Column): Marks => (column as unknown as Marked).config.marks ?? {};

export function columnPolicy(column: Column): ColumnPolicy {
  return marksOf(column).policy ?? 'keep';
}

export function isSummed(column: Column): boolean {
  return marksOf(column).isSummed === true;
}

export function isWriteTime(column: Column): boolean {
  return marksOf(column).isWriteTime === true;
}

/** The rule of a column: its own, or one that follows from its type. */
export function ruleOf(column: Column): Rule | undefined {
  const { dataType, enumValues } = column;
  const { rule } = marksOf(column);
  if (rule) return rule;
  if (enumValues) return oneOf(enumValues);
  if (dataType === 'boolean') return between(0, 1);
  if (dataType === 'json') return json('object');
  return dataType === 'number' ? between(0, MAX_COUNT) : undefined;
}

/** Marks a secret. */
export const secret = <Builder extends ColumnBuilderBase>(column: Builder) =>
  mark(column, { policy: 'secret', rule: visible(255) });

/** Marks data about a person or a machine. */
export const personal = <Builder extends ColumnBuilderBase>(column: Builder) =>
  mark(column, { policy: 'personal' });

/** Marks data that is rebuilt from other rows or from the seed. */
export const rebuilt = <Builder extends ColumnBuilderBase>(column: Builder) =>
  mark(column, { policy: 'rebuilt' });

/** Marks amounts that are added up. */
export const summed = <Builder extends ColumnBuilderBase>(column: Builder) =>
  mark(column, { isSummed: true });

/** Says which values sandlot writes, where it does not follow from the type of the column. */
export const checked = <Builder extends ColumnBuilderBase>(column: Builder, rule: Rule) =>
  mark(column, { rule });

/**
 * Midnight of January 1 in the years 1 and 2300, Unix ms: earlier times have another format, and later ones would make
 * too many monthly periods.
 */
const EARLIEST = -62_135_596_800_000;
const LATEST = 10_413_792_000_000;
const MAX_CENTS = 10 ** 15;
/** Ids have seven digits in base 32. */
const MAX_COUNT = 32 ** 7 - 1;

export const between =
  (min: number, max: number): Rule =>
  (column) =>
    `${column} NOT BETWEEN ${min} AND ${max}`;

export const oneOf =
  (values: readonly string[]): Rule =>
  (column) =>
    `${column} NOT IN ('${values.join("', '")}')`;

export const isTime = between(EARLIEST, LATEST);

/** Visible ASCII without spaces. */
const visible =
  (max: number): Rule =>
  (column) =>
    `${column} GLOB '*[^!-~]*' OR length(${column}) NOT BETWEEN 1 AND ${max}`;

/** JSON whose value at a path has a type, and satisfies a rule. */
export const json =
  (type: string, rule?: Rule, path = '$'): Rule =>
  (column) => {
    const parts = [`json_type(${column}, '${path}') IS NOT '${type}'`];
    if (rule) parts.push(rule(`json_extract(${column}, '${path}')`));
    return `iif(json_valid(${column}), ${parts.join(' OR ')}, ${column} IS NOT NULL)`;
  };

/** A JSON array whose items have a type, and satisfy a rule. */
export const listOf = (type: string, rule?: Rule): Rule => {
  const odd = (item: string) => [`type <> '${type}'`, ...(rule ? [rule(item)] : [])].join(' OR ');
  return allOf(
    json('array'),
    (column) =>
      `EXISTS (SELECT 1 FROM json_each(iif(json_valid(${column}), ${column}, '[]')) WHERE ${odd('value')})`,
  );
};

/** Values that satisfy all `rules`. */
export const allOf =
  (...rules: Rule[]): Rule =>
  (column) =>
    rules.map((rule) => `(${rule(column)})`).join(' OR ');

/** Values that satisfy one of the `rules`. */
export const anyOf =
  (...rules: Rule[]): Rule =>
  (column) =>
    rules.map((rule) => `(${rule(column)})`).join(' AND ');

/** The owner of a row. */
export const ownerColumns = () => ({
  partnerId: text('partner_id').notNull(),
  environment: text('environment', { enum: ENVIRONMENTS }).notNull(),
});

/** A number that identifies a row and increases. */
export const rowId = (name: string) =>
  checked(integer(name), between(0, Number.MAX_SAFE_INTEGER)).primaryKey();

/** A time, Unix ms. */
export const time = (name: string) => checked(integer(name), isTime);

/** The sandbox time at which a row was written, Unix ms. If the key is one column, later rows have higher keys. */
export const writeTime = (name: string) => mark(time(name), { isWriteTime: true });

/** Cents that nothing adds up. */
export const price = (name: string) => checked(integer(name), between(0, MAX_CENTS));

/** Cents that reports add up. */
export const amount = (name: string) => summed(price(name));

/** Cents that may be negative. */
export const signedAmount = (name: string) =>
  checked(integer(name), between(-MAX_CENTS, MAX_CENTS));

export const currency = () =>
  checked(text('currency'), (column) => `${column} NOT GLOB '[A-Z][A-Z][A-Z]'`);

export const domain = () =>
  checked(
    text('domain'),
    (column) => `${column} GLOB '*[^a-z0-9.-]*' OR length(${column}) NOT BETWEEN 1 AND 253`,
  );

export const webUrl = (name: string) =>
  checked(text(name), (column) => `NOT is_web_url(${column})`);

/** The SQL function `is_web_url`. */
export function isWebUrl(text: unknown): number {
  if (text === null) return 1;
  if (typeof text !== 'string' || !URL.canParse(text)) return 0;
  return /^https?:$/.test(new URL(text).protocol) ? 1 : 0;
}
