import { type Context, Hono } from 'hono';
import { jsonObject, parseInput, parseQueryInput } from '../http/fields.ts';
import { rawRequest, respond } from '../http/hono-adapter.ts';
import type { RawRequest } from '../http/node-request.ts';
import { type ApiResponse, errorResponse, loggedResponse } from '../http/response.ts';
import { notFound, validationError } from '../kernel/errors.ts';
import { LogEntryBuilder } from '../requests/entry-builder.ts';
import { StreamedBody } from '../requests/keep-body.ts';
import type { Check } from '../requests/trace.ts';
import { parseQuery } from '../signing/canonical.ts';
import { UNRECORDED } from '../world/acts.ts';
import type { World } from '../world/world.ts';
import { DEFAULT_WORLD } from '../world/worlds.ts';
import {
  type ControlCall,
  type ControlContext,
  type ControlEndpoint,
  callEndpoint,
  noUpload,
} from './endpoint.ts';
import { type GuardOptions, guardControl, guardPublic, isAdmitted } from './guard.ts';

export interface ControlApiOptions {
  endpoints: readonly ControlEndpoint[];
  context: ControlContext;
  guard: GuardOptions;
  /** Called with unexpected errors. */
  report(error: unknown): void;
}

/** A control API request while it is handled: what came, and what the steps have added. */
class ControlRequest {
  readonly c: Context;
  readonly raw: RawRequest;
  readonly options: ControlApiOptions;
  readonly entry: LogEntryBuilder;
  /** Undefined if no endpoint has this method and path. */
  readonly route: ControlEndpoint | undefined;
  declare endpoint: ControlEndpoint;
  declare query: readonly [name: string, value: string][];
  declare world: World;
  body: Record<string, unknown> = {};
  declare input: Pick<ControlCall, 'params' | 'query' | 'body'>;

  constructor(c: Context, route: ControlEndpoint | undefined, options: ControlApiOptions) {
    const { worlds, runtime } = options.context;
    this.c = c;
    this.route = route;
    this.options = options;
    this.raw = rawRequest(c);
    this.entry = new LogEntryBuilder('control', this.raw, worlds.require(DEFAULT_WORLD), runtime);
  }

  /** The cause of its acts. */
  get cause(): ControlCall['cause'] {
    return isLogged(this) && this.entry.isRecorded ? this.entry : UNRECORDED;
  }

  get namedWorld(): World | undefined {
    return this.query.some(([name]) => name === 'world') ? this.world : undefined;
  }

  /** Acts in this world from now on, and is logged in it. */
  enter(world: World): void {
    this.world = world;
    this.entry.world = world;
  }
}

/** A step reads and adds to the request; it returns a response to stop, or throws a CodedError to reject. */
interface Step {
  /** Its entry in the decision trace. */
  check?: Check;
  run(request: ControlRequest): ApiResponse | Response | undefined | Promise<ControlResult>;
}

type ControlResult = ApiResponse | Response | undefined;

/** The checks of a control API request, in order. The guard precedes them. */
const STEPS: readonly Step[] = [
  { check: 'route', run: matchRoute },
  { check: 'validation', run: checkQuery },
  { run: selectWorld },
  { run: readBody },
  { run: validateInput },
  { check: 'rules', run: handle },
];

/** Creates the control API under `/_sandbox`: unsigned JSON, guarded against web pages. */
export function createControlApi(options: ControlApiOptions): Hono {
  const app = new Hono();
  for (const endpoint of options.endpoints) {
    app.on(endpoint.method, endpoint.path, (c) => respondTo(c, endpoint, options));
  }
  app.all('*', (c) => respondTo(c, undefined, options));
  return app;
}

async function respondTo(
  c: Context,
  route: ControlEndpoint | undefined,
  options: ControlApiOptions,
): Promise<Response> {
  const { context, guard, report } = options;
  const handling = { report, redact: (message: string) => context.requests.redact(message) };
  try {
    if (route?.public) guardPublic(c, guard);
    else guardControl(c, guard);
  } catch (error) {
    // Not logged: anyone could send it.
    return respond(c, errorResponse(error, handling));
  }
  const request = new ControlRequest(c, route, options);
  const response = await runSteps(request).catch((error: unknown) => {
    request.entry.trace.fail(error);
    return errorResponse(error, handling);
  });
  if (response instanceof Response) {
    // The body of a HEAD response is never read, so its files and streams are closed here.
    if (c.req.method === 'HEAD') await response.body?.cancel();
    return response;
  }
  if (isLogged(request)) log(request, response);
  return respond(c, response);
}

