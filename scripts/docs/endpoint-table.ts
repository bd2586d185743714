import type { EndpointFacts, FieldsByName, InputField } from '../../src/cli/endpoints.ts';
import type { OpenApiDocument } from '../../src/control/openapi-document.ts';

interface Schema {
  type?: string;
  enum?: string[];
  items?: Schema;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  default?: unknown;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  $ref?: string;
}

interface Operation {
  summary: string;
  parameters?: (Pick<Schema, 'description'> & {
    name: string;
    in: 'path' | 'query';
    required?: boolean;
    schema: Schema;
  })[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
}

type Content = Record<string, { schema: Schema }>;

const JSON_TYPE = 'application/json';

/** Returns what the command line needs to know of each endpoint of the control API: JSON, a line for each endpoint. */
export function endpointTable({ paths, components }: OpenApiDocument): string {
  const schemas = components.schemas as Record<string, Schema>;
  const entries = Object.entries(paths as Record<string, Record<string, Operation>>).flatMap(
    ([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => [
        JSON.stringify(`${method.toUpperCase()} ${path}`),
        JSON.stringify(entryOf(operation, schemas)),
      ]),
  );
  return `{\n${entries.map((each) => `  ${each.join(': ')}`).join(',\n')}\n}\n`;
}

function entryOf(
  { summary, parameters = [], requestBody, responses }: Operation,
  schemas: Record<string, Schema>,
): EndpointFacts {
  const within = (location: string) =>
    Object.fromEntries(
      parameters
        .filter((each) => each.in === location && each.name !== 'world')
        .map(({ name, description, required, schema }) => [
          name,
          fieldOf({ ...schema, ...(description !== undefined && { description }) }, required),
        ]),
    );
  const body = requestBody?.content[JSON_TYPE]?.schema;
  const [success] =
    Object.entries(responses)
      .find(([status]) => status[0] === '2')
      ?.slice(1) ?? [];
  const response = (success as { content?: Content } | undefined)?.content?.[JSON_TYPE]?.schema;
  const named = schemas[response?.$ref?.split('/').at(-1) ?? ''] ?? response;
  const { next_cursor: cursor, ...lists } = named?.properties ?? {};
  return {
    summary,
    path: within('path'),
    query: within('query'),
    body: fieldsOf(body),
    ...(cursor && { items: Object.keys(lists)[0] ?? '' }),
  };
}

function fieldsOf({ properties = {}, required = [] }: Schema = {}): FieldsByName {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      fieldOf(schema, required.includes(name)),
    ]),
  );
}

function fieldOf(schema: Schema, required = false): InputField {
  const { type = 'string', enum: own, items, minimum, exclusiveMinimum, maximum } = schema;
  const above = type === 'integer' ? 1 : 0;
  const min = exclusiveMinimum === undefined ? minimum : exclusiveMinimum + above;
  const values = own ?? items?.enum;
  return {
    type,
    ...(schema.description !== undefined && { text: schema.description }),
    ...(values && { values }),
    ...(min !== undefined && { min }),
    ...(maximum !== undefined && { max: maximum }),
    ...(schema.default !== undefined && { default: schema.default }),
    ...(required && { required }),
    ...(Object.keys(schema.properties ?? {}).length > 0 && { fields: fieldsOf(schema) }),
  };
}
