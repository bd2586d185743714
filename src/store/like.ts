import { type SQL, sql } from 'drizzle-orm';

/** A condition on a part of a text, ignoring case. @param pattern of LIKE, with `\\` before what is meant literally */
export function contains(value: unknown, pattern: string): SQL {
  return sql`${value} LIKE ${`%${pattern}%`} ESCAPE '\\'`;
}

export function literally(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&');
}
