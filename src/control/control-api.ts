import { type Context, Hono } from 'hono';
import { jsonObject } from '../http/fields.ts';
import { NO_BODY, type RawRequest, rawRequest } from '../http/request.ts';
import { type ApiResponse, errorResponse, loggedResponse, respond } from '../http/response.ts';
import { unknownEndpoint, validationError } from '../kernel/errors.ts';
import { LogEntryBuilder, StreamedBody } from '../requests/entry-builder.ts';
import { parseQuery } from '../signing/canonical.ts';
import { DEFAULT_WORLD } from '../world/files.ts';
import {
  type ControlCall,
  type ControlContext,
  type ControlEndpoint,
  callEndpoint,
  inputOf,
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
  endpoint: ControlEndpoint | undefined,
  options: ControlApiOptions,
): Promise<Response> {
  const { context, guard, report } = options;
  try {
    if (endpoint?.public) guardPublic(c, guard);
    else guardControl(c, guard);
  } catch (error) {
    // Not logged, because any web page could send it.
    return respond(c, errorResponse(error, { report }));
  }
  const { worlds, requests, runtime } = context;
  const raw = rawRequest(c);
  const entry = new LogEntryBuilder('control', raw, worlds.require(DEFAULT_WORLD), runtime);
  // A GET or HEAD is never logged. Other calls of unknown endpoints are.
  const isLogged = raw.method !== 'GET' && raw.method !== 'HEAD' && endpoint?.logged !== false;
  const response = await handleRequest({ c, endpoint, raw, entry, isLogged }, options).catch(
    (error: unknown) => {
      entry.trace.fail(error);
      return errorResponse(error, { report });
    },
  );
  if (response instanceof Response) {
    // The body of a HEAD response is never read, so its files and streams are closed here.
    if (c.req.method === 'HEAD') await response.body?.cancel();
    return response;
  }
  const defaultWorld = worlds.find(DEFAULT_WORLD);
  // The log is closed if the sandbox has closed meanwhile.
  if (isLogged && defaultWorld) {
    // The world and its log may be deleted, by this call or meanwhile. Its runs do not count in the default world.
    if (worlds.find(entry.world.name) !== entry.world) {
      entry.world = defaultWorld;
      entry.runs.length = 0;
    }
    requests.append(entry.world, entry.toEntry(loggedResponse(response)));
  }
  return respond(c, response);
}

interface ControlRequest {
  c: Context;
  /** Undefined if no endpoint has this method and path. */
  endpoint: ControlEndpoint | undefined;
  raw: RawRequest;
  entry: LogEntryBuilder;
  isLogged: boolean;
}

/** Checks a request and calls its endpoint, after the guard. @throws CodedError to reject it */
async function handleRequest(
  { c, endpoint, raw, entry, isLogged }: ControlRequest,
  { context, guard }: ControlApiOptions,
): Promise<ApiResponse | Response> {
  const { trace } = entry;
  trace.check('route');
  if (!endpoint) throw unknownEndpoint(c.req);
  entry.endpoint = `/_sandbox${endpoint.path}`;
  trace.check('validation');
  const query = readQuery(raw.query, endpoint);
  const [, worldName] = query.find(([name]) => name === 'world') ?? [];
  // A public endpoint has callers without the token, who cannot probe for worlds.
  const selectedName = worldName !== undefined && isAdmitted(c, guard) ? worldName : DEFAULT_WORLD;
  const selectedWorld = context.worlds.require(selectedName);
  entry.world = selectedWorld;
  const body = endpoint.body ? await readBody(raw, entry) : {};
  const input = inputOf(endpoint, { body, params: c.req.param(), query });
  const world =
    endpoint.resolveWorld?.({ ...input, world: selectedWorld, context }) ?? selectedWorld;
  entry.world = world;
  trace.check('rules');
  const uploadedBody = new StreamedBody();
  const call = {
    ...input,
    world,
    request: isLogged && endpoint.recordsRuns !== false ? entry : undefined,
    namedWorld: worldName === undefined ? undefined : world,
    context,
    upload: {
      contentType: raw.header('content-type'),
      chunks: endpoint.takesStream ? uploadedBody.watch(raw.chunks()) : noUpload(),
    },
    signal: c.req.raw.signal,
  } satisfies ControlCall;
  // Entries are redacted when they are written: before the call can delete a secret that they contain.
  if (isLogged) context.requests.flush();
  try {
    const result = await callEndpoint(endpoint, call);
    if (!(result instanceof Response)) {
      return { status: endpoint.status, body: JSON.stringify(result) };
    }
    result.headers.set('X-Content-Type-Options', 'nosniff');
    return result;
  } finally {
    const loggedBody = endpoint.logsBody === false ? NO_BODY : uploadedBody.beginning;
    if (endpoint.takesStream) entry.setBody(loggedBody, uploadedBody.bytes);
  }
}

/** Rejects unknown parameters, which may be misspelled: `?wrold=w9`. @throws validation_error */
function readQuery(text: string, endpoint: ControlEndpoint): [name: string, value: string][] {
  // HTTP libraries write a space as a plus sign.
  const query = parseQuery(text.replaceAll('+', '%20'));
  const parameters = ['world', ...Object.keys(endpoint.query?.shape ?? {})];
  const unknown = query.find(([name]) => !parameters.includes(name));
  if (unknown) {
    throw validationError(`query: unknown parameter "${unknown[0]}"; use ${parameters.join(', ')}`);
  }
  if (query.filter(([name]) => name === 'world').length > 1) {
    throw validationError('world: given more than once');
  }
  return query;
}

/** Reads a JSON object, of any content type; an empty body is `{}`. @throws validation_error */
async function readBody(raw: RawRequest, entry: LogEntryBuilder): Promise<Record<string, unknown>> {
  const body = await entry.readBody(raw.body());
  return body.length > 0 ? jsonObject(body, 'application/json') : {};
}
