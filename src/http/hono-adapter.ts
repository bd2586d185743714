import type { ServerResponse } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context, Hono } from 'hono';
import { fromFetchRequest, fromNodeRequest, type RawRequest } from './node-request.ts';
import type { PartnerApi } from './pipeline/partner-api.ts';
import { type ApiResponse, NOT_HTTP, send, toResponse } from './response.ts';

export function listenerOf(app: Hono) {
  return getRequestListener(app.fetch, {
    // Replaces a missing Host header, which is not an error here.
    hostname: 'localhost',
    overrideGlobalObjects: false,
    // `serve` reads the rest of a body, up to a limit.
    autoCleanupIncoming: false,
    errorHandler: () => toResponse(NOT_HTTP),
  });
}

/** Returns Node's request; undefined in process. */
export function incomingOf(c: Context): HttpBindings['incoming'] | undefined {
  return (c.env as Partial<HttpBindings> | undefined)?.incoming;
}

export function rawRequest(c: Context): RawRequest {
  const incoming = incomingOf(c);
  return incoming ? fromNodeRequest(incoming) : fromFetchRequest(c.req.raw);
}

/** Sends a response to the socket, which is faster than a Response; in process, returns a Response. */
export function respond(c: Context, response: ApiResponse): Response {
  const { incoming, outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
  if (!incoming || !outgoing) return toResponse(response);
  send(incoming, outgoing as ServerResponse, response);
  return RESPONSE_ALREADY_SENT;
}

/** Returns the partner API as a Hono handler. `PartnerApi.serve` is faster, but needs a socket. */
export function partnerHandler(partner: PartnerApi): (c: Context) => Promise<Response> {
  return async function handlePartnerRequest(c) {
    const request = rawRequest(c);
    const response = await partner.respond(request);
    if (!response.closed) return respond(c, response);
    request.drop();
    return RESPONSE_ALREADY_SENT;
  };
}
