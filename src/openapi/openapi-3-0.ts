import type { OpenApiDocument } from '../control/endpoint.ts';
import type { Json } from './json-schema.ts';

/** Keywords of JSON Schema that OpenAPI 3.0 lacks. Without them, a schema accepts more. */
const DROPPED = new Set([
  '$schema',
  '$id',
  '$comment',
  'propertyNames',
  'patternProperties',
  'contentMediaType',
  'contentEncoding',
  'dependentRequired',
  'unevaluatedProperties',
]);

const SCHEMA_KEYWORDS = ['items', 'not', 'additionalProperties'];
const SCHEMA_LISTS = ['allOf', 'anyOf', 'oneOf'];

/** Fields whose values are data of users, not parts of the document. */
const DATA = new Set(['example', 'examples', 'default', 'enum', 'const', 'value']);

/** Converts a document to OpenAPI 3.0.3, for tools that cannot read 3.1. Webhooks become `x-webhooks`. */
export function toOpenApi30(document: OpenApiDocument): OpenApiDocument {
  const { webhooks, jsonSchemaDialect: _, ...base } = document as unknown as Json;
  const { summary: _summary, license, ...info } = base.info as Json;
  const converted = convert({ ...base, ...(webhooks !== undefined && { 'x-webhooks': webhooks }) });
  return {
    ...(converted as Json),
    openapi: '3.0.3',
    info: { ...info, ...(isObject(license) && { license: convertLicense(license) }) },
  } as unknown as OpenApiDocument;
}

function convertLicense({ identifier, ...license }: Json): Json {
  if (identifier === undefined) return license;
  return { ...license, url: `https://spdx.org/licenses/${identifier}.html` };
}

function convert(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(convert);
  if (!isObject(part)) return part;
  return Object.fromEntries(
    Object.entries(part).map(([name, value]) => {
      if (name === 'schema') return [name, convertSchema(value)];
      if (name === 'schemas' && isObject(value)) return [name, mapValues(value, convertSchema)];
      return [name, DATA.has(name) ? value : convert(value)];
    }),
  );
}

function convertSchema(schema: unknown): unknown {
  // A schema that accepts everything, or nothing.
  if (schema === true) return {};
  if (schema === false) return { not: {} };
  if (!isObject(schema)) return schema;
  if (typeof schema.$ref === 'string') return convertReference(schema);
  let converted: Json = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (!DROPPED.has(keyword)) converted = { ...converted, ...convertKeyword(keyword, value) };
  }
  return withoutNullVariant(converted);
}

/** In 3.0, nothing beside a reference is read. */
function convertReference({ $ref, ...siblings }: Json): Json {
  if (Object.keys(siblings).length === 0) return { $ref };
  return { ...(convertSchema(siblings) as Json), allOf: [{ $ref }] };
}

function convertKeyword(keyword: string, value: unknown): Json {
  if (keyword === 'type' && Array.isArray(value)) return convertTypes(value);
  if (keyword === 'const') return value === null ? NULL : { enum: [value] };
  if (keyword === 'enum' && Array.isArray(value) && value.includes(null)) {
    return { enum: value, nullable: true };
  }
  if (keyword === 'examples' && Array.isArray(value)) return { example: value[0] };
  if (keyword === 'exclusiveMinimum') return { minimum: value, exclusiveMinimum: true };
  if (keyword === 'exclusiveMaximum') return { maximum: value, exclusiveMaximum: true };
  if (keyword === 'prefixItems' && Array.isArray(value)) {
    return { items: { anyOf: value.map(convertSchema) } };
  }
  if (keyword === 'properties' && isObject(value)) {
    return { properties: mapValues(value, convertSchema) };
  }
  if (SCHEMA_LISTS.includes(keyword) && Array.isArray(value)) {
    return { [keyword]: value.map(convertSchema) };
  }
  if (SCHEMA_KEYWORDS.includes(keyword)) {
    return { [keyword]: typeof value === 'boolean' ? value : convertSchema(value) };
  }
  return { [keyword]: value };
}

/** A schema of `null` alone: `nullable` needs a type. */
const NULL = { type: 'object', nullable: true, enum: [null] };

function convertTypes(types: unknown[]): Json {
  const nonNullTypes = types.filter((type) => type !== 'null');
  const nullable = nonNullTypes.length < types.length;
  if (nonNullTypes.length === 0) return NULL;
  if (nonNullTypes.length === 1) return { type: nonNullTypes[0], ...(nullable && { nullable }) };
  return { anyOf: [...nonNullTypes.map((type) => ({ type })), ...(nullable ? [NULL] : [])] };
}

/** Turns "this or null" into "this, nullable" where a type says what this is. */
function withoutNullVariant(schema: Json): Json {
  if (schema.type === 'null') return { ...schema, ...NULL };
  if (schema.nullable === true && Array.isArray(schema.enum) && !schema.enum.includes(null)) {
    return { ...schema, enum: [...schema.enum, null] };
  }
  for (const list of ['anyOf', 'oneOf']) {
    const variants = schema[list];
    if (!Array.isArray(variants) || variants.length !== 2) continue;
    const [only, ...more] = variants.filter((variant) => !isNull(variant));
    if (more.length > 0 || !isObject(only) || typeof only.type !== 'string') continue;
    const { [list]: _, ...keywords } = schema;
    return withoutNullVariant({ ...only, ...keywords, nullable: true });
  }
  return schema;
}

function isNull(schema: unknown): boolean {
  return (
    isObject(schema) &&
    Array.isArray(schema.enum) &&
    schema.enum.length === 1 &&
    schema.enum[0] === null
  );
}

function mapValues(object: Json, map: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]));
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