async function runSteps(request: ControlRequest): Promise<ApiResponse | Response> {
  for (const { check, run } of STEPS) {
    if (check) request.entry.trace.check(check);
    const response = await run(request);
    if (response) return response;
  }
  throw new Error('the last step returns a response');
}

/** @throws not_found */
function matchRoute(request: ControlRequest): undefined {
  const { route, c, entry } = request;
  if (!route) throw notFound(`${c.req.method} ${c.req.path} not found in the control API`);
  request.endpoint = route;
  entry.endpoint = `/_sandbox${route.path}`;
  if (route.entersWorld === false) entry.isRecorded = false;
}

/** Rejects unknown parameters, which may be misspelled: `?wrold=w9`. @throws validation_error */
function checkQuery(request: ControlRequest): undefined {
  const { raw, endpoint } = request;
  request.query = raw.query === '' ? [] : parseQuery(raw.query);
  const known = ['world', ...Object.keys(endpoint.query?.shape ?? {})];
  const unknown = request.query.find(([name]) => !known.includes(name));
  if (unknown) {
    throw validationError(`query: unknown parameter "${unknown[0]}"; use ${known.join(', ')}`);
  }
  if (request.query.filter(([name]) => name === 'world').length > 1) {
    throw validationError('world: given more than once');
  }
}

/** @throws not_found, but only for callers that may use the control API: others cannot probe for worlds */
function selectWorld(request: ControlRequest): undefined {
  const { c, query, options } = request;
  const named = query.find(([name]) => name === 'world')?.[1] ?? DEFAULT_WORLD;
  const name = isAdmitted(c, options.guard) ? named : DEFAULT_WORLD;
  request.enter(options.context.worlds.require(name));
}

/** An absent body is `{}`; any other must be a JSON object, of any content type. @throws validation_error */
async function readBody(request: ControlRequest): Promise<undefined> {
  const { endpoint, raw, entry } = request;
  if (!endpoint.body) return;
  const body = await raw.body().catch((error: unknown) => {
    entry.rejectBody(error);
    throw error;
  });
  entry.setBody(body);
  if (body.length > 0) request.body = jsonObject(body, 'application/json');
}

/** @throws validation_error */
function validateInput(request: ControlRequest): undefined {
  const { c, endpoint, query, body, world, options } = request;
  const input = {
    body: endpoint.body ? parseInput(endpoint.body, body) : {},
    params: endpoint.params ? parseInput(endpoint.params, c.req.param()) : {},
    query: endpoint.query ? parseQueryInput(endpoint.query, query) : {},
  };
  request.input = input;
  request.enter(endpoint.home?.({ ...input, world, context: options.context }) ?? world);
}

async function handle(request: ControlRequest): Promise<ApiResponse | Response> {
  const { c, endpoint, raw, input, world, entry, options } = request;
  const uploaded = new StreamedBody();
  const chunks = endpoint.takesStream ? uploaded.watch(raw.chunks()) : noUpload();
  const call = {
    ...input,
    world,
    cause: request.cause,
    namedWorld: request.namedWorld,
    context: options.context,
    upload: { contentType: raw.header('content-type'), chunks },
    signal: c.req.raw.signal,
  };
  try {
    // An import stages its rows in the connection, which must stay open.
    const result = await (endpoint.takesStream
      ? world.whileOpen(() => callEndpoint(endpoint, call))
      : callEndpoint(endpoint, call));
    // A read may have seen what a request of the same tick has not committed yet.
    await world.committed();
    if (!(result instanceof Response)) {
      return { status: endpoint.status, body: JSON.stringify(result) };
    }
    result.headers.set('X-Content-Type-Options', 'nosniff');
    return result;
  } finally {
    if (endpoint.takesStream) entry.setStreamedBody(uploaded.result());
  }
}

/** Calls that change something are logged, and so are attempts to call an unknown endpoint. */
function isLogged({ raw, route }: ControlRequest): boolean {
  return raw.method !== 'GET' && raw.method !== 'HEAD' && route?.logged !== false;
}

function log({ entry, options }: ControlRequest, response: ApiResponse): void {
  const { worlds, requests } = options.context;
  // The log of a world that the call has deleted is gone too.
  if (worlds.find(entry.world.name) !== entry.world) {
    entry.world = worlds.require(DEFAULT_WORLD);
    entry.isRecorded = false;
  }
  requests.of(entry.world).append(entry.finish(loggedResponse(response)));
}
