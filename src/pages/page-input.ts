import type { Context } from 'hono';
import type { LogEntryBuilder } from '../requests/entry-builder.ts';

/** Key of the context under which pages find their log entry. */
export const PAGE_INPUT = 'page-input';

/** Returns what the transactions of a page view belong to. */
export function inputOf(c: Context): LogEntryBuilder {
  return c.get(PAGE_INPUT) as LogEntryBuilder;
}
