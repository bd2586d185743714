import { z } from 'zod';
import { schemaMetadata } from '../kernel/schema-metadata.ts';

export type Json = Record<string, unknown>;

/** Named schemas that others refer to. */
export type Components = Map<string, Json>;

/** The side of a schema: the input that it accepts, or the output that a response contains. */
type Side = 'input' | 'output';

/**
 * Converts a schema to JSON Schema (draft 2020-12, as in OpenAPI 3.1).
 * @param components receives the named schemas that it refers to
 */
export function jsonSchemaOf(schema: z.ZodType, side: Side, components: Components): Json {
  const {
    $schema: _,
    $defs = {},
    ...converted
  } = z.toJSONSchema(schema, {
    metadata: schemaMetadata,
    io: side,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) =>
      tidy(jsonSchema as Json, side, {
        ...z.globalRegistry.get(zodSchema),
        ...schemaMetadata.get(zodSchema),
      }),
  }) as Json & { $defs?: Record<string, Json> };
  for (const [id, definition] of Object.entries($defs)) {
    components.set(id, referringToComponents(definition));
  }
  return referringToComponents(converted);
}

const MAX_INT32 = 2 ** 31 - 1;

/** @param note metadata that zod leaves out: the default of a value sent as text, and what `describe` says */
function tidy(schema: Json, side: Side, note: { default?: unknown; description?: unknown }): void {
  if (note.default !== undefined) schema.default = note.default;
  if (note.description !== undefined) schema.description = note.description;
  if (schema.type === 'integer' && Number(schema.maximum) > MAX_INT32) schema.format = 'int64';
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  // Some generators make a tuple of a list with at most 20 items.
  delete schema.maxItems;
  // A number in a query is text with a pattern before it is parsed.
  if (schema.type === 'integer') delete schema.pattern;
  // Responses may get further fields.
  if (side === 'output' && schema.additionalProperties === false)
    delete schema.additionalProperties;
}

/** Turns references to zod's definitions into references to components. */
function referringToComponents(schema: Json): Json {
  const text = JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(text) as Json;
}

/**
 * Returns the components in the order of their names.
 * @param marksChoices marks what the specification does not name as a choice of this emulator: fields, or a whole schema
 */
export function componentSchemas(components: Components, marksChoices: boolean): Json {
  const entries = [...components].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    entries.map(([name, { specified, ...schema }]) => [
      name,
      marksChoices && Array.isArray(specified) ? withChoicesMarked(schema, specified) : schema,
    ]),
  );
}

function withChoicesMarked(schema: Json, specified: readonly unknown[]): Json {
  if (specified.length === 0) return { ...schema, ...CHOICE };
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>);
  return {
    ...schema,
    properties: Object.fromEntries(
      properties.map(([name, property]) => [
        name,
        specified.includes(name) ? property : { ...property, ...CHOICE },
      ]),
    ),
  };
}

/** Marks what the specification leaves open. */
export const CHOICE = { 'x-emulator-choice': true } as const;

export function jsonContent(schema: Json, examples: Json): Json {
  return { 'application/json': { schema, ...(Object.keys(examples).length > 0 && { examples }) } };
}
