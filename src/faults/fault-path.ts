/** The method and declared path of an endpoint; `:name` marks a parameter. */
export interface EndpointRoute {
  method: string;
  path: string;
}

/**
 * Whether the path of a fault or a request is that of an endpoint, or of one request of it. `/orders/{public_id}` and
 * `/orders/:id` name the endpoint, `/orders/ord_1` a request, and `*` at the end matches any text.
 * @param path with or without the prefix /api/partner/v1
 * @param endpoint its declared path
 * @param params those of the request, decoded; `any` asks whether some request of the endpoint can match
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
    // No request has an empty parameter, as in `/orders/`.
    const canMatch = part !== '' && params === 'any';
    if (PARAMETER.test(segment) && (PARAMETER.test(part) || canMatch)) return true;
    const text = (params === 'any' ? undefined : params[segment.slice(1)]) ?? segment;
    return hasWildcard && index === parts.length - 1 ? text.startsWith(part) : text === part;
  });
}

const PARAMETER = /^(?::\w+|\{\w+\})$/;

function segmentsOf(path: string): string[] {
  return path.replace(/^\/?(?:api\/partner\/(?:v1\/)?)?/, '').split('/');
}

/** Formats a declared path without its prefix and with parameters in braces. */
export function spellPath(path: string): string {
  return path.replace(/^\/api\/partner\/v1(?=\/)/, '').replaceAll(/:(\w+)/g, '{$1}');
}
