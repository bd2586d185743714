import { z } from 'zod';
import { similar } from '../../kernel/did-you-mean.ts';
import type { Annotate, RequestLogEntry } from '../../requests/log-entry.ts';
import type { Check, Detail } from '../../requests/trace.ts';
import { MalformedQueryError, parseQuery, splitTarget } from '../../signing/canonical.ts';
import type { Endpoint } from '../endpoint.ts';

const IGNORED = 'was ignored';

function queryWarnings({ query: schema }: Endpoint, target: string): string[] {
  const sentNames = namesIn(target);
  if (sentNames.length === 0) return [];
  const names = Object.keys(schema?.shape ?? {});
  const ignoredNames = new Set(sentNames.filter((name) => !names.includes(name)));
  const hint = names.length === 0 ? 'it takes none' : `it takes ${names.join(', ')}`;
  return [...ignoredNames].map(
    (name) =>
      `query: ${quoted(name)} is not a parameter of this endpoint and ${IGNORED}; ${hint}${nearestOf(name, names)}`,
  );
}

function namesIn(target: string): string[] {
  try {
    return parseQuery(splitTarget(target).query).map(([name]) => name);
  } catch (error) {
    if (error instanceof MalformedQueryError) return [];
    throw error;
  }
}

function bodyWarnings({ body: schema, method }: Endpoint, body: string | null): string[] {
  if (body === null) return [];
  if (!schema) {
    return method === 'GET' ? [] : ['body: this endpoint takes no body; it was ignored'];
  }
  try {
    return fieldWarnings(schema, JSON.parse(body) as unknown);
  } catch {
    return [];
  }
}

/** Returns warnings about fields of an object, also of inner ones, that its schema lacks. */
function fieldWarnings(schema: z.ZodType, value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const shape = objectShape(schema);
  if (!shape) return [];
  const knownNames = Object.keys(shape).map((name) => path + name);
  return Object.entries(value).flatMap(([key, inner]) => {
    const name = path + key;
    const field = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (field) return fieldWarnings(field, inner, `${name}.`);
    return `body: ${quoted(name)} is not a field of this request and ${IGNORED}${nearestOf(name, knownNames)}`;
  });
}

/** Returns the fields of an object schema, which may be optional or nullable. */
function objectShape(schema: z.ZodType): Record<string, z.ZodType> | undefined {
  if (schema instanceof z.ZodObject) return schema.shape as Record<string, z.ZodType>;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return objectShape(schema.unwrap() as z.ZodType);
  }
  return undefined;
}

/** Longer names are not compared with the known ones, which would take too long. */
const MAX_NAME = 100;

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, MAX_NAME));
}

function nearestOf(name: string, knownNames: readonly string[]): string {
  const nearest = name.length > MAX_NAME ? undefined : similar(name, knownNames);
  return nearest === undefined ? '' : `; nearest: ${nearest}`;
}

/** Details of checks that follow from the endpoint, so that they are not stored with each entry. */
const DECLARED_DETAIL: Partial<Record<Check, (endpoint: Endpoint) => Detail>> = {
  route: ({ path }) => ({ endpoint: path }),
  scope: ({ scopes }) => ({ needs: scopes }),
  rate_limit: ({ rateClass }) => ({ class: rateClass }),
};

/** Makes a function that adds to entries the details that their endpoints declare, and warnings about ignored input. */
export function annotateWith(endpoints: readonly Endpoint[]): Annotate {
  const byRoute = new Map(
    endpoints.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint]),
  );
  return function annotate(entry: RequestLogEntry) {
    const { api, target, request } = entry;
    const method = entry.method === 'HEAD' ? 'GET' : entry.method;
    const endpoint = byRoute.get(`${method} ${entry.endpoint}`);
    if (api !== 'partner' || !endpoint) return entry;
    const trace = entry.trace.map((step) => {
      const detail = DECLARED_DETAIL[step.check]?.(endpoint);
      return detail ? { ...step, detail: { ...detail, ...step.detail } } : step;
    });
    const warnings = [...queryWarnings(endpoint, target), ...bodyWarnings(endpoint, request.body)];
    return { ...entry, trace, warnings };
  };
}
