import { similar } from '../kernel/did-you-mean.ts';
import { type CodedError, notFound } from '../kernel/errors.ts';

interface EndpointPath {
  method: string;
  /** With its prefix; a parameter begins with a colon. */
  path: string;
}

/** Longer paths are not compared with the known ones, which would take too long. */
const MAX_COMPARED = 200;

/** The prefixes of both APIs; they are left out of the comparison. */
const PREFIX = /^\/+(?:(?:api\/partner|_sandbox)\/+)?/;

/**
 * Returns the error of an unknown path. It names the nearest endpoint, if one is similar.
 * @param other what it says if none is
 */
export function unknownEndpoint(
  method: string,
  path: string,
  endpoints: readonly EndpointPath[],
  other = `no such endpoint: ${method} ${path}`,
): CodedError {
  const nearest = nearestEndpoint(method, path, endpoints);
  return notFound(
    nearest === undefined ? other : `no such endpoint: ${method} ${path}; nearest: ${nearest}`,
  );
}

/** Returns the most similar endpoint: `GET /api/partner/v1/orders/{id}`; undefined if none is similar. */
function nearestEndpoint(
  method: string,
  path: string,
  endpoints: readonly EndpointPath[],
): string | undefined {
  if (method.length + path.length > MAX_COMPARED) return undefined;
  const segments = segmentsOf(path);
  // The map keeps the last of equal names: the path with the fewest parameters.
  const plainLast = endpoints.toSorted((a, b) => paramsOf(b) - paramsOf(a));
  const names = new Map(
    plainLast.map((endpoint) => {
      // A parameter matches any text.
      const parts = segmentsOf(endpoint.path).map((part, at) =>
        part.startsWith(':') ? (segments[at] ?? part) : part,
      );
      return [nameOf(endpoint.method, parts), endpoint];
    }),
  );
  const nearest = names.get(similar(nameOf(method, segments), [...names.keys()]) ?? '');
  return nearest && `${nearest.method} ${nearest.path.replaceAll(/:(\w+)/g, '{$1}')}`;
}

const segmentsOf = (path: string) => path.replace(PREFIX, '').split('/');

const nameOf = (method: string, segments: readonly string[]) => `${method} ${segments.join('/')}`;

const paramsOf = ({ path }: EndpointPath) => path.split(':').length;
