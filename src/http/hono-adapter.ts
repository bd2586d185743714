import type { IncomingMessage, ServerResponse } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, Hono } from 'hono';
import { fromFetchRequest, NodeRequest, type RawRequest } from './node-request.ts';
import { type ApiResponse, NOT_HTTP, send, toResponse } from './response.ts';

export function listenerOf(app: Hono) {
  return getRequestListener(app.fetch, {
    // Used if the Host header is missing, which is not an error here.
    hostname: 'localhost',
    overrideGlobalObjects: false,
    // `serve` reads the rest of a body, up to a limit.
    autoCleanupIncoming: false,
    errorHandler: () => toResponse(NOT_HTTP),
  });
}

/** Returns Node's request; undefined in process. */
function incomingOf(c: Context): HttpBindings['incoming'] | undefined {
  return (c.env as Partial<HttpBindings> | undefined)?.incoming;
}

export function rawRequest(c: Context): RawRequest {
  const incoming = incomingOf(c);
  return incoming ? new NodeRequest(incoming) : fromFetchRequest(c.req.raw);
}

/** Sends a response to the socket, which is faster than a Response; in process, returns a Response. */
export function respond(c: Context, response: ApiResponse): Response {
  const { incoming, outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
  if (!incoming || !outgoing) return toResponse(response);
  send(incoming, outgoing as ServerResponse, response);
  return RESPONSE_ALREADY_SENT;
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
