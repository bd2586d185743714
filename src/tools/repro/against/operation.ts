import { ENDPOINTS } from '../../../api/index.ts';
import type { RequestRecord } from '../recording/recording.ts';

const PREFIX = /^\/api\/partner(?:\/v1)?/;

const ROUTES = ENDPOINTS.map(({ method, path }) => ({
  method,
  operation: `${method} ${path.replace(PREFIX, '').replace(/:(\w+)/g, '{$1}')}`,
  segments: path.split('/'),
}));

/** The operation of a request, and the parameters of its path. */
export function operationOf({ api, method, target }: RequestRecord): {
  operation: string;
  params: Record<string, string>;
} {
  const [path = ''] = target.split('?', 1);
  const given = path.split('/');
  const found = ROUTES.find(
    (route) =>
      api === 'partner' &&
      route.method === method &&
      route.segments.length === given.length &&
      route.segments.every((segment, at) => segment.startsWith(':') || segment === given[at]),
  );
  if (!found) {
    const named = path.replace(/^(\/_sandbox\/(?:orders|brokerage)\/)[^/]+\//, '$1{id}/');
    return { operation: `${method} ${named}`, params: {} };
  }
  const params = found.segments.flatMap((segment, at) =>
    segment.startsWith(':') ? [[segment.slice(1), given[at] ?? '']] : [],
  );
  return { operation: found.operation, params: Object.fromEntries(params) };
}
