import { z } from 'zod';
import { type SchemaMetadata, schemaMetadata } from '../kernel/resource.ts';

/** A JSON object, as documents are made of. */
export type Json = Record<string, unknown>;

/** Schemas with a name, which others refer to. */
export type Components = Map<string, Json>;

/** What a schema accepts (`input`) or what an answer holds (`output`). */
type Side = 'input' | 'output';

/**
 * The JSON Schema (draft 2020-12, as OpenAPI 3.1 has it) of a schema.
 * @param components takes the records that it refers to
 */
export function jsonSchemaOf(schema: z.ZodType, side: Side, components: Components): Json {
  const {
    $schema: _,
    $defs = {},
    ...own
  } = z.toJSONSchema(schema, {
    metadata: schemaMetadata,
    io: side,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) =>
      tidy(jsonSchema as Json, side, {
        ...descriptionOf(z.globalRegistry.get(zodSchema)),
        ...schemaMetadata.get(zodSchema),
      }),
  }) as Json & { $defs?: Record<string, Json> };
  for (const [id, definition] of Object.entries($defs)) {
    components.set(id, referringToComponents(definition));
  }
  return referringToComponents(own);
}

/** What `describe` said. */
function descriptionOf(said: { description?: string | undefined } = {}): SchemaMetadata {
  return said.description === undefined ? {} : { description: said.description };
}

/** @param note what zod leaves out of it: the default of what is sent as text, a description from `describe` */
function tidy(schema: Json, side: Side, note: SchemaMetadata): void {
  if (note.default !== undefined) schema.default = note.default;
  if (note.description !== undefined) schema.description = note.description;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  // The pattern of its digits: what a query holds is text before it is a number.
  if (schema.type === 'integer') delete schema.pattern;
  // Clients must not lean on there never being more.
  if (side === 'output' && schema.additionalProperties === false)
    delete schema.additionalProperties;
}

/** The definitions that zod collects become components of the document. */
function referringToComponents(schema: Json): Json {
  const text = JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(text) as Json;
}

/**
 * Components by name, in order, as a document has them.
 * @param tellChoices marks what the specification does not name as this emulator's choice
 */
export function componentSchemas(components: Components, tellChoices: boolean): Json {
  const named = [...components].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    named.map(([name, { specified, ...schema }]) => [
      name,
      tellChoices && Array.isArray(specified) ? marked(schema, specified) : schema,
    ]),
  );
}

function marked(schema: Json, specified: readonly unknown[]): Json {
  if (specified.length === 0) return { ...schema, ...CHOICE };
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Json>);
  return {
    ...schema,
    properties: Object.fromEntries(
      properties.map(([name, each]) => [
        name,
        specified.includes(name) ? each : { ...each, ...CHOICE },
      ]),
    ),
  };
}

/** On whatever the specification leaves open and the emulator had to choose. */
export const CHOICE = { 'x-emulator-choice': true } as const;
