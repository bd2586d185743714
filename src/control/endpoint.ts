import type { z } from 'zod';
import type { Reachable } from '../faults/path-pattern.ts';
import type { Method } from '../http/endpoint.ts';
import type { ErrorCode } from '../kernel/errors.ts';
import type { Runtime } from '../kernel/runtime.ts';
import type { RequestLogs } from '../requests/request-logs.ts';
import type { Schedulers } from '../schedule/schedulers.ts';
import type { Send } from '../webhooks/send.ts';
import type { World } from '../world/world.ts';
import type { Worlds } from '../world/worlds.ts';

/** What the control door steers: the running parts of the sandbox. */
export interface Machinery {
  worlds: Worlds;
  schedulers: Schedulers;
  requests: RequestLogs;
  send: Send;
  runtime: Runtime;
  about: About;
  /** Ends when the server is about to: what streams to somebody ends with it. */
  closing: AbortSignal;
  /** Endpoints of the partner API; a fault that can match none of them is rejected. */
  partnerEndpoints: readonly Reachable[];
  documents: Documents;
  reference: ReferencePages;
  /** Ends the server after the answer; undefined where it ends with the process that holds it. */
  stop: (() => void) | undefined;
}

/** The OpenAPI documents of both doors, made when they are asked for. */
export interface Documents {
  partner(): Promise<object>;
  control(): Promise<object>;
}

/** The pages that describe both doors, made when they are asked for. */
export interface ReferencePages {
  page(api: 'partner' | 'control'): Promise<Response>;
  /** What they load; undefined when there is no such thing. */
  asset(name: string): Promise<Response | undefined>;
}

/** What the server says of itself. */
export interface About {
  /** Address for clients: the public one if there is one, else where it listens; known once the port is bound. */
  baseUrl(): string;
  /** Origin under which clients reach it, if that is another than where it listens. */
  publicUrl: string | undefined;
  /** Folder of the state; null when it is kept in memory. */
  dataDir: string | null;
  /** Unix ms, real time. */
  startedAt: number;
}

export interface ControlCall<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
> {
  /** The world named by `?world=`, `default` when none is. */
  world: World;
  machinery: Machinery;
  params: z.output<Params>;
  query: z.output<Query>;
  body: z.output<Body>;
  /** The body as it comes in, of a route that takes a stream; empty for others. */
  upload: Upload;
  /** Ends when the caller hangs up. */
  signal: AbortSignal;
}

/** A body that is too large to be read before it is looked at. */
export interface Upload {
  contentType: string | undefined;
  /** @throws validation_error when the caller hangs up half-way */
  chunks: AsyncIterable<Uint8Array>;
}

/** One route of the control door; `path` is relative to `/_sandbox`. */
export interface ControlEndpoint<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
> {
  /** What generated clients call it: the `operationId` of the OpenAPI document. */
  name: string;
  method: Method;
  path: string;
  summary: string;
  params?: Params;
  query?: Query;
  body?: Body;
  /** The body goes to the handler unread and without a limit. */
  takesStream?: boolean;
  /** Needs no control token, and so may reveal nothing. */
  public?: true;
  /** Content types of such a body, and of an answer that is no JSON; for documents. */
  streamTypes?: readonly string[];
  /** False leaves calls out of the request log. Those of GET routes never enter it. */
  logged?: boolean;
  /** The world that a call acts in, where its input names one by other means than `?world=`. */
  home?(
    call: Pick<ControlCall<Params, Query, Body>, 'world' | 'machinery' | 'params' | 'body'>,
  ): World;
  /** Codes that this route gives beyond those of every route. */
  errors?: readonly ErrorCode[];
  status: 200 | 201;
  /** What success answers, unless it is a stream; for documents and tests. */
  answer?: () => z.ZodType;
  /** Answers the document, or a Response of its own where that is a stream. */
  handle(call: ControlCall<Params, Query, Body>): object | Promise<object>;
}

/** Declares a control route; the types of its input follow from its schemas. */
export function controlEndpoint<
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodObject = z.ZodObject,
>(declaration: ControlEndpoint<Params, Query, Body>): ControlEndpoint {
  // The door hands over what these very schemas made, so the handler's narrower input is honest.
  return declaration as unknown as ControlEndpoint;
}
