import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'hono';
import { CodedError, validationError } from '../kernel/errors.ts';
import { setTimeout } from '../kernel/timers.ts';
import { splitTarget } from '../signing/canonical.ts';
import { isBodyIgnored } from '../signing/signature.ts';

/** Larger bodies are rejected; nothing is read past this size. */
const MAX_BODY_BYTES = 1024 * 1024;

/** A request as received: not decoded, and not normalized except by `fetch` in process. */
export interface RawRequest {
  method: string;
  /** Raw path of the request line. */
  path: string;
  /** Raw query without `?`. */
  query: string;
  /** Names and values of all headers in turn, as sent. */
  headers: readonly string[];
  /** A header by its lower-case name; undefined when absent or empty. */
  header(name: string): string | undefined;
  /** Call this or `chunks`, once. @throws validation_error if the client hangs up, with status 413 past the limit */
  body(): Promise<Buffer>;
  /** The body in chunks as they arrive, without a limit. @throws validation_error if the client hangs up */
  chunks(): AsyncIterable<Uint8Array>;
  /** Real time when it was received, if not now. */
  receivedAt?: number;
  /** Replaces the verification of the signature if its result is known: returns the error, if any. */
  signatureError?: (() => CodedError | undefined) | undefined;
}

/** What a request comes with: Node's objects over a socket, a raw request from `dispatch`, nothing from a fetch. */
export interface Bindings {
  incoming?: IncomingMessage;
  outgoing?: ServerResponse;
  raw?: RawRequest;
}

export const bindingsOf = (c: Context): Bindings => c.env ?? {};

export function rawRequest(c: Context): RawRequest {
  const { incoming, outgoing, raw } = bindingsOf(c);
  if (raw) return raw;
  return incoming && outgoing ? fromNode(incoming, outgoing) : fromFetchRequest(c.req.raw);
}

function fromNode(incoming: IncomingMessage, outgoing: ServerResponse): RawRequest {
  const { method = 'GET', url = '/', headers, rawHeaders } = incoming;
  const header = (name: string) => {
    const value = headers[name];
    return (Array.isArray(value) ? value[0] : value) || undefined;
  };
  return {
    method,
    ...splitTarget(targetOf(url)),
    headers: rawHeaders,
    header,
    body: () =>
      readBody(method, header('content-length'), () => readIncoming(incoming)).catch(
        (error: unknown) => {
          closeAfterResponse(outgoing);
          throw error;
        },
      ),
    // A handler that stops reading still has to respond, so the socket stays open.
    chunks: () => rejectEarlyEnd(incoming.iterator({ destroyOnReturn: false })),
  };
}

function fromFetchRequest(request: Request): RawRequest {
  const { method, headers } = request;
  const header = (name: string) => headers.get(name) || undefined;
  return {
    method,
    ...splitTarget(targetOf(request.url)),
    headers: [...headers].flat(),
    header,
    body: () => readBody(method, header('content-length'), () => readStream(request.body ?? [])),
    chunks: () => rejectEarlyEnd(request.body ?? []),
  };
}

/** @param length the header Content-Length */
async function readBody(
  method: string,
  length: string | undefined,
  read: () => Promise<Buffer>,
): Promise<Buffer> {
  if (Number(length ?? 0) > MAX_BODY_BYTES) throw tooLarge();
  if (!isBodyIgnored(method)) return read();
  // A chunked body shows its size only when it is read.
  if (length === undefined) await read();
  return NO_BODY;
}

export const NO_BODY = Buffer.alloc(0);

/** How long a client may take to read the response to a body that is not read. */
const LINGER_MS = 500;

/** Closes the connection after the response. Closing it at once would reset it, and the response could be lost. */
function closeAfterResponse(outgoing: ServerResponse): void {
  const end = outgoing.end.bind(outgoing);
  outgoing.setHeader('Connection', 'close');
  outgoing.end = (body?: unknown) => {
    outgoing.flushHeaders();
    if (body) outgoing.write(body);
    setTimeout(end, LINGER_MS);
    return outgoing;
  };
}

/** Uses events: iterating over a small body costs several times as much. */
function readIncoming(incoming: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) return void parts.push(chunk);
      incoming.off('data', onData).pause();
      reject(tooLarge());
    };
    const onClose = () => {
      if (!incoming.readableEnded) reject(endedEarly());
    };
    // The request may be kept as long as its connection, but not its parts.
    const onEnd = () => resolve(Buffer.concat(parts.splice(0)));
    incoming.on('data', onData).once('end', onEnd);
    incoming.once('error', onClose).once('close', onClose);
    // The client may have hung up while the route was loaded.
    if (incoming.destroyed) onClose();
  });
}

async function readStream(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of rejectEarlyEnd(chunks)) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw tooLarge();
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

/** Yields the chunks of a body. @throws validation_error if the client hangs up; a replay throws what was recorded */
async function* rejectEarlyEnd(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
  try {
    yield* chunks;
  } catch (error) {
    throw error instanceof CodedError ? error : endedEarly();
  }
}

/** Parses a form or a query. `URLSearchParams` alone takes quadratic time for fields without `=`. */
export function parseForm(text: string): URLSearchParams {
  return new URLSearchParams(text.replace(/(?<![^&])[^&=]+(?![^&])/g, '$&='));
}

function endedEarly(): CodedError {
  return validationError('body: ended early');
}

function tooLarge(): CodedError {
  const message = `body: larger than ${MAX_BODY_BYTES} bytes`;
  return new CodedError('validation_error', message, { status: 413 });
}

/** Path and query of a request target or an absolute url, as spelled. */
function targetOf(url: string): string {
  if (url.startsWith('/')) return url;
  const start = url.indexOf('/', url.indexOf('//') + 2);
  const target = start < 0 ? '/' : url.slice(start);
  return target.replace(/#.*/s, '');
}

interface RequestHost {
  /** In lower case, with the port if one was named. */
  full: string;
  /** Without port and brackets. */
  name: string;
  port: string;
}

export function hostOf(c: Context): RequestHost {
  const { incoming } = bindingsOf(c);
  const full = ((incoming ? incoming.headers.host : new URL(c.req.url).host) ?? '').toLowerCase();
  const port = /:(\d+)$/.exec(full)?.[1] ?? '80';
  return { full, name: bareName(full.replace(/:\d+$/, '')), port };
}

/** Returns the local address of the connection; undefined in process. */
export function localAddressOf(c: Context): string | undefined {
  return bindingsOf(c).incoming?.socket.localAddress?.replace(/^::ffff:(?=\d+\.)/, '');
}

/** Returns a host name in lower case, and an IPv6 address without brackets. */
export function bareName(host: string): string {
  return host.toLowerCase().replace(/^\[|\]$/g, '');
}

/**
 * Returns whether a page of another origin sent a request, according to its Origin and Sec-Fetch-Site headers, which
 * only browsers send.
 * @param publicUrl origin under which a proxy serves these pages, spelled as browsers do: `new URL(…).origin`
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
