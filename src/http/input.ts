import { isUtf8 } from 'node:buffer';
import type { z } from 'zod';
import { validationError } from '../kernel/errors.ts';

/** @throws validation_error that names the first field at fault */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
): z.output<Schema> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.join('.') || 'body';
  throw validationError(`${field}: ${issue?.message ?? 'not valid'}`);
}

/**
 * What a schema makes of the pairs of a query; names that it does not know are left out.
 * @throws validation_error, also for a known name given twice: which of the two would count?
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
 * The JSON object of a body.
 * @throws validation_error when it is not sent as JSON, not UTF-8, not JSON, or no object
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

/** Only where it went wrong: the engine's message also quotes the body. */
function positionOf(message: string): string {
  return /position \d+/.exec(message)?.[0] ?? 'it ends too early or holds a stray character';
}
