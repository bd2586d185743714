import { isUtf8 } from 'node:buffer';
import type { z } from 'zod';
import { validationError } from '../kernel/errors.ts';
import { WRONG_TYPE } from '../kernel/wrong-type.ts';

/** Parses input with a schema. @throws validation_error for the first invalid field */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): z.output<Schema> {
  const result = schema.safeParse(input, WRONG_TYPE);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.join('.') || 'body';
  throw validationError(`${field}: ${issue?.message ?? 'not valid'}`);
}

/**
 * Parses the pairs of a query with a schema, without those that the schema does not have.
 * @throws validation_error, also for a name that is given twice
 */
export function parseQueryInput<Schema extends z.ZodObject>(
  schema: Schema,
  pairs: readonly [name: string, value: string][],
): z.output<Schema> {
  const found: Record<string, string> = {};
  for (const [name, value] of pairs) {
    if (!Object.hasOwn(schema.shape, name)) continue;
    if (Object.hasOwn(found, name)) throw validationError(`${name}: given more than once`);
    found[name] = value;
  }
  return parseInput(schema, found);
}

/**
 * Parses a body that must be a JSON object.
 * @throws validation_error if the content type is not JSON or the body is not a JSON object in UTF-8
 */
export function jsonObject(
  body: Uint8Array,
  contentType: string | undefined,
): Record<string, unknown> {
  if (!/^application\/json\s*(?:;|$)/i.test(contentType?.trim() ?? '')) {
    throw validationError('body: send it with Content-Type: application/json');
  }
  const value = parseJson(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw validationError('body: must be a JSON object');
  }
  return value as Record<string, unknown>;
}

function parseJson(body: Uint8Array): unknown {
  if (!isUtf8(body)) throw validationError('body: not valid UTF-8');
  try {
    return JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString());
  } catch (error) {
    const detail = error instanceof SyntaxError ? ` (${positionOf(error.message)})` : '';
    throw validationError(`body: not valid JSON${detail}`);
  }
}

/** Returns only the position: the message of the engine also quotes the body. */
function positionOf(message: string): string {
  return (
    /position \d+/.exec(message)?.[0] ?? 'it ends too early or contains an unexpected character'
  );
}
