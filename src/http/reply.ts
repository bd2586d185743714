import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import { CodedError, type ErrorCode } from '../kernel/errors.ts';
import { MalformedQueryError } from '../signing/canonical.ts';

/** An answer of either door before it becomes a Response. */
export interface Reply {
  status: number;
  /** JSON text. */
  body: string;
  /** Of an error. */
  code?: ErrorCode;
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
  return { status, body: JSON.stringify({ error: { code, message } }), code, retryAfterSeconds };
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
  const { incoming, outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
  if (!outgoing) return toResponse(reply);
  if (!outgoing.headersSent && !outgoing.destroyed) {
    outgoing.writeHead(reply.status, {
      ...headersOf(reply),
      'Content-Length': Buffer.byteLength(reply.body),
    });
    if (reply.status === 413 && incoming) lingerThenEnd(incoming, outgoing, reply.body);
    else outgoing.end(reply.body);
  }
  return RESPONSE_ALREADY_SENT;
}

/** How long a client may go on sending what is thrown away, so that it comes to read why. */
const LINGER_MS = 1_000;

/** Closing while a client still sends would reset the connection, and the answer with it. */
function lingerThenEnd(
  incoming: HttpBindings['incoming'],
  outgoing: HttpBindings['outgoing'],
  body: string,
): void {
  outgoing.write(body);
  const end = () => {
    clearTimeout(timer);
    outgoing.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  incoming.once('end', end).once('close', end).once('error', end);
  incoming.resume();
}

export function toResponse(reply: Reply): Response {
  return new Response(reply.body, { status: reply.status, headers: headersOf(reply) });
}

/** Every answer is JSON, errors included. A body refused unread closes the connection. */
export function headersOf({ status, retryAfterSeconds }: Reply): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
    ...(status === 413 && { Connection: 'close' }),
  };
}
