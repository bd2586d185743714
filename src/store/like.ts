import { type SQL, sql } from 'drizzle-orm';

/** A condition: the text contains a match of a LIKE pattern, ignoring ASCII case. Pass the text of a user through `literally`. */
export function contains(value: unknown, pattern: string): SQL {
  return sql`${value} LIKE ${`%${pattern}%`} ESCAPE '\\'`;
}

/** Returns a pattern of LIKE that matches just this text. */
export function literally(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
