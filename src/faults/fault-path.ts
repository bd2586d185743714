import { splitTarget } from '../signing/canonical.ts';

/** The method and declared path of an endpoint; `:name` marks a parameter. */
export interface EndpointRoute {
  method: string;
  path: string;
}

/**
 * Whether a path, as written in a fault or sent in a request, fits an endpoint. `/orders/{public_id}` and `/orders/:id`
 * name the endpoint, `/orders/ord_1` one request of it, and `*` at the end matches any text.
 * @param path with or without the prefix /api/partner/v1 or /api/partner
 * @param endpoint its declared path
 * @param params decoded parameters of the request that the path must fit; `any` if it may fit any request of the endpoint
 */
export function pathMatches(
  path: string,
  endpoint: string,
  params: Readonly<Record<string, string>> | 'any',
): boolean {
  const hasWildcard = path.endsWith('*');
  const parts = segmentsOf(hasWildcard ? path.slice(0, -1) : path);
  const segments = segmentsOf(endpoint);
  if (parts.length > segments.length) return false;
  if (parts.length < segments.length && !hasWildcard) return false;
  return parts.every((part, index) => {
    const segment = segments[index] ?? '';
    const isParameter = PARAMETER.test(segment);
    // No request has an empty parameter, as in `/orders/`.
    if (isParameter && (PARAMETER.test(part) || (part !== '' && params === 'any'))) return true;
    const text = (isParameter && params !== 'any' && params[segment.slice(1)]) || segment;
    return hasWildcard && index === parts.length - 1 ? text.startsWith(part) : text === part;
  });
}

/** Finds the first endpoint, as the router does, that a logged request reached or, if it was rejected before, names. */
export function endpointOfRequest<Route extends EndpointRoute>(
  endpoints: readonly Route[],
  request: { method: string; target: string; endpoint: string | null },
): Route | undefined {
  // HEAD is routed as GET.
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  const path = request.endpoint ?? splitTarget(request.target).path;
  return endpoints.find((each) => each.method === method && pathMatches(path, each.path, 'any'));
}

const PARAMETER = /^(?::\w+|\{\w+\})$/; // `:public_id`, `{public_id}`

/** Splits a path without its prefix, which lacks the version in /api/partner/webhooks. */
function segmentsOf(path: string): string[] {
  return path.replace(/^\/?(?:api\/partner\/(?:v1\/)?)?/, '').split('/');
}

/** Formats a declared path without its prefix and with parameters in braces. */
export function spellPath(path: string): string {
  return path.replace(/^\/api\/partner\/v1(?=\/)/, '').replaceAll(/:(\w+)/g, '{$1}');
}
