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
  readonly #options: ControlClientOptions;

  constructor(options: ControlClientOptions) {
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

  /** Returns the body of a successful response as a stream, of any type. */
  async download(path: string, query: QueryValues = {}): Promise<ReadableStream<Uint8Array>> {
    const response = await this.#send('GET', path, query, {});
    if (response.ok && response.body) return response.body;
    return this.#readJson<never>(response);
  }

  /** Posts JSON, and returns the successful response, of any type. */
  async postForFile(path: string, body: object): Promise<Response> {
    const headers = { 'Content-Type': 'application/json' };
    const response = await this.#send('POST', path, {}, { headers, body: JSON.stringify(body) });
    return response.ok ? response : this.#readJson<never>(response);
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
    const json = { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
    return this.#readJson(this.#send(method, path, query, body === undefined ? {} : json));
  }

  /** @throws UnreachableError, or the UsageError of a file to upload that cannot be read */
  async #send(
    method: string,
    path: string,
    query: QueryValues,
    init: NonNullable<Parameters<Fetch>[1]>,
  ): Promise<Response> {
    const { baseUrl, fetch, world, token } = this.#options;
    if (method !== 'GET') await this.#options.beforeChange?.();
    const url = `${baseUrl}/_sandbox${path}${queryText({ ...query, world: query.world ?? world })}`;
    const headers = { ...init.headers };
    if (token !== undefined) headers.Authorization = `Bearer ${token}`;
    return fetch(url, { ...init, method, headers }).catch((error: Error) => {
      if (error.cause instanceof UsageError) throw error.cause;
      throw new UnreachableError(baseUrl, { cause: error });
    });
  }

  /** Returns the JSON body. @throws ControlApiError if the sandbox rejects, UnreachableError if another program responds */
  async #readJson<T>(sent: Response | Promise<Response>): Promise<T> {
    const response = await sent;
    const { baseUrl } = this.#options;
    const text = await response.text().catch((cause: unknown) => {
      throw new UnreachableError(baseUrl, { cause });
    });
    const body = parseJson(text);
    if (response.ok && body !== undefined) return body as T;
    // The body of another program may have any form.
    const { error } = (body ?? {}) as { error?: { code?: ErrorCode; message?: string } };
    if (typeof error?.code === 'string' && typeof error.message === 'string') {
      throw new ControlApiError(response.status, error.code, error.message);
    }
    const type = response.headers.get('content-type')?.split(';', 1)[0] ?? 'no content type';
    const cause = new Error(`another program responds: status ${response.status}, ${type}`);
    throw new UnreachableError(baseUrl, { cause });
  }
}

function queryText(values: QueryValues): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) query.set(name, String(value));
  }
  // In a query of the control API, `+` is a plus sign.
  const text = query.toString().replaceAll('+', '%20');
  return text === '' ? '' : `?${text}`;
}
