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

/** Every answer is JSON, errors included. A body refused unread closes the connection. */
export function toResponse(reply: Reply): Response {
  const headers: Record<string, string> = { 'Content-Type': 'application/json' };
  if (reply.retryAfterSeconds !== undefined) {
    headers['Retry-After'] = String(reply.retryAfterSeconds);
  }
  if (reply.status === 413) headers.Connection = 'close';
  return new Response(reply.body, { status: reply.status, headers });
}
