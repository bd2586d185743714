import type { z } from 'zod';
import { type Components, type Json, jsonSchemaOf } from './json-schema.ts';

/** What the declarations of both doors have in common. */
export interface Documented {
  name: string;
  method: string;
  path: string;
  summary: string;
  params?: z.ZodObject;
  query?: z.ZodObject;
  body?: z.ZodObject;
  status: number;
  answer?: () => z.ZodType;
}

/** `/orders/:id` as `/orders/{id}`. */
export function templateOf(path: string): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}

/**
 * Parameters in path and query.
 * @param more what to say of each beside its schema, by its name
 */
export function parametersOf(
  { params, query }: Documented,
  components: Components,
  more: (name: string) => Json,
): Json[] {
  return [
    ...(params ? parametersIn('path', params, components, more) : []),
    ...(query ? parametersIn('query', query, components, more) : []),
  ];
}

function parametersIn(
  place: 'path' | 'query',
  schema: z.ZodObject,
  components: Components,
  more: (name: string) => Json,
): Json[] {
  const { properties = {}, required = [] } = jsonSchemaOf(schema, 'input', components) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...each }]) => ({
    name,
    in: place,
    ...(description !== undefined && { description }),
    ...((place === 'path' || required.includes(name)) && { required: true }),
    schema: each,
    ...more(name),
  }));
}

/** Content of a body or an answer in JSON. */
export function jsonContent(schema: Json, examples: Json = {}): Json {
  const shown = Object.keys(examples).length > 0 ? { examples } : {};
  return { 'application/json': { schema, ...shown } };
}

/** Operations by path and method, as a document has them. */
export function pathsOf(operations: readonly [each: Documented, operation: Json][]): Json {
  const paths: Record<string, Json> = {};
  for (const [{ path, method }, operation] of operations) {
    const template = templateOf(path);
    paths[template] = { ...paths[template], [method.toLowerCase()]: operation };
  }
  return paths;
}
