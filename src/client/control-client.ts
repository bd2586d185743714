import { type ErrorCode, UsageError } from '../kernel/errors.ts';
import { parseJson } from '../kernel/json.ts';
import type { Fetch } from './fetch.ts';
import { UnreachableError } from './unreachable.ts';

/** A control API request that the sandbox rejected. */
export class ControlApiError extends Error {
  readonly status: number;
  readonly code: ErrorCode;
  constructor(status: number, code: ErrorCode, message: string) {
    super(message);
    this.name = 'ControlApiError';
    this.status = status;
    this.code = code;
  }
}

export interface ControlClientOptions {
  /** Without a trailing slash. */
  baseUrl: string;
  fetch: Fetch;
  /** By default, `default`. A `world` in a query overrides it. */
  world?: string | undefined;
  /** For a sandbox started with --control-token. */
  token?: string | undefined;
  /** Called before each request that is not a GET; what it throws rejects the request. */
  beforeChange?(): Promise<void>;
}

export type QueryValues = Record<string, string | number | undefined>;

/** A client of the control API, for the command line, tests and `createSandbox()`. Takes encoded paths below `/_sandbox`. */
export class ControlClient {
  readonly url: string;
  readonly #options: ControlClientOptions;

  constructor(options: ControlClientOptions) {
    this.url = options.baseUrl;
    this.#options = options;
  }

  get<T = unknown>(path: string, query: QueryValues = {}): Promise<T> {
    return this.call('GET', path, query, undefined);
  }

  post<T = unknown>(path: string, body: object = {}): Promise<T> {
    return this.call('POST', path, {}, body);
  }

  put<T = unknown>(path: string, body: object): Promise<T> {
    return this.call('PUT', path, {}, body);
  }

  patch<T = unknown>(path: string, body: object, query: QueryValues = {}): Promise<T> {
    return this.call('PATCH', path, query, body);
  }

  delete<T = unknown>(path: string, query: QueryValues = {}): Promise<T> {
    return this.call('DELETE', path, query, undefined);
  }

  upload<T = unknown>(
    path: string,
    query: QueryValues,
    body: ReadableStream<Uint8Array>,
  ): Promise<T> {
    return this.#readJson(this.#send('POST', path, query, { body, duplex: 'half' }));
  }

  /** Returns the body of a successful response as a stream, which can fail with an UnreachableError. @param type by default, any */
  async download(
    path: string,
    query: QueryValues = {},
    type?: string,
  ): Promise<ReadableStream<Uint8Array>> {
    const { body } = await this.#receive(this.#send('GET', path, query, {}), type);
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    (body ?? new Blob([]).stream())
      .pipeTo(writable, { preventAbort: true })
      .catch((cause) => writable.abort(new UnreachableError(this.url, { cause })));
    return readable;
  }

  /** Posts JSON, and returns the successful response, received to its end. @param type by default, any */
  async postForFile(path: string, body: object, type?: string): Promise<Response> {
    const response = await this.#receive(this.#send('POST', path, {}, jsonInit(body)), type);
    return new Response(await response.arrayBuffer().catch(this.#fail), response);
  }

  in(world: string): ControlClient {
    return new ControlClient({ ...this.#options, world });
  }

  call<T = unknown>(
    method: string,
    path: string,
    query: QueryValues,
    body: object | undefined,
  ): Promise<T> {
    return this.#readJson(this.#send(method, path, query, body ? jsonInit(body) : {}));
  }

  /** @throws UnreachableError, or the UsageError of a file to upload that cannot be read */
  async #send(
    method: string,
    path: string,
    query: QueryValues,
    init: NonNullable<Parameters<Fetch>[1]>,
  ): Promise<Response> {
    const { fetch, world, token } = this.#options;
    if (method !== 'GET') await this.#options.beforeChange?.();
    const url = `${this.url}/_sandbox${path}${queryText({ ...query, world: query.world ?? world })}`;
    const headers = { ...init.headers };
    if (token !== undefined) headers.Authorization = `Bearer ${token}`;
    return fetch(url, { ...init, method, headers }).catch((error: Error) => {
      if (error.cause instanceof UsageError) throw error.cause;
      return this.#fail(error);
    });
  }

  async #readJson<T>(sent: Promise<Response>): Promise<T> {
    const response = await this.#receive(sent, 'application/json');
    return (await response.json().catch(this.#fail)) as T;
  }

  /** Returns a successful response. @throws ControlApiError if the sandbox rejects, UnreachableError if another program responds */
  async #receive(sent: Promise<Response>, expectedType?: string): Promise<Response> {
    const response = await sent;
    const { ok, status, headers } = response;
    const type = headers.get('content-type')?.split(';', 1)[0] ?? 'no content type';
    if (ok && (expectedType ?? type) === type) return response;
    const body = parseJson(await response.text().catch(this.#fail));
    // The body of another program may have any form.
    const { error } = (body ?? {}) as { error?: { code?: ErrorCode; message?: string } };
    if (typeof error?.code === 'string' && typeof error.message === 'string') {
      throw new ControlApiError(status, error.code, error.message);
    }
    return this.#fail(new Error(`another program responds: status ${status}, ${type}`));
  }

  readonly #fail = (cause: unknown): never => {
    throw new UnreachableError(this.url, { cause });
  };
}

function jsonInit(body: object) {
  return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}

function queryText(values: QueryValues): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) query.set(name, String(value));
  }
  return query.size === 0 ? '' : `?${query}`;
}
