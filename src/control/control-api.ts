import { type Context, Hono } from 'hono';
import { rawRequest, respond } from '../http/hono-adapter.ts';
import { jsonObject, parseInput, parseQueryInput } from '../http/input.ts';
import type { RawRequest } from '../http/node-request.ts';
import { type ApiResponse, errorResponse, loggedResponse } from '../http/response.ts';
import { notFound, validationError } from '../kernel/errors.ts';
import { LogEntryBuilder } from '../requests/entry-builder.ts';
import { StreamedBody } from '../requests/keep-body.ts';
import { parseQuery } from '../signing/canonical.ts';
import { DEFAULT_WORLD } from '../world/worlds.ts';
import { type ControlContext, type ControlEndpoint, callEndpoint } from './endpoint.ts';
import { type GuardOptions, guardControl, guardPublic, isAdmitted } from './guard.ts';

export interface ControlApiOptions {
  endpoints: readonly ControlEndpoint[];
  context: ControlContext;
  guard: GuardOptions;
  /** Told of errors that nobody foresaw. */
  report(error: unknown): void;
}

/** The routes under `/_sandbox`: unsigned JSON for people and CI, guarded against web pages. */
export function createControlApi(options: ControlApiOptions): Hono {
  const { endpoints, context, guard, report } = options;
  const handling = { report, redact: (message: string) => context.requests.redact(message) };
  const app = new Hono();

  for (const endpoint of endpoints) {
    app.on(endpoint.method, endpoint.path, (c) => {
      const path = `/_sandbox${endpoint.path}`;
      const logged = endpoint.method !== 'GET' && endpoint.logged !== false;
      const admit = endpoint.public ? guardPublic : guardControl;
      return handle(c, { admit, logged }, (entry) => {
        entry.endpoint = path;
        return perform(c, endpoint, entry);
      });
    });
  }
  app.all('*', (c) => {
    const { method, path } = c.req;
    const logged = method !== 'GET' && method !== 'HEAD';
    return handle(c, { admit: guardControl, logged }, () => {
      throw notFound(`there is no ${method} ${path} on the control door`);
    });
  });
  return app;

  /** Guards, responds and logs. A call that the guard rejects leaves no trace: anyone could make it. */
  async function handle(
    c: Context,
    { admit, logged }: { admit: typeof guardControl; logged: boolean },
    act: (entry: LogEntryBuilder) => Promise<ApiResponse | Response>,
  ): Promise<Response> {
    const { worlds, requests, runtime } = context;
    try {
      admit(c, guard);
    } catch (error) {
      return respond(c, errorResponse(error, handling));
    }
    const home = worlds.require(DEFAULT_WORLD);
    const entry = new LogEntryBuilder('control', rawRequest(c), home, runtime);
    entry.trace.check('route');
    const response = await Promise.resolve(entry)
      .then(act)
      .catch((error: unknown) => {
        entry.trace.fail(error);
        return errorResponse(error, handling);
      });
    if (response instanceof Response) return response;
    if (logged) {
      // The log of a world that the call has deleted is gone too.
      if (worlds.find(entry.world.name) !== entry.world) entry.world = home;
      requests.of(entry.world).append(entry.finish(loggedResponse(response)));
    }
    return respond(c, response);
  }

  async function perform(
    c: Context,
    endpoint: ControlEndpoint,
    entry: LogEntryBuilder,
  ): Promise<ApiResponse | Response> {
    const request = rawRequest(c);
    entry.trace.check('validation');
    const query = request.query === '' ? [] : parseQuery(request.query);
    rejectUnknownQuery(query, endpoint);
    const worldName = query.find(([name]) => name === 'world')?.[1] ?? DEFAULT_WORLD;
    // Which worlds there are is for callers who may use the control API.
    const named = context.worlds.require(isAdmitted(c, guard) ? worldName : DEFAULT_WORLD);
    entry.world = named;
    // As on the partner door, a body that is too large is refused before anything is looked at.
    const body = endpoint.body ? parseInput(endpoint.body, await bodyOf(request, entry)) : {};
    const call = {
      world: named,
      context,
      params: endpoint.params ? parseInput(endpoint.params, c.req.param()) : {},
      query: endpoint.query ? parseQueryInput(endpoint.query, query) : {},
      body,
    };
    const world = endpoint.home?.(call) ?? named;
    entry.world = world;
    entry.trace.check('rules');
    const uploaded = new StreamedBody();
    try {
      const handle = () =>
        callEndpoint(endpoint, {
          ...call,
          world,
          upload: {
            contentType: request.header('content-type'),
            chunks: endpoint.takesStream ? uploaded.watch(request.chunks()) : nothing(),
          },
          signal: c.req.raw.signal,
        });
      // What is read over many turns is staged in the connection.
      const result = await (endpoint.takesStream ? world.whileOpen(handle) : handle());
      // What was only read may have been written in this very turn.
      await world.committed();
      if (result instanceof Response) {
        result.headers.set('X-Content-Type-Options', 'nosniff');
        return result;
      }
      return { status: endpoint.status, body: JSON.stringify(result) };
    } finally {
      if (endpoint.takesStream) entry.setStreamedBody(uploaded.result());
    }
  }
}

/** A name that means nothing here may have been meant to mean much: `?wrold=w9`. @throws validation_error */
function rejectUnknownQuery(query: readonly [string, string][], endpoint: ControlEndpoint): void {
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
async function bodyOf(
  request: RawRequest,
  entry: LogEntryBuilder,
): Promise<Record<string, unknown>> {
  const raw = await request.body();
  entry.setBody(raw);
  return raw.length === 0 ? {} : jsonObject(raw, 'application/json');
}
