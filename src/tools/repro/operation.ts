import { ENDPOINTS } from '../../api/index.ts';
import { headerOf } from '../../requests/logged-request.ts';
import type { RequestRecord } from './format.ts';

/** Returns a pattern for the requests of a route such as `DELETE /snapshots/:name`, with its parameters as groups. */
export function patternOf(route: string): RegExp {
  return new RegExp(`^${route.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
}

const ROUTES = ENDPOINTS.map(({ method, path }) => ({
  operation: `${method} ${path.replace(/^\/api\/partner(?:\/v1)?/, '').replace(/:(\w+)/g, '{$1}')}`,
  pattern: patternOf(`${method} ${path}`),
}));
/** Finds IDs in text. */
export const ID = /\b[a-z]{2,6}_(?:[a-z]+_)*(?=[0-9A-Za-z]*\d)[0-9A-Za-z]{10,}\b/g;

/** Returns `POST /_sandbox/clock/advance`, without the query. */
export function calledRoute({ method, target }: Pick<RequestRecord, 'method' | 'target'>): string {
  return `${method} ${target.split('?', 1)[0]}`;
}

/** Returns the operation of a request, and the parameters of its path. */
export function operationOf(request: RequestRecord): {
  operation: string;
  params: Record<string, string>;
} {
  const called = calledRoute(request);
  for (const { operation, pattern } of request.api === 'partner' ? ROUTES : []) {
    const match = pattern.exec(called);
    if (match) return { operation, params: { ...match.groups } };
  }
  return { operation: called.split('/').map(withoutId).join('/'), params: {} };
}

/** Replaces a segment of a path by `{id}` if it is an ID, a domain or a token. */
function withoutId(segment: string): string {
  const isId = segment.includes('.') || segment.length > 24 || segment.search(ID) === 0;
  return isId ? '{id}' : segment;
}

/** Returns the key ID of a request. */
export function keyOf({ headers }: RequestRecord): string | undefined {
  return headerOf(headers, 'x-service-key-id');
}

/**
 * Paths of responses that a replay does not compare, by operation: minted secrets, which are not in a file, sizes, which
 * depend on the machine, and the responses of receivers, which are replaced.
 */
export const IGNORED_PATHS: Readonly<Record<string, readonly string[]>> = {
  'POST /_sandbox/credentials': ['secret'],
  'POST /_sandbox/snapshots': ['size_bytes'],
  'DELETE /_sandbox/snapshots/:name': ['size_bytes'],
  'POST /_sandbox/webhooks/fire': ['attempts[].response'],
  'POST /_sandbox/deliveries/:id/retry': ['last_response'],
  'POST /_sandbox/events/:id/resend': ['last_response'],
};
const PATTERNS = Object.entries(IGNORED_PATHS).map(
  ([route, paths]) => [patternOf(route), paths] as const,
);

/** Returns the paths in the response of a request that are not compared. */
export function ignoredPathsOf(
  request: Pick<RequestRecord, 'api' | 'method' | 'target'>,
): readonly string[] {
  if (request.api !== 'control') return [];
  const called = calledRoute(request);
  return PATTERNS.find(([pattern]) => pattern.test(called))?.[1] ?? [];
}
