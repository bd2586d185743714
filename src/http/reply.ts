import type { IncomingMessage, ServerResponse } from 'node:http';
import { CodedError, type ErrorCode } from '../kernel/errors.ts';
import type { ResponseParts } from '../requests/entry-builder.ts';
import { MalformedQueryError } from '../signing/canonical.ts';
import { explainDiskFull } from '../store/disk-full.ts';
import { ConnectionDropped } from './raw-request.ts';

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
  /** The connection is cut behind so many bytes of the body, though all were promised. */
  truncateAt?: number | undefined;
}

/** What an error passes on its way to a client. */
export interface ErrorHandling {
  /** Told of errors that nobody foresaw. */
  report(error: unknown): void;
  /** Takes secrets out of a message, which may quote what a client sent. */
  redact(message: string): string;
}

/** The one place where an error becomes HTTP (specification, "Errors"). */
export function errorReply(error: unknown, { report, redact }: ErrorHandling): Reply {
  const coded = codedOf(error);
  if (!coded) report(error);
  const full = coded ? undefined : explainDiskFull(error);
  const reply = codedReply(coded ?? (full === undefined ? UNEXPECTED : noSpace(full)));
  return { ...reply, body: redact(reply.body) };
}

/** What the request log keeps of a response; undefined if the connection is closed instead. */
export function loggedResponse(reply: Reply): ResponseParts | undefined {
  if (reply.lost) return undefined;
  const { status, body, code } = reply;
  return { status, body, code, headers: Object.entries(headersOf(reply)) };
}

export function codedReply({ status, code, message, retryAfterSeconds }: CodedError): Reply {
  return { status, body: JSON.stringify({ error: { code, message } }), code, retryAfterSeconds };
}

function noSpace(why: string): CodedError {
  return new CodedError(
    'internal_error',
    `${why}; the sandbox recorded nothing of this request. Free some space and retry`,
  );
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

/** Answers a request over its socket, unless that is gone. */
export function send(incoming: IncomingMessage, outgoing: ServerResponse, reply: Reply): void {
  if (outgoing.headersSent || outgoing.destroyed) return;
  const part = partOf(reply);
  outgoing.writeHead(reply.status, {
    ...headersOf(reply),
    'Content-Length': Buffer.byteLength(reply.body),
  });
  if (part) cutBehind(part, outgoing);
  else if (reply.status === 413) lingerThenEnd(incoming, outgoing, reply.body);
  else outgoing.end(reply.body);
}

/** How long a client may go on sending what is thrown away, so that it comes to read why. */
const LINGER_MS = 1_000;

/** Closing while a client still sends would reset the connection, and the answer with it. */
function lingerThenEnd(incoming: IncomingMessage, outgoing: ServerResponse, body: string): void {
  outgoing.write(body);
  const end = () => {
    clearTimeout(timer);
    outgoing.end();
  };
  const timer = setTimeout(end, LINGER_MS);
  incoming.once('end', end).once('close', end).once('error', end);
  discardRest(incoming);
}

/** What is read at most of a body that came with or after its response, and is thrown away. */
export const MAX_DISCARDED_BYTES = 8 * 1024 * 1024;

const discarding = new WeakSet<IncomingMessage>();

/**
 * Throws the rest of a body away, so that the connection can take the next request. A client that sends more
 * than `MAX_DISCARDED_BYTES` is not read any more, and its connection is closed once it could read the response.
 */
export function discardRest(incoming: IncomingMessage): void {
  if (incoming.complete || discarding.has(incoming)) return;
  discarding.add(incoming);
  const { socket } = incoming;
  let left = MAX_DISCARDED_BYTES;
  const discard = (chunk: Buffer) => {
    left -= chunk.length;
    if (left >= 0) return;
    incoming.off('data', discard).pause();
    socket.end();
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
  };
  incoming.on('data', discard).resume();
}

/** What arrives of a body that is cut off; undefined when all of it does. */
function partOf({ body, truncateAt }: Reply): Uint8Array<ArrayBuffer> | undefined {
  if (truncateAt === undefined) return undefined;
  const whole = new TextEncoder().encode(body);
  return truncateAt < whole.length ? whole.subarray(0, truncateAt) : undefined;
}

function cutBehind(part: Uint8Array, outgoing: ServerResponse): void {
  outgoing.flushHeaders();
  if (part.length > 0) outgoing.write(part);
  outgoing.socket?.destroySoon();
}

/** What a client over a socket sees: the promised length, a part of it, and then an error. */
function cutResponse(reply: Reply, part: Uint8Array<ArrayBuffer>): Response {
  const body = new ReadableStream({
    start: (stream) => {
      if (part.length > 0) stream.enqueue(part);
    },
    pull: (stream) => stream.error(new ConnectionDropped()),
  });
  const length = String(Buffer.byteLength(reply.body));
  const headers = { ...headersOf(reply), 'Content-Length': length };
  return new Response(body, { status: reply.status, headers });
}

export function toResponse(reply: Reply): Response {
  const part = partOf(reply);
  if (part) return cutResponse(reply, part);
  return new Response(reply.body, { status: reply.status, headers: headersOf(reply) });
}

/** Every answer is JSON, errors included. A body refused unread closes the connection. */
export function headersOf({ status, retryAfterSeconds }: Reply): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    'X-Content-Type-Options': 'nosniff',
    ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
    ...(status === 413 && { Connection: 'close' }),
  };
}
