import { z } from 'zod';
import type { EndpointRoute } from '../faults/fault-path.ts';
import {
  declare,
  type EndpointBase,
  type EndpointDeclaration,
  type EndpointInput,
  type Method,
  type PathParams,
} from '../http/endpoint.ts';
import { parseQueryInput, parseWith } from '../http/fields.ts';
import type { RateLimits } from '../http/rate-limits.ts';
import type { Resource } from '../kernel/resource.ts';
import type { Runtime } from '../kernel/runtime.ts';
import type { RequestLog } from '../requests/request-log.ts';
import type { Schedulers } from '../schedule/scheduler.ts';
import type { Tx } from '../store/transaction.ts';
import type { Send } from '../webhooks/send.ts';
import type { RunningRequest } from '../world/run.ts';
import type { World } from '../world/world.ts';
import type { Worlds } from '../world/worlds.ts';
import type { OpenApiDocument } from './openapi-document.ts';

export { named } from '../http/endpoint.ts';

export interface ControlContext {
  worlds: Worlds;
  schedulers: Schedulers;
  requests: RequestLog;
  rateLimits: RateLimits;
  send: Send;
  runtime: Runtime;
  server: ServerInfo;
  /** Aborts when the server closes, which ends all streams. */
  closing: AbortSignal;
  /** Endpoints of the partner API; a fault that can match none of them is rejected. */
  partnerEndpoints: readonly EndpointRoute[];
  documents: Documents;
  reference(): Promise<ReferencePages>;
  /** Stops the server after the response; undefined if the sandbox only ends with its process, as in `exec`. */
  stop: (() => void) | undefined;
}

/** The OpenAPI documents of both APIs, built on request. */
export interface Documents {
  partner(): Promise<OpenApiDocument>;
  control(): Promise<OpenApiDocument>;
}

/** The reference pages of both APIs, imported when first requested. */
export interface ReferencePages {
  referencePage(api: 'partner' | 'control', world: string): Promise<Response>;
  /** Returns a stylesheet or script of the pages. They hold no data, so they need no token. */
  referenceAsset(version: string, name: string): Response | undefined;
}

export interface ServerInfo {
  /** Address in links: the public URL, or else the address of the bound port. */
  baseUrl(): string;
  /** Address of the bound port; that in links if there is none. */
  address(): string;
  /** Origin for clients, if it differs from the address of the server. */
  publicUrl: string | undefined;
  /** Folder of the state; null if it is kept in memory. */
  dataDir: string | null;
  /** Folder in which the server was started; null if commands do not find the sandbox by its folder. */
  workingDir: string | null;
}

export interface ControlCall<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
> extends EndpointInput<Params, Query, Body> {
  /** The world that `resolveWorld` returns, or else the one that `?world=` names, or else `default`. */
  world: World;
  /** For `world.transaction`, so that a replay repeats it. Undefined for a GET, and by `logged` and `recordsRuns`. */
  request: RunningRequest | undefined;
  /** Undefined if `?world=` is absent, for endpoints that then act in all worlds. */
  namedWorld: World | undefined;
  context: ControlContext;
  upload: Upload;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
}

/** A body that may be too large for memory. */
interface Upload {
  contentType: string | undefined;
  /** @throws validation_error if the client disconnects before the end */
  chunks: AsyncIterable<Uint8Array>;
}

/** An endpoint of the control API; `path` is relative to `/_sandbox`. */
export interface ControlEndpoint<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
  Row = unknown,
> extends EndpointBase<Params, Query, Body, Row> {
  /** Effects and errors of the endpoint, in addition to the summary. */
  description?: string;
  /** The body goes to the handler unread and without a limit. */
  takesStream?: true;
  /** Needs no control token, so its response must not reveal anything. */
  public?: true;
  /** Content types of a streamed body, or of a response that is not JSON; for the documents. */
  streamTypes?: readonly string[];
  /** False keeps calls out of the request log, and so out of a replay. GET calls are never in it. */
  logged?: false;
  /** False keeps a streamed body out of the request log, for one with secrets that the log does not know. */
  logsBody?: false;
  /** False if a logged call is not replayed: it neither changes nor depends on the world that it is logged in. */
  recordsRuns?: false;
  /** Returns the world to act in, if the input names it in another way than `?world=`. */
  resolveWorld?(
    call: Pick<ControlCall<Params, Query, Body>, 'world' | 'context' | 'params' | 'body'>,
  ): World;
  /** Handles a GET with `World.read`, and must not write. An endpoint has one of `read`, `write` and `handle`. */
  read?(call: InTransaction<ControlCall<Params, Query, Body>>): Row;
  /** Handles the call in a transaction, which is rolled back if it throws. */
  write?(call: InTransaction<ControlCall<Params, Query, Body>>): Row;
  /** Handles the call in transactions of its own. Returns the row that the response shows, or a Response, which is not logged. */
  handle?(call: ControlCall<Params, Query, Body>): Row | Response | Promise<Row | Response>;
}

