import { z } from 'zod';
import { MalformedQueryError, parseQuery, splitTarget } from '../../signing/canonical.ts';
import type { Endpoint } from '../endpoint.ts';

/**
 * What was taken no notice of in a request, or is better spelled otherwise: unknown query parameters, unknown
 * members of the body, other names of members (decisions, "Conventions"). None of it changes the answer.
 * @param body one that is no JSON gives no warnings, for it was refused
 */
export function warningsAbout(endpoint: Endpoint, target: string, body: string): string[] {
  return [...queryWarnings(endpoint, target), ...bodyWarnings(endpoint, body)];
}

function queryWarnings({ query: schema }: Endpoint, target: string): string[] {
  const known = Object.keys(schema?.shape ?? {});
  const names = new Set(pairsOf(target).map(([name]) => name));
  return [...names]
    .filter((name) => !known.includes(name))
    .map((name) => `query: ${quoted(name)} is no parameter of this endpoint and was ignored`);
}

function pairsOf(target: string): [string, string][] {
  try {
    return parseQuery(splitTarget(target).query);
  } catch (error) {
    if (error instanceof MalformedQueryError) return [];
    throw error;
  }
}

function bodyWarnings({ body: schema, method }: Endpoint, body: string): string[] {
  if (body === '') return [];
  if (!schema) {
    return method === 'GET' ? [] : ['body: this endpoint takes none; it was ignored'];
  }
  try {
    return memberWarnings(schema, JSON.parse(body) as unknown, '');
  } catch {
    return [];
  }
}

function memberWarnings(schema: z.ZodType, value: unknown, path: string): string[] {
  const shape = objectShape(schema);
  if (!shape || typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const inner = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (!inner)
      return [`body: ${quoted(path + name)} is no member of this request and was ignored`];
    return [...spelling(inner, path + name), ...memberWarnings(inner, member, `${path}${name}.`)];
  });
}

function spelling(schema: z.ZodType, name: string): string[] {
  const better = schema.meta()?.aliasOf;
  return typeof better === 'string' ? [`body: ${name} is another name of ${better}`] : [];
}

/** The members of an object schema, whatever it is wrapped in. */
function objectShape(schema: z.ZodType): Record<string, z.ZodType> | undefined {
  if (schema instanceof z.ZodObject) return schema.shape as Record<string, z.ZodType>;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return objectShape(schema.unwrap() as z.ZodType);
  }
  return undefined;
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 100));
}
