import { z } from 'zod';
import type { Annotate } from '../../requests/log-entry.ts';
import type { Check, Detail } from '../../requests/trace.ts';
import { MalformedQueryError, parseQuery, splitTarget } from '../../signing/canonical.ts';
import type { Endpoint } from '../endpoint.ts';
import type { Input, Route } from './context.ts';

const IGNORED = 'was ignored';

/**
 * Returns warnings about ignored query parameters, ignored fields of the body, and aliases of fields.
 * None of them changes the response. A body that is not JSON has no warnings.
 */
function inputWarnings(endpoint: Endpoint, target: string, body: string): string[] {
  return [...queryWarnings(endpoint, target), ...bodyWarnings(endpoint, body)];
}

function queryWarnings(endpoint: Endpoint, target: string): string[] {
  return namesWarnings(endpoint, pairsOf(target));
}

function namesWarnings({ query: schema }: Endpoint, pairs: Input['query']): string[] {
  const known = schema?.shape ?? {};
  const ignored = pairs.filter(([name]) => !Object.hasOwn(known, name));
  if (ignored.length === 0) return [];
  const names = Object.keys(known);
  const takes = names.length === 0 ? 'it takes none' : `it takes ${names.join(', ')}`;
  return [...new Set(ignored.map(([name]) => name))].map(
    (name) => `query: ${quoted(name)} is not a parameter of this endpoint and ${IGNORED}; ${takes}`,
  );
}

/** Bounds what clients can print. */
const MAX_PRINTED = 100;

/** Returns a function that warns of the same once, not at every request. */
export function warnOnce(warn: (text: string) => void): (text: string) => void {
  const warned = new Set<string>();
  return (text) => {
    if (warned.size >= MAX_PRINTED || warned.has(text)) return;
    warned.add(text);
    warn(text);
  };
}

/** Returns a function that warns of each ignored query parameter of an endpoint. */
export function warnerOfParameters(warn: (text: string) => void) {
  return function warnOfParameters({ route, input }: { route?: Route; input?: Input }): void {
    if (!route || !input || input.query.length === 0) return;
    const { endpoint } = route;
    for (const warning of namesWarnings(endpoint, input.query)) {
      warn(`${endpoint.method} ${endpoint.path}: ${warning}`);
    }
  };
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

function fieldWarnings(schema: z.ZodType, value: unknown): string[] {
  const warnings: string[] = [];
  visitFields(schema, value, '', (name, field) => {
    const better = field?.meta()?.aliasOf;
    if (!field) warnings.push(ignoredField(name));
    else if (typeof better === 'string') warnings.push(`body: ${name} is an alias of ${better}`);
  });
  return warnings;
}

function ignoredField(name: string): string {
  return `body: ${quoted(name)} is not a field of this request and ${IGNORED}`;
}

/** Calls `visit` with each field of an object, also of inner ones, and its schema if it has one. */
function visitFields(
  schema: z.ZodType,
  value: unknown,
  path: string,
  visit: (name: string, schema: z.ZodType | undefined) => void,
): void {
  const shape = objectShape(schema);
  if (!shape || typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const [name, field] of Object.entries(value)) {
    const inner = Object.hasOwn(shape, name) ? shape[name] : undefined;
    visit(path + name, inner);
    if (inner) visitFields(inner, field, `${path}${name}.`, visit);
  }
}

/** Returns the fields of an object schema, which may be optional or nullable. */
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

/** What the declaration of an endpoint adds to a check; it is not stored with each entry. */
const DECLARED: Partial<Record<Check, (endpoint: Endpoint) => Detail>> = {
  route: ({ path }) => ({ endpoint: path }),
  scope: ({ scopes }) => ({ needs: scopes }),
  rate_limit: ({ rateClass }) => ({ class: rateClass }),
};

export function annotateWith(endpoints: readonly Endpoint[]): Annotate {
  const declared = new Map(endpoints.map((each) => [`${each.method} ${each.path}`, each]));
  return function annotate(entry) {
    const method = entry.method === 'HEAD' ? 'GET' : entry.method;
    const endpoint = declared.get(`${method} ${entry.endpoint}`);
    if (!endpoint) return entry;
    return {
      ...entry,
      trace: entry.trace.map((step) => {
        const detail = DECLARED[step.check]?.(endpoint);
        return detail ? { ...step, detail: { ...detail, ...step.detail } } : step;
      }),
      warnings: inputWarnings(endpoint, entry.target, entry.request.body ?? ''),
    };
  };
}
