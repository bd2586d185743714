import { type Context, Hono } from 'hono';
import { jsonObject, parseInput, parseQueryInput } from '../http/input.ts';
import { rawRequest, respond } from '../http/over-hono.ts';
import type { RawRequest } from '../http/raw-request.ts';
import { errorReply, type Reply } from '../http/reply.ts';
import { notFound, validationError } from '../kernel/errors.ts';
import { parseQuery } from '../signing/canonical.ts';
import { DEFAULT_WORLD } from '../world/worlds.ts';
import type { ControlEndpoint, Machinery } from './endpoint.ts';
import { type GuardOptions, guardControl, guardPublic, isAdmitted } from './guard.ts';

export interface ControlDoorOptions {
  endpoints: readonly ControlEndpoint[];
  machinery: Machinery;
  guard: GuardOptions;
  /** Told of errors that nobody foresaw. */
  report(error: unknown): void;
}

/** The routes under `/_sandbox`: unsigned JSON for people and CI, guarded against web pages. */
export function controlDoor(options: ControlDoorOptions): Hono {
  const { endpoints, machinery, guard, report } = options;
  const app = new Hono();

  for (const endpoint of endpoints) {
    app.on(endpoint.method, endpoint.path, async function handleControlRequest(c) {
      const reply = await answer(c, endpoint).catch((error: unknown) => errorReply(error, report));
      return reply instanceof Response ? reply : respond(c, reply);
    });
  }
  app.all('*', (c) => {
    const refusal = notFound(`there is no ${c.req.method} ${c.req.path} on the control door`);
    return respond(c, errorReply(refusal, report));
  });
  return app;

  async function answer(c: Context, endpoint: ControlEndpoint): Promise<Reply | Response> {
    if (endpoint.public) guardPublic(c, guard);
    else guardControl(c, guard);
    const request = rawRequest(c);
    const query = request.query === '' ? [] : parseQuery(request.query);
    refuseUnknownQuery(query, endpoint);
    const named = query.find(([name]) => name === 'world')?.[1] ?? DEFAULT_WORLD;
    // Which worlds there are is for callers who may use the control API.
    const world = machinery.worlds.require(isAdmitted(c, guard) ? named : DEFAULT_WORLD);
    // As on the partner door, a body that is too large is refused before anything is looked at.
    const body = endpoint.body ? parseInput(endpoint.body, await bodyOf(request)) : {};
    const result = await endpoint.handle({
      world,
      machinery,
      params: endpoint.params ? parseInput(endpoint.params, c.req.param()) : {},
      query: endpoint.query ? parseQueryInput(endpoint.query, query) : {},
      body,
      upload: {
        contentType: request.header('content-type'),
        chunks: endpoint.takesStream ? request.chunks() : nothing(),
      },
      signal: c.req.raw.signal,
    });
    // What was only read may have been written in this very turn.
    await world.durable();
    if (result instanceof Response) {
      result.headers.set('X-Content-Type-Options', 'nosniff');
      return result;
    }
    return { status: endpoint.status, body: JSON.stringify(result) };
  }
}

/** A name that means nothing here may have been meant to mean much: `?wrold=w9`. @throws validation_error */
function refuseUnknownQuery(query: readonly [string, string][], endpoint: ControlEndpoint): void {
  const known = ['world', ...Object.keys(endpoint.query?.shape ?? {})];
  for (const [name] of query) {
    if (!known.includes(name)) {
      throw validationError(
        `query: there is no parameter "${name}"; there are ${known.join(', ')}`,
      );
    }
  }
  if (query.filter(([name]) => name === 'world').length > 1) {
    throw validationError('world: given more than once');
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** No body is an empty one; what there is must be a JSON object, whatever it is labelled. */
async function bodyOf(request: RawRequest): Promise<Record<string, unknown>> {
  const raw = await request.body();
  return raw.length === 0 ? {} : jsonObject(raw, 'application/json');
}
