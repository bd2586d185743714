import { z } from 'zod';
import { lazily } from './lazily.ts';
import { schemaMetadata } from './resource.ts';

export const NOTES = schemaMetadata;

/**
 * A record as answers hold it, made when the documents or the tests first ask for it: no start and no request
 * waits for that.
 * @param says what it is, and which of its members the specification names
 */
export function record<Shape extends z.core.$ZodLooseShape>(
  id: string,
  { says, specified = [] }: { says: string; specified?: readonly string[] },
  shape: () => Shape,
): () => z.ZodObject<Shape> {
  return lazily(() => z.object(shape()).register(NOTES, { id, description: says, specified }));
}

/** One page of a list, with the cursor of the next. @param name of the array in the answer */
export function page<Row extends z.ZodObject>(id: string, name: string, row: () => Row) {
  return record(id, { says: 'One page of a list, newest first.' }, () => ({
    [name]: z.array(row()),
    next_cursor: nextCursor(),
  }));
}

/** Cursor of the next page. */
export function nextCursor() {
  return z
    .string()
    .nullable()
    .register(NOTES, { description: 'Cursor of the next page; null on the last.' });
}

/** A moment of sandbox time. */
export function time() {
  return z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
    .register(NOTES, { format: 'date-time' });
}

/** Whole cents, not negative. */
export function amount() {
  return count().register(NOTES, { description: 'Whole cents.' });
}

/** A number of things. */
export function count() {
  return z.int().min(0);
}

export function currency() {
  return z
    .string()
    .regex(/^[A-Z]{3}$/)
    .register(NOTES, { description: 'Three-letter currency code.' });
}

/** An opaque id that begins with its kind: `ord_`. */
export function idOf(prefix: string) {
  return z.string().regex(new RegExp(`^${prefix}_`));
}

/** An absolute address. */
export function address() {
  return z.string().register(NOTES, { format: 'uri' });
}
