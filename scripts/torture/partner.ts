import {
  type Key,
  type SignedRequest,
  sendSigned,
  signPartnerRequest,
} from '../../src/client/partner-client.ts';

export const DEFAULT_KEY: Key = {
  key_id: 'dmk_sandbox_local',
  secret: 'dms_sandbox_local_not_a_secret',
};

export interface Response {
  status: number;
  text: string;
}

/** A partner client of one server. */
export class Partner {
  readonly #url: string;
  readonly #key: Key;

  constructor(url: string, key = DEFAULT_KEY) {
    this.#url = url;
    this.#key = key;
  }

  sign(
    method: string,
    target: string,
    body?: object,
    headers?: Record<string, string>,
  ): SignedRequest {
    const request = { method, target: `/api/partner${target}`, body, headers };
    return signPartnerRequest(this.#url, this.#key, request, Date.now());
  }

  /** Returns the signing headers of an arbitrary request. */
  signRaw(method: string, target: string, body: string | Uint8Array): Record<string, string> {
    return signPartnerRequest(this.#url, this.#key, { method, target, body }, Date.now()).headers;
  }

  /** Re-signs a request for this server, with a new nonce. */
  reSign(sent: SignedRequest): SignedRequest {
    const { pathname, search } = new URL(sent.url);
    const idempotency = sent.headers['Idempotency-Key'];
    const headers = idempotency === undefined ? undefined : { 'Idempotency-Key': idempotency };
    const request = { method: sent.method, target: pathname + search, body: sent.body, headers };
    return signPartnerRequest(this.#url, this.#key, request, Date.now());
  }

  /** Sends a signed request, even if it was signed for another address. */
  async send(signed: SignedRequest): Promise<Response> {
    const { pathname, search } = new URL(signed.url);
    const url = this.#url + pathname + search;
    const response = await sendSigned((target, init) => fetch(target, init as RequestInit), {
      ...signed,
      url,
    });
    return { status: response.status, text: await response.text() };
  }

  call(
    method: string,
    target: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<Response> {
    return this.send(this.sign(method, target, body, headers));
  }

  /** Returns every item of a list. */
  async listAll<T>(target: string, field: string): Promise<T[]> {
    return allPages(field, async (cursor) => {
      const query = new URLSearchParams({ limit: '100', ...cursor });
      return JSON.parse((await this.call('GET', `${target}?${query}`)).text);
    });
  }
}

/** Returns every item of a list. @param read gets the cursor of a page, none for the first */
export async function allPages<T>(
  field: string,
  read: (cursor: { cursor?: string }) => Promise<Record<string, unknown>>,
): Promise<T[]> {
  const all: T[] = [];
  for (let cursor: unknown; cursor !== null; ) {
    const page = await read(typeof cursor === 'string' ? { cursor } : {});
    all.push(...((page[field] ?? []) as T[]));
    cursor = page.next_cursor ?? null;
  }
  return all;
}
