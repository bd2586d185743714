import { TrieRouter } from 'hono/router/trie-router';
import { notFound } from '../../kernel/errors.ts';
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
    if (!match) throw notFound(`${method} ${path} not found`);
    const [endpoint, params] = match;
    return { endpoint, params: params as Record<string, string> };
  };
}
