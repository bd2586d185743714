import { parseInput, parseQueryInput } from '../http/input.ts';
import type { World } from '../world/world.ts';
import { type ControlContext, type ControlEndpoint, callEndpoint } from './endpoint.ts';

/** What is asked of a route that only reads. */
export interface Question {
  params?: Record<string, string>;
  query?: Record<string, string>;
}

/**
 * The answer of a GET route to a caller in this process: as over HTTP, input checked and all.
 * @throws validation_error, not_found and whatever else the route refuses with
 */
export async function ask<T>(
  endpoint: ControlEndpoint,
  { world, context }: { world: World; context: ControlContext },
  { params = {}, query = {} }: Question = {},
): Promise<T> {
  const call = {
    world,
    context,
    params: endpoint.params ? parseInput(endpoint.params, params) : {},
    query: endpoint.query ? parseQueryInput(endpoint.query, Object.entries(query)) : {},
    body: {},
  };
  const answer = await callEndpoint(endpoint, {
    ...call,
    world: endpoint.home?.(call) ?? world,
    upload: { contentType: undefined, chunks: nothing() },
    signal: new AbortController().signal,
  });
  return answer as T;
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