type InTransaction<Call> = Call & { tx: Tx };

/** An endpoint whose response body and route are known to TypeScript: `GET /orders/:id`. */
export type EndpointOf<Out, Route extends string = string> = ControlEndpoint & {
  /** Exists only for type inference. */ readonly output?: Out;
  /** Exists only for type inference. */ readonly route?: Route;
};

export const get = forMethod('GET');
export const post = forMethod('POST');
export const put = forMethod('PUT');
export const patch = forMethod('PATCH');
export const del = forMethod('DELETE');

/**
 * Makes a function that declares endpoints of one method. The types of their input follow from their schemas. Parameters
 * of the path are text, and a POST takes an empty body, unless declared otherwise.
 */
function forMethod<const Verb extends Method>(method: Verb) {
  return <
    const Path extends string,
    Query extends z.ZodObject = z.ZodObject,
    Body extends z.ZodObject = z.ZodObject,
    Row = unknown,
    Out extends object = object,
    Params extends z.ZodObject = PathParams<Path>,
  >(
    path: Path,
    declaration: EndpointDeclaration<
      ControlEndpoint<Params, Query, Body, Row>,
      Params,
      Query,
      Body
    > & { response?: Resource<Out, Row> },
  ): EndpointOf<Out, `${Verb} ${Path}`> => {
    const emptyBody = method === 'POST' && !declaration.takesStream;
    // The API passes the output of these schemas, so the narrower input of the handler is sound.
    return declare(method, path, {
      ...(emptyBody && { body: () => z.strictObject({}) }),
      ...declaration,
    });
  };
}

/** The upload of an endpoint that takes no stream. */
export async function* noUpload(): AsyncGenerator<Uint8Array> {}

/** Reads the input of a call. @throws validation_error */
export function inputOf(
  { params, query, body }: ControlEndpoint,
  input: { params: object; query: readonly [string, string][]; body: object },
) {
  return {
    body: body ? parseWith(body, input.body) : {},
    params: params ? parseWith(params, input.params) : {},
    query: query ? parseQueryInput(query, input.query) : {},
  };
}

/** Runs an endpoint. @returns the body of its response, or the Response that its handler returned */
export async function callEndpoint(endpoint: ControlEndpoint, call: ControlCall): Promise<object> {
  const { read, write, handle } = endpoint;
  const { world, request } = call;
  if (write) return world.transaction((tx) => bodyOf(endpoint, write({ ...call, tx })), request);
  if (read) return world.read((tx) => bodyOf(endpoint, read({ ...call, tx })));
  try {
    return bodyOf(endpoint, await handle?.(call));
  } finally {
    // A call without a transaction has its place in the order too: what it did not find may have been created just after.
    if (request?.runs.length === 0 && !world.isClosed) world.recordRun(request);
  }
}

function bodyOf({ response }: ControlEndpoint, row: unknown): object {
  if (row instanceof Response) return row;
  if (!response) throw new Error('an endpoint without a response resource returns a Response');
  return response.view(row);
}

/** Responds with a file to save. @param name of the file @param headers beside those of every file */
export function fileResponse(
  bytes: Uint8Array,
  type: string,
  name: string,
  headers: Record<string, string> = {},
): Response {
  return new Response(bytes as Uint8Array<ArrayBuffer>, {
    headers: {
      'Content-Type': type,
      'Content-Length': String(bytes.length),
      'Content-Disposition': `attachment; filename="${name}"`,
      'Cache-Control': 'no-store',
      ...headers,
    },
  });
}
