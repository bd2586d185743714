import type { InProcessSandbox, Key } from '../../src/index.ts';
import { answered } from './responses.ts';

const V1 = '/api/partner/v1';

/** What sends signed requests. */
export type Caller = Pick<InProcessSandbox, 'call'>;

/** A GET of the partner API, by its path below `/api/partner/v1`. */
export function ask(at: Caller, path: string, key?: Key): Promise<Response> {
  return at.call({ method: 'GET', target: V1 + path }, key);
}

/** A POST of the partner API, by its path below `/api/partner/v1`. */
export function send(at: Caller, path: string, body: object, key?: Key): Promise<Response> {
  return at.call({ method: 'POST', target: V1 + path, body }, key);
}

/** The response of a GET that succeeds. */
export async function got<T>(at: InProcessSandbox, path: string, key?: Key): Promise<T> {
  return answered<T>(await ask(at, path, key), 200);
}

/** Every row of a list, walked by its cursors. @param name of the array in the response */
export async function walked<Row>(
  at: InProcessSandbox,
  path: string,
  name: string,
  key?: Key,
  limit = 100,
): Promise<{ rows: Row[]; pages: number }> {
  const rows: Row[] = [];
  let pages = 0;
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: string = `${path.includes('?') ? '&' : '?'}limit=${limit}${cursor && `&cursor=${cursor}`}`;
    const page: Record<string, unknown> = await got(at, path + query, key);
    rows.push(...(page[name] as Row[]));
    cursor = page.next_cursor as string | null;
    pages += 1;
  }
  return { rows, pages };
}

/** Every row of a list of the control API. @param name of the array in the response */
export async function listed<Row>(at: InProcessSandbox, name: string, path: string) {
  const rows: Row[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const next: string = cursor && `&cursor=${cursor}`;
    const page = await at.control.get<Record<string, unknown>>(path + next);
    rows.push(...(page[name] as Row[]));
    cursor = page.next_cursor as string | null;
  }
  return rows;
}

/** The response of /analytics before the first click. */
export const NO_ANALYTICS = {
  from: null,
  to: null,
  funnel: { clicks: 0, checkouts: 0, sales: 0, conversion_rate: 0 },
  orders: { count: 0, gmv_cents: 0 },
  commission_cents: 0,
  currency: 'USD',
};
