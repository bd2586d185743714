import { z } from 'zod';
import { similar } from '../../kernel/did-you-mean.ts';
import type { Annotate, RawEntry } from '../../requests/log-entry.ts';
import type { Check, Detail } from '../../requests/trace.ts';
import { MalformedQueryError, parseQuery, splitTarget } from '../../signing/canonical.ts';
import { SIGNING_HEADERS } from '../../signing/signature.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Input, Route } from './context.ts';

const IGNORED = 'was ignored';

/** Headers that the partner API reads. Another one with the same prefix is probably misspelled. */
const HEADERS = [...Object.values(SIGNING_HEADERS), 'Idempotency-Key'];
const KNOWN_HEADERS = new Set(HEADERS.map((name) => name.toLowerCase()));

function headerWarnings(names: readonly string[]): string[] {
  const ignoredNames = names.filter(
    (name) => /^x-service-/i.test(name) && !KNOWN_HEADERS.has(name.toLowerCase()),
  );
  return [...new Set(ignoredNames)].map(
    (name) =>
      `header: ${quoted(name)} is not a header of this API and ${IGNORED}${nearestOf(name, HEADERS)}`,
  );
}

function queryWarnings({ query: schema }: Endpoint, pairs: Input['query']): string[] {
  const parameters = schema?.shape ?? {};
  const ignoredPairs = pairs.filter(([name]) => !Object.hasOwn(parameters, name));
  if (ignoredPairs.length === 0) return [];
  const names = Object.keys(parameters);
  const hint = names.length === 0 ? 'it takes none' : `it takes ${names.join(', ')}`;
  return [...new Set(ignoredPairs.map(([name]) => name))].map(
    (name) =>
      `query: ${quoted(name)} is not a parameter of this endpoint and ${IGNORED}; ${hint}${nearestOf(name, names)}`,
  );
}

/** Limits what clients can make the server print. */
const MAX_PRINTED = 100;

/** Returns a function that prints each warning once, not at every request. */
export function warnOnce(warn: (text: string) => void): (text: string) => void {
  const warned = new Set<string>();
  return (text) => {
    if (warned.size >= MAX_PRINTED || warned.has(text)) return;
    warned.add(text);
    warn(text);
  };
}

/** Warns of each ignored query parameter of an endpoint. */
export function warnOfParameters(
  warn: (text: string) => void,
  { route, input }: { route: Route | undefined; input?: Input },
): void {
  if (!route || !input || input.query.length === 0) return;
  const { endpoint } = route;
  for (const warning of queryWarnings(endpoint, input.query)) {
    warn(`${endpoint.method} ${endpoint.path}: ${warning}`);
  }
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
    return method === 'GET' ? [] : ['body: this endpoint takes no body; it was ignored'];
  }
  try {
    return fieldWarnings(schema, JSON.parse(body) as unknown);
  } catch {
    return [];
  }
}

/** Returns warnings about fields of an object, also of inner ones, that its schema lacks or has as aliases. */
function fieldWarnings(schema: z.ZodType, value: unknown, path = ''): string[] {
  const shape = objectShape(schema);
  if (!shape || typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const knownNames = Object.keys(shape).map((name) => path + name);
  return Object.entries(value).flatMap(([key, inner]) => {
    const name = path + key;
    const field = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (!field) {
      return `body: ${quoted(name)} is not a field of this request and ${IGNORED}${nearestOf(name, knownNames)}`;
    }
    const mainName = field.meta()?.aliasOf;
    return [
      ...(typeof mainName === 'string' ? [`body: ${name} is an alias of ${mainName}`] : []),
      ...fieldWarnings(field, inner, `${name}.`),
    ];
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

/**
 * Returns warnings about what a request has and its endpoint does not read.
 * @param headers their names
 */
function warningsOf(
  endpoint: Endpoint | undefined,
  headers: readonly string[],
  target: string,
  body: string,
): string[] {
  if (!endpoint) return headerWarnings(headers);
  return [
    ...headerWarnings(headers),
    ...queryWarnings(endpoint, pairsOf(target)),
    ...bodyWarnings(endpoint, body),
  ];
}

/** Whether a request has warnings, for the filter `warning:yes`. */
export function hasWarnings(
  endpoint: Endpoint | undefined,
  { columns, headers, body }: RawEntry,
): boolean {
  const names = headers.filter((_, at) => at % 2 === 0);
  return warningsOf(endpoint, names, columns.target, body).length > 0;
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
  return function annotate(entry) {
    if (entry.api !== 'partner') return entry;
    const method = entry.method === 'HEAD' ? 'GET' : entry.method;
    const endpoint = byRoute.get(`${method} ${entry.endpoint}`);
    const { target, request } = entry;
    const names = request.headers.map(([name]) => name);
    const warnings = warningsOf(endpoint, names, target, request.body ?? '');
    if (!endpoint) return { ...entry, warnings };
    return {
      ...entry,
      trace: entry.trace.map((step) => {
        const detail = DECLARED_DETAIL[step.check]?.(endpoint);
        return detail ? { ...step, detail: { ...detail, ...step.detail } } : step;
      }),
      warnings,
    };
  };
}
