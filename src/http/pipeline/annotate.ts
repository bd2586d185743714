import { z } from 'zod';
import { parseJson } from '../../kernel/json.ts';
import type { Annotate, RequestLogEntry } from '../../requests/log-entry.ts';
import type { Check, Detail } from '../../requests/trace.ts';
import { parseQuery, splitTarget, unlessMalformed } from '../../signing/canonical.ts';
import type { Endpoint } from '../endpoint.ts';

type Shape = Readonly<Record<string, unknown>>;

function queryWarnings({ query }: Endpoint, target: string): string[] {
  const pairs = unlessMalformed(() => parseQuery(splitTarget(target).query)) ?? [];
  return ignoredNames('query', query?.shape ?? {}, Object.fromEntries(pairs));
}

function bodyWarnings({ body: schema }: Endpoint, body: string | null): string[] {
  if (body === null || !schema) return [];
  return ignoredNames('body', schema.shape, parseJson(body));
}

/** Returns warnings about the names in an object, and in its inner objects, that its schema lacks. */
function ignoredNames(part: 'query' | 'body', shape: Shape, value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const noun = part === 'query' ? 'parameter' : 'field';
  let ignored = 0;
  const warnings = Object.entries(value).flatMap(([name, inner]) => {
    if (!Object.hasOwn(shape, name)) {
      ignored += 1;
      if (ignored > MAX_NAMES) return [];
      const sent = JSON.stringify((path + name).slice(0, MAX_NAME_LENGTH));
      const known = Object.keys(shape).map((field) => path + field);
      return `${part}: ${sent} is not a ${noun} of this endpoint and was ignored; it takes ${known.join(', ') || 'none'}`;
    }
    const innerShape = shapeOf(shape[name]);
    return innerShape ? ignoredNames(part, innerShape, inner, `${path}${name}.`) : [];
  });
  if (ignored <= MAX_NAMES) return warnings;
  return [...warnings, `${part}: ${ignored - MAX_NAMES} more ${noun}s were ignored`];
}

/** Returns the fields of an object schema, which may be optional or nullable. */
function shapeOf(schema: unknown): Shape | undefined {
  if (schema instanceof z.ZodObject) return schema.shape;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return shapeOf(schema.unwrap());
  }
  return undefined;
}

const MAX_NAME_LENGTH = 100;
/** More ignored names of an object are counted, not listed; a body may have thousands. */
const MAX_NAMES = 20;

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
