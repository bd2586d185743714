import type { ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import type { PartnerApi } from './pipeline/partner-api.ts';
import { type RawRequest, rawRequestInProcess, rawRequestOver } from './raw-request.ts';
import { type Reply, send, toResponse } from './reply.ts';

/** Node's own request, when the call came over a socket. */
export function incomingOf(c: Context): HttpBindings['incoming'] | undefined {
  return (c.env as Partial<HttpBindings> | undefined)?.incoming;
}

/** What a Hono application was asked, over a socket or in process (`app.request`). */
export function rawRequest(c: Context): RawRequest {
  const incoming = incomingOf(c);
  return incoming ? rawRequestOver(incoming) : rawRequestInProcess(c.req.raw);
}

/** Answers straight to the socket where there is one, which spares a Response, else as a Response. */
export function respond(c: Context, reply: Reply): Response {
  const { incoming, outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
  if (!incoming || !outgoing) return toResponse(reply);
  send(incoming, outgoing as ServerResponse, reply);
  return RESPONSE_ALREADY_SENT;
}

/** The partner door as a handler; over a socket, `serve` of the door itself is quicker. */
export function partnerHandler(partner: PartnerApi): (c: Context) => Promise<Response> {
  return async function handlePartnerRequest(c) {
    const request = rawRequest(c);
    const reply = await partner.respond(request);
    if (!reply.lost) return respond(c, reply);
    request.drop();
    return RESPONSE_ALREADY_SENT;
  };
}
