import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { toResponse } from './reply.ts';
import { NOT_HTTP } from './serve.ts';

/** What Node's server calls for the requests of an application. */
export function listenerOf(app: Hono) {
  return getRequestListener(app.fetch, {
    // Stands in for a missing Host header, which is no reason to refuse a partner's request.
    hostname: 'localhost',
    overrideGlobalObjects: false,
    // `serve` reads what is left of a body, within a limit.
    autoCleanupIncoming: false,
    errorHandler: () => toResponse(NOT_HTTP),
  });
}
