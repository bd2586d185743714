import { TrieRouter } from 'hono/router/trie-router';
import { similar } from '../../kernel/did-you-mean.ts';
import { type CodedError, notFound } from '../../kernel/errors.ts';
import type { Endpoint } from '../endpoint.ts';

export interface Route {
  endpoint: Endpoint;
  /** As in the path, not decoded. */
  params: Record<string, string>;
}

/** Finds endpoints by method and raw path; HEAD is routed as GET. */
export function routesOf(endpoints: readonly Endpoint[]) {
  const router = new TrieRouter<Endpoint>();
  const plain = new Map<string, Endpoint>();
  for (const each of endpoints) {
    if (each.path.includes(':')) router.add(each.method, each.path, each);
    else plain.set(`${each.method} ${each.path}`, each);
  }

  /** @throws not_found for an unknown path, and for an unknown method on a known one */
  return function requireRoute(method: string, path: string): Route {
    const verb = method === 'HEAD' ? 'GET' : method;
    const known = plain.get(`${verb} ${path}`);
    if (known) return { endpoint: known, params: {} };
    const [[match]] = router.match(verb, path);
    if (!match) throw unknownEndpoint(method, path, endpoints);
    const [endpoint, params] = match;
    return { endpoint, params: params as Record<string, string> };
  };
}

/** Looking for the nearest of a longer path would take too long. */
const MAX_COMPARED = 200;

/** What all paths begin with, so that it makes none similar. */
const PREFIX = '/api/partner/';

/** The rejection of a path that no endpoint has, with the nearest one if it is similar. */
function unknownEndpoint(method: string, path: string, endpoints: readonly Endpoint[]): CodedError {
  const unknown = `no such endpoint: ${method} ${path}`;
  if (method.length + path.length > MAX_COMPARED) return notFound(unknown);
  const given = path.split('/');
  // Of equal names, the last one stays.
  const plainLast = endpoints.toSorted((one, other) => paramsOf(other) - paramsOf(one));
  const names = new Map(
    plainLast.map((each) => {
      // A parameter is like any text.
      const segments = each.path.split('/');
      const filled = segments.map((part, at) =>
        part.startsWith(':') ? (given[at] ?? part) : part,
      );
      return [nameOf(each.method, filled.join('/')), `${each.method} ${pathOf(segments)}`];
    }),
  );
  const found = similar(nameOf(method, path), [...names.keys()]);
  return notFound(found === undefined ? unknown : `${unknown}; nearest: ${names.get(found)}`);
}

const nameOf = (method: string, path: string) => `${method} ${path.replace(PREFIX, '')}`;

const paramsOf = ({ path }: Endpoint) => path.split(':').length;

function pathOf(segments: readonly string[]): string {
  return segments.map((part) => part.replace(/^:(\w+)$/, '{$1}')).join('/');
}
