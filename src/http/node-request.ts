import type { IncomingMessage } from 'node:http';
import { CodedError, validationError } from '../kernel/errors.ts';
import { splitTarget } from '../signing/canonical.ts';
import { isBodyIgnored } from '../signing/signature.ts';

/** Larger bodies are rejected without reading them. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** A request as received: nothing is decoded or normalized. */
export interface RawRequest {
  method: string;
  /** Raw path of the request line. */
  path: string;
  /** Raw query without `?`. */
  query: string;
  /** All headers. Over a socket: names and values alternately, as sent. In process: those of the fetch request. */
  headers: readonly string[] | Headers;
  /** A header by its lower-case name; undefined when absent or empty. */
  header(name: string): string | undefined;
  /** @throws validation_error with status 413 past the limit, without reading on */
  body(): Promise<Buffer>;
  /** The body in chunks as they arrive, without a limit. @throws validation_error if the client hangs up */
  chunks(): AsyncIterable<Uint8Array>;
  /** Replaces the verification of the signature if its result is known: returns the error, if any. */
  verified?: (() => CodedError | undefined) | undefined;
}

export class NodeRequest implements RawRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly #incoming: IncomingMessage;

  constructor(incoming: IncomingMessage) {
    const { method = 'GET', url = '/' } = incoming;
    const { path, query } = splitTarget(targetOf(url));
    this.method = method;
    this.path = path;
    this.query = query;
    this.#incoming = incoming;
  }

  get headers(): readonly string[] {
    return this.#incoming.rawHeaders;
  }

  header(name: string): string | undefined {
    return firstValue(this.#incoming.headers[name]);
  }

  body(): Promise<Buffer> {
    const read = () => readIncoming(this.#incoming);
    return readBody(this.method, this.header('content-length'), read);
  }

  chunks(): AsyncIterable<Uint8Array> {
    // A handler that stops reading still has to respond, so the socket stays open.
    return complete(this.#incoming.iterator({ destroyOnReturn: false }));
  }
}

export function fromFetchRequest(request: Request): RawRequest {
  const { method, headers } = request;
  const header = (name: string) => headers.get(name) || undefined;
  return {
    method,
    ...splitTarget(targetOf(request.url)),
    headers,
    header,
    body: () => readBody(method, header('content-length'), () => readStream(request.body ?? [])),
    chunks: () => complete(request.body ?? []),
  };
}

async function readBody(
  method: string,
  length: string | undefined,
  read: () => Promise<Buffer>,
): Promise<Buffer> {
  if (exceedsBodyLimit(length)) throw tooLarge();
  return isBodyIgnored(method) ? NO_BODY : read();
}

/** @param length the header Content-Length */
function exceedsBodyLimit(length: string | undefined): boolean {
  return Number(length ?? 0) > MAX_BODY_BYTES;
}

export const NO_BODY = Buffer.alloc(0);

/** Uses events: iterating over a small body costs several times as much. */
function readIncoming(incoming: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts = new BodyParts();
    const onData = (chunk: Buffer) => {
      try {
        parts.add(chunk);
      } catch (error) {
        incoming.off('data', onData).pause();
        reject(error);
      }
    };
    const onClose = () => {
      if (!incoming.readableEnded) reject(endedEarly());
    };
    incoming.on('data', onData).once('end', () => resolve(parts.toBuffer()));
    incoming.once('error', onClose).once('close', onClose);
  });
}

async function readStream(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
  const parts = new BodyParts();
  for await (const chunk of complete(chunks)) parts.add(chunk);
  return parts.toBuffer();
}

class BodyParts {
  readonly #parts: Uint8Array[] = [];
  #size = 0;

  /** @throws validation_error with status 413 past the limit */
  add(chunk: Uint8Array): void {
    this.#size += chunk.length;
    if (this.#size > MAX_BODY_BYTES) throw tooLarge();
    this.#parts.push(chunk);
  }

  toBuffer(): Buffer {
    return Buffer.concat(this.#parts, this.#size);
  }
}

/** Yields the chunks of a body. @throws validation_error if the client hangs up before the end */
async function* complete(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
  try {
    yield* chunks;
  } catch {
    throw endedEarly();
  }
}

function endedEarly(): CodedError {
  return validationError('body: ended early');
}

function tooLarge(): CodedError {
  return new CodedError('validation_error', `body: larger than ${MAX_BODY_BYTES} bytes`, {
    status: 413,
  });
}

/** Path and query of a request target or an absolute url, as spelled. */
function targetOf(url: string): string {
  if (url.startsWith('/')) return url;
  const start = url.indexOf('/', url.indexOf('//') + 2);
  const target = start < 0 ? '/' : url.slice(start);
  const fragment = target.indexOf('#');
  return fragment < 0 ? target : target.slice(0, fragment);
}

function firstValue(value: string | string[] | undefined): string | undefined {
  return (Array.isArray(value) ? value[0] : value) || undefined;
}
