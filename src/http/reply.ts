import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import { CodedError } from '../kernel/errors.ts';
import { MalformedQueryError } from '../signing/canonical.ts';

/** An answer of either door before it becomes a Response. */
export interface Reply {
  status: number;
  /** JSON text. */
  body: string;
  /** Whole seconds, for 429. */
  retryAfterSeconds?: number | undefined;
  /** The connection is cut instead of answering. */
  lost?: boolean;
}

/** The one place where an error becomes HTTP (specification, "Errors"). */
export function errorReply(error: unknown, report: (error: unknown) => void): Reply {
  const coded = codedOf(error);
  if (!coded) report(error);
  const { status, code, message, retryAfterSeconds } = coded ?? UNEXPECTED;
  return { status, body: JSON.stringify({ error: { code, message } }), retryAfterSeconds };
}

const UNEXPECTED = new CodedError(
  'internal_error',
  'unexpected error in the sandbox; it is in its log. Retry with exponential back-off',
);

function codedOf(error: unknown): CodedError | undefined {
  if (error instanceof CodedError) return error;
  if (error instanceof MalformedQueryError) {
    return new CodedError('validation_error', `query: ${error.message}`);
  }
  return undefined;
}

/**
 * Answers a request: straight to the socket where there is one, which spares a Response, else as a Response.
 */
export function respond(c: Context, reply: Reply): Response {
  const outgoing = (c.env as Partial<HttpBindings> | undefined)?.outgoing;
  if (!outgoing) return toResponse(reply);
  if (!outgoing.headersSent && !outgoing.destroyed) {
    outgoing.writeHead(reply.status, {
      ...headersOf(reply),
      'Content-Length': Buffer.byteLength(reply.body),
    });
    outgoing.end(reply.body);
  }
  return RESPONSE_ALREADY_SENT;
}

export function toResponse(reply: Reply): Response {
  return new Response(reply.body, { status: reply.status, headers: headersOf(reply) });
}

/** Every answer is JSON, errors included. A body refused unread closes the connection. */
function headersOf({ status, retryAfterSeconds }: Reply): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
    ...(status === 413 && { Connection: 'close' }),
  };
}
