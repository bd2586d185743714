import type { ErrorCode } from '../kernel/errors.ts';
import type { Fetch } from './fetch.ts';

/** The sandbox refused a call on its control door. */
export class ControlRefusedError extends Error {
  readonly status: number;
  readonly code: ErrorCode;
  constructor(status: number, code: ErrorCode, message: string) {
    super(message);
    this.name = 'ControlRefusedError';
    this.status = status;
    this.code = code;
  }
}

/** No sandbox answered at the address. */
export class UnreachableError extends Error {
  readonly url: string;
  constructor(url: string, options: { cause?: unknown; ended?: number; source?: string } = {}) {
    const { cause, ended, source } = options;
    const why = ended === undefined ? '' : `: process ${ended}, which ${source} names, has ended`;
    super(`no sandbox answers at ${url}${why}`, { cause });
    this.name = 'UnreachableError';
    this.url = url;
  }
}

export interface ControlClientOptions {
  /** Without a trailing slash. */
  baseUrl: string;
  fetch: Fetch;
  /** `default` when left out. */
  world?: string | undefined;
  /** For a sandbox started with --control-token. */
  token?: string | undefined;
}

export type QueryValues = Record<string, string | number | undefined>;

/** Speaks with the control door: the command line, the tests and `createSandbox()` all go through it. */
export class ControlClient {
  readonly #options: ControlClientOptions;

  constructor(options: ControlClientOptions) {
    this.#options = options;
  }

  get<T = unknown>(path: string, query: QueryValues = {}): Promise<T> {
    return this.#call('GET', path, query, undefined);
  }

  post<T = unknown>(path: string, body: object = {}): Promise<T> {
    return this.#call('POST', path, {}, body);
  }

  patch<T = unknown>(path: string, body: object, query: QueryValues = {}): Promise<T> {
    return this.#call('PATCH', path, query, body);
  }

  delete<T = unknown>(path: string, query: QueryValues = {}): Promise<T> {
    return this.#call('DELETE', path, query, undefined);
  }

  /** The same door, in another world. */
  in(world: string): ControlClient {
    return new ControlClient({ ...this.#options, world });
  }

  /** @throws ControlRefusedError, UnreachableError */
  async #call<T>(
    method: string,
    path: string,
    query: QueryValues,
    body: object | undefined,
  ): Promise<T> {
    const { baseUrl, fetch, world, token } = this.#options;
    const url = `${baseUrl}/_sandbox${path}${queryText({ ...query, world })}`;
    const headers: Record<string, string> = {};
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    if (token !== undefined) headers.Authorization = `Bearer ${token}`;
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(url, init).catch((cause: unknown) => {
      throw new UnreachableError(baseUrl, { cause });
    });
    const answer: unknown = await response.json().catch(() => undefined);
    if (response.ok && answer !== undefined) return answer as T;
    const error = (answer as { error?: { code: ErrorCode; message: string } } | undefined)?.error;
    // Something answers, but it is no sandbox.
    if (!error) throw new UnreachableError(baseUrl);
    throw new ControlRefusedError(response.status, error.code, error.message);
  }
}

function queryText(values: QueryValues): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) query.set(name, String(value));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}
