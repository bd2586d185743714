import { type IncomingMessage, maxHeaderSize, type ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, Hono } from 'hono';
import { CodedError, type ErrorCode, validationError } from '../kernel/errors.ts';
import type { ResponseParts } from '../requests/entry-builder.ts';
import type { HeaderList } from '../requests/message.ts';
import { type Bindings, bindingsOf, type RawRequest } from './request.ts';

/** Thrown in process where a client over a socket would see its connection closed. */
export class ConnectionClosedError extends Error {
  constructor() {
    super('the sandbox closed the connection without a complete response');
    this.name = 'ConnectionClosedError';
  }
}

export interface ApiResponse {
  status: number;
  /** JSON text, unless `contentType` says otherwise. */
  body: string;
  /** Set only for the HTML page of a gateway, which a fault injects; then no header of the API is sent. */
  contentType?: string;
  code?: ErrorCode;
  /** Whole seconds, for 429. */
  retryAfterSeconds?: number | undefined;
  /** Closes the connection without a response. */
  closed?: boolean;
  /** Closes the connection after this many bytes of the body; Content-Length is that of the whole body. */
  truncateAt?: number | undefined;
}

export interface ErrorHandling {
  /** Called with unexpected errors. */
  report(error: unknown): void;
}

/** Turns an error into a response (specification, "Errors"). */
export function errorResponse(error: unknown, { report }: ErrorHandling): ApiResponse {
  if (error instanceof CodedError) return codedResponse(error);
  report(error);
  return codedResponse(UNEXPECTED);
}

/** Returns what the request log keeps: a truncated response in full, undefined if the connection is closed instead. */
export function loggedResponse(response: ApiResponse): ResponseParts | undefined {
  if (response.closed) return undefined;
  const { status, body, code } = response;
  return { status, body, code, headers: headersOf(response) };
}

function codedResponse({ status, code, message, retryAfterSeconds }: CodedError): ApiResponse {
  return { status, body: JSON.stringify({ error: { code, message } }), code, retryAfterSeconds };
}

export const NOT_HTTP = codedResponse(validationError('request: not a well-formed HTTP request'));

export const HEADERS_TOO_LARGE = codedResponse(
  validationError(`request: the request line and headers are larger than ${maxHeaderSize} bytes`),
);

const UNEXPECTED = new CodedError(
  'internal_error',
  'unexpected error in the sandbox; it is in its log. Retry with exponential back-off',
);

/** A raw request from `dispatch` gets its response here. */
type RawBindings = Bindings & { response?: ApiResponse };

/** Sends a response to the socket, which is faster than a Response; in process, returns a Response. */
export function respond(c: Context, response: ApiResponse): Response {
  const bindings: RawBindings = bindingsOf(c);
  const { incoming, outgoing, raw } = bindings;
  if (raw) {
    bindings.response = response;
    return new Response();
  }
  if (!incoming || !outgoing) return toResponse(response);
  send(incoming, outgoing, response);
  return RESPONSE_ALREADY_SENT;
}

/** Sends a partner API request in process as it was received elsewhere: fetch normalizes paths and rejects some methods. */
export async function dispatch(app: Hono, raw: RawRequest): Promise<ApiResponse> {
  const request = new Request(new URL(raw.path, 'http://localhost'), { method: 'POST' });
  Object.defineProperty(request, 'method', { value: raw.method });
  const bindings: RawBindings = { raw };
  await app.fetch(request, bindings);
  if (!bindings.response) throw new Error(`${raw.path} is not a path of the partner API`);
  return bindings.response;
}

/** Sends a response, or the part before `truncateAt`, unless the socket is closed. */
function send(incoming: IncomingMessage, outgoing: ServerResponse, response: ApiResponse): void {
  if (outgoing.headersSent || outgoing.destroyed) return;
  if (response.closed) return void incoming.socket.destroy();
  const part = truncatedPart(response);
  const lines: string[] = [];
  for (const [name, value] of headersOf(response)) lines.push(name, value);
  lines.push('Content-Length', String(Buffer.byteLength(response.body)));
  outgoing.writeHead(response.status, lines);
  if (!part) return void outgoing.end(response.body);
  outgoing.flushHeaders();
  if (part.length > 0) outgoing.write(part);
  outgoing.socket?.destroySoon();
}

/** Returns the part of a truncated body that is sent; undefined if the whole body is sent. */
function truncatedPart({ body, truncateAt }: ApiResponse): Uint8Array<ArrayBuffer> | undefined {
  if (truncateAt === undefined) return undefined;
  const bytes = new TextEncoder().encode(body);
  return truncateAt < bytes.length ? bytes.subarray(0, truncateAt) : undefined;
}

/** @throws ConnectionClosedError if the connection is closed instead; the `fetch` of the sandbox rejects with it */
export function toResponse(response: ApiResponse): Response {
  if (response.closed) throw new ConnectionClosedError();
  const { status, body } = response;
  const headers = Object.fromEntries(headersOf(response));
  const part = truncatedPart(response);
  if (!part) return new Response(body, { status, headers });
  // As over a socket: the Content-Length of the whole body, a part of it, and then an error.
  headers['Content-Length'] = String(Buffer.byteLength(body));
  const partThenError = new ReadableStream({
    start: (stream) => {
      if (part.length > 0) stream.enqueue(part);
    },
    pull: (stream) => stream.error(new ConnectionClosedError()),
  });
  return new Response(partThenError, { status, headers });
}

export const DEFAULT_HEADERS: HeaderList = [
  ['Content-Type', 'application/json'],
  ['X-Content-Type-Options', 'nosniff'],
];

function headersOf({ retryAfterSeconds, contentType }: ApiResponse): HeaderList {
  if (contentType !== undefined) return [['Content-Type', contentType]];
  if (retryAfterSeconds === undefined) return DEFAULT_HEADERS;
  return [...DEFAULT_HEADERS, ['Retry-After', String(retryAfterSeconds)]];
}
