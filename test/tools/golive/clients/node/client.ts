// A client of the partner API: signs every attempt, retries what a retry can change, and nothing else.
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';

export interface Access {
  url: string;
  keyId: string;
  secret: string;
  fetch?: (url: string, init: Init) => Promise<Response>;
  clock?: Clock;
}

/** Unix ms, and a pause. */
export interface Clock {
  now(): number;
  sleep(ms: number): Promise<void>;
}

const SYSTEM_CLOCK: Clock = { now: Date.now, sleep: setTimeout };

export interface Init {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  redirect?: 'manual';
}

export type Query = Readonly<Record<string, string | number>>;

export interface ApiRequest {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  query: Query;
  body: string;
  idempotencyKey?: string | undefined;
}

/** An error response of the API. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly retryAfterMs: number;

  constructor(response: Response, { code, message }: { code: string; message: string }) {
    super(`${response.status} ${code}: ${message}`);
    this.status = response.status;
    this.code = code;
    this.retryAfterMs = Number(response.headers.get('Retry-After') ?? 0) * 1000;
  }
}

const MAX_ATTEMPTS = 4;
const FIRST_BACK_OFF_MS = 100;

export class PartnerClient {
  protected readonly access: Access;
  protected readonly clock: Clock;

  constructor(access: Access) {
    this.access = access;
    this.clock = access.clock ?? SYSTEM_CLOCK;
  }

  get<T>(path: string, query: Query = {}): Promise<T> {
    return this.send({ method: 'GET', path: `/api/partner/v1${path}`, query, body: '' });
  }

  post<T>(path: string, input: object, idempotencyKey?: string): Promise<T> {
    const body = JSON.stringify(input);
    return this.send({
      method: 'POST',
      path: `/api/partner/v1${path}`,
      query: {},
      body,
      idempotencyKey,
    });
  }

  registerWebhook(url: string, secret: string): Promise<object> {
    const body = JSON.stringify({ url, secret });
    return this.send({ method: 'PUT', path: '/api/partner/webhooks', query: {}, body });
  }

  /** Reads all pages of a list. */
  async list<Row>(path: string, name: string, query: Query = {}): Promise<Row[]> {
    const rows: Row[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Page<Row> = await this.get(path, cursor === '' ? query : { ...query, cursor });
      rows.push(...(page[name] as Row[]));
      cursor = this.nextCursor(page);
    }
    return rows;
  }

  nextCursor(page: { next_cursor: string | null }): string | null {
    return page.next_cursor;
  }

  /** One key for each sale; its retries repeat it. */
  newIdempotencyKey(): string {
    return randomUUID();
  }

  /** How long to wait before the next attempt; undefined to give up. */
  protected retryDelay(error: unknown, request: ApiRequest, attempt: number): number | undefined {
    if (attempt >= MAX_ATTEMPTS) return undefined;
    const backOff = FIRST_BACK_OFF_MS * 2 ** (attempt - 1);
    if (error instanceof ApiError) {
      if (error.status === 429) return error.retryAfterMs;
      return error.status === 500 ? backOff : undefined;
    }
    // No response: the request may have been handled, so only repeat what is safe to repeat.
    const isSafe = request.method !== 'POST' || request.idempotencyKey !== undefined;
    return isSafe ? backOff : undefined;
  }

  protected async send<T>(request: ApiRequest): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.attempt<T>(request);
      } catch (error) {
        const delay = this.retryDelay(error, request, attempt);
        if (delay === undefined) throw error;
        await this.clock.sleep(delay);
      }
    }
  }

  protected async attempt<T>(request: ApiRequest): Promise<T> {
    const { method, path, query, body } = request;
    const target = Object.keys(query).length > 0 ? `${path}?${encodeQuery(query)}` : path;
    const fetchOnce = this.access.fetch ?? fetch;
    const response = await fetchOnce(this.access.url + target, {
      method,
      headers: this.headers(request),
      ...(body !== '' && { body }),
    });
    const document = (await response.json()) as T & { error: { code: string; message: string } };
    if (!response.ok) throw new ApiError(response, document.error);
    return document;
  }

  /** Signs one attempt: a retry has its own timestamp and nonce. */
  protected headers(request: ApiRequest): Record<string, string> {
    const { method, path, query, body, idempotencyKey } = request;
    const { keyId, secret } = this.access;
    const timestamp = this.timestamp();
    const nonce = randomUUID();
    const bodyHash = createHash('sha256').update(body).digest('hex');
    const canonical = [method, path, this.canonicalQuery(query), timestamp, nonce, bodyHash];
    const signature = createHmac('sha256', secret).update(canonical.join('\n')).digest('hex');
    return {
      'X-Service-Key-Id': keyId,
      'X-Service-Timestamp': timestamp,
      'X-Service-Nonce': nonce,
      'X-Service-Signature': `v1=${signature}`,
      ...(body !== '' && { 'Content-Type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
    };
  }

  protected timestamp(): string {
    return String(Math.floor(this.clock.now() / 1000));
  }

  protected canonicalQuery(query: Query): string {
    const sorted = Object.entries(query).toSorted(([a], [b]) =>
      Buffer.compare(Buffer.from(a), Buffer.from(b)),
    );
    return encodeQuery(Object.fromEntries(sorted));
  }
}

type Page<Row> = { next_cursor: string | null } & Record<string, unknown | Row[]>;

export function encodeQuery(query: Query): string {
  return Object.entries(query)
    .map(([name, value]) => `${encode(name)}=${encode(String(value))}`)
    .join('&');
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
