import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, Hono } from 'hono';
import { fromFetchRequest, NodeRequest, type RawRequest } from './node-request.ts';
import { type ApiResponse, send, toResponse } from './response.ts';

/** What a request comes with: Node's objects over a socket, a raw request from `dispatch`, nothing from a fetch. */
interface Bindings extends Partial<HttpBindings> {
  raw?: RawRequest;
  /** The response to a raw request. */
  response?: ApiResponse;
}

const bindingsOf = (c: Context): Bindings => c.env ?? {};

/** Returns Node's request; undefined in process. */
function incomingOf(c: Context): HttpBindings['incoming'] | undefined {
  return bindingsOf(c).incoming;
}

export function rawRequest(c: Context): RawRequest {
  const { incoming, raw } = bindingsOf(c);
  return raw ?? (incoming ? new NodeRequest(incoming) : fromFetchRequest(c.req.raw));
}

/** Sends a response to the socket, which is faster than a Response; in process, returns a Response. */
export function respond(c: Context, response: ApiResponse): Response {
  const bindings = bindingsOf(c);
  const { incoming, outgoing, raw } = bindings;
  if (raw) {
    bindings.response = response;
    return new Response();
  }
  if (!incoming || !outgoing) return toResponse(response);
  send(incoming, outgoing as ServerResponse, response);
  return RESPONSE_ALREADY_SENT;
}

/** Sends a partner API request in process as it was received elsewhere: fetch normalizes paths and rejects some methods. */
export async function dispatch(app: Hono, raw: RawRequest): Promise<ApiResponse> {
  const request = new Request(new URL(raw.path, 'http://localhost'), { method: 'POST' });
  Object.defineProperty(request, 'method', { value: raw.method });
  const bindings: Bindings = { raw };
  await app.fetch(request, bindings);
  if (!bindings.response) throw new Error(`${raw.path} is not a path of the partner API`);
  return bindings.response;
}

export interface RequestHost {
  /** In lower case, with the port if one was named. */
  full: string;
  /** Without port and brackets. */
  name: string;
  port: string;
}

export function hostOf(c: Context): RequestHost {
  const incoming = incomingOf(c);
  const full = ((incoming ? incoming.headers.host : new URL(c.req.url).host) ?? '').toLowerCase();
  const port = /:(\d+)$/.exec(full)?.[1] ?? '80';
  return { full, name: bareName(full.replace(/:\d+$/, '')), port };
}

/** Returns the local address of the connection; undefined in process. */
export function localAddressOf(c: Context): string | undefined {
  const incoming: IncomingMessage | undefined = incomingOf(c);
  return incoming?.socket.localAddress?.replace(/^::ffff:(?=\d+\.)/, '');
}

export function bareName(host: string): string {
  return host.toLowerCase().replace(/^\[|\]$/g, '');
}

/**
 * Returns whether a page of another origin sent a request, according to its Origin and Sec-Fetch-Site headers, which
 * only browsers send.
 * @param publicUrl origin under which a proxy serves these pages
 */
export function isFromOtherOrigin(c: Context, publicUrl: string | undefined): boolean {
  const origin = c.req.header('origin')?.toLowerCase();
  const ownOrigins = [`http://${hostOf(c).full}`, ...(publicUrl === undefined ? [] : [publicUrl])];
  if (origin !== undefined && !ownOrigins.includes(origin)) return true;
  const site = c.req.header('sec-fetch-site');
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

/** Returns whether the browser uses https, which a proxy terminates: by its Origin, or else by the public URL. */
export function isOverHttps(c: Context, publicUrl: string | undefined): boolean {
  return (c.req.header('origin') ?? publicUrl)?.startsWith('https:') === true;
}
