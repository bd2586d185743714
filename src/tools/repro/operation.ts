import { ENDPOINTS } from '../../api/index.ts';
import { headerOf } from '../../requests/logged-request.ts';
import type { RequestRecord } from './recording/recording.ts';

/** Returns what matches the requests of a route such as `DELETE /snapshots/:name`, with its parameters as groups. */
export function patternOf(route: string): RegExp {
  return new RegExp(`^${route.replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`);
}

const ROUTES = ENDPOINTS.map(({ method, path }) => ({
  operation: `${method} ${path.replace(/^\/api\/partner(?:\/v1)?/, '').replace(/:(\w+)/g, '{$1}')}`,
  pattern: patternOf(`${method} ${path}`),
}));
/** An ID in a text. */
export const ID = /\b[a-z]{2,6}_(?:[a-z]+_)*(?=[0-9A-Za-z]*\d)[0-9A-Za-z]{10,}\b/g;

/** `POST /_sandbox/clock/advance`, without the query. */
export function calledRoute({ method, target }: Pick<RequestRecord, 'method' | 'target'>): string {
  return `${method} ${target.split('?', 1)[0]}`;
}

/** The operation of a request, and the parameters of its path. */
export function operationOf(request: RequestRecord): {
  operation: string;
  params: Record<string, string>;
} {
  const called = calledRoute(request);
  for (const { operation, pattern } of request.api === 'partner' ? ROUTES : []) {
    const found = pattern.exec(called);
    if (found) return { operation, params: { ...found.groups } };
  }
  return { operation: called.split('/').map(withoutId).join('/'), params: {} };
}

/** A segment of a path; one that is an ID, a domain or a token is `{id}`. */
function withoutId(segment: string): string {
  const isId = segment.includes('.') || segment.length > 24 || segment.search(ID) === 0;
  return isId ? '{id}' : segment;
}

/** The key ID that a request names. */
export function keyOf({ headers }: RequestRecord): string | undefined {
  return headerOf(headers, 'x-service-key-id');
}
