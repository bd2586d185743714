import type { World } from '../world/world.ts';
import {
  type ControlContext,
  callEndpoint,
  type EndpointOf,
  inputOf,
  noUpload,
} from './endpoint.ts';

/**
 * Calls a GET endpoint in process, for a page about `world`. The input is parsed as over HTTP, but unknown parameters are
 * ignored. An endpoint that writes would not be recorded, so a replay would lack the call.
 * @throws CodedError the error of the endpoint
 */
export async function callControl<Out>(
  endpoint: EndpointOf<Out>,
  { world, context }: { world: World; context: ControlContext },
  { params = {}, query = {} }: Partial<Record<'params' | 'query', Record<string, string>>> = {},
): Promise<Out> {
  const input = inputOf(endpoint, { params, query: Object.entries(query), body: {} });
  const call = { ...input, world, context };
  const body = await callEndpoint(endpoint, {
    ...call,
    world: endpoint.resolveWorld?.(call) ?? world,
    request: undefined,
    namedWorld: world,
    upload: { contentType: undefined, chunks: noUpload() },
    signal: new AbortController().signal,
  });
  return body as Out;
}
