import {
  type Key,
  type PartnerRequest,
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

  /** Signs a request, whose target is below `/api/partner`, and sends it. */
  async send(request: PartnerRequest): Promise<Response> {
    const target = `/api/partner${request.target}`;
    const signed = signPartnerRequest(this.#url, this.#key, { ...request, target }, Date.now());
    const response = await sendSigned((url, init) => fetch(url, init as RequestInit), signed);
    return { status: response.status, text: await response.text() };
  }

  call(
    method: string,
    target: string,
    body?: object,
    headers?: Record<string, string>,
  ): Promise<Response> {
    return this.send({ method, target, body, headers });
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
