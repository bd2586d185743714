import type { ControlClient } from '../../../client/control-client.ts';
import type { RequestDetail } from '../../../requests/logged-request.ts';

interface PartnerCall {
  /** Method and path: `POST /api/partner/v1/refunds`. */
  operation: string;
  method: string;
  status: number | null;
  sent: string;
  received: string;
}

interface RequestPage {
  requests: RequestDetail[];
  next_cursor: string | null;
}

export class PartnerCalls {
  readonly #control: ControlClient;
  readonly #partnerId: string;

  constructor(control: ControlClient, { partner_id }: { partner_id: string }) {
    this.#control = control;
    this.#partnerId = partner_id;
  }

  /** The newest request in the log. */
  async newest(): Promise<string | undefined> {
    const query = { api: 'partner', limit: '1' };
    const { requests } = await this.#control.get<RequestPage>('/requests', query);
    return requests[0]?.request_id;
  }

  /** Requests of the partner's integration since another one, oldest first. */
  async since(marker: string | undefined, endpoint?: RegExp): Promise<PartnerCall[]> {
    const calls: PartnerCall[] = [];
    let cursor: string | undefined;
    do {
      const query = { api: 'partner', limit: PAGE, cursor };
      const page = await this.#control.get<RequestPage>('/requests', query);
      for (const request of page.requests) {
        if (request.request_id === marker) return calls.reverse();
        if (request.partner_id !== this.#partnerId) continue;
        if (endpoint && !endpoint.test(request.endpoint ?? '')) continue;
        const call = await this.#callOf(request.request_id);
        if (call) calls.push(call);
      }
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    return calls.reverse();
  }

  /** @returns undefined for a request that sandlot itself has sent */
  async #callOf(id: string): Promise<PartnerCall | undefined> {
    const detail = await this.#control.get<RequestDetail>(`/requests/${id}`);
    const { request, target, method, endpoint, status, response } = detail;
    const agent = request.headers.find(([name]) => name.toLowerCase() === 'user-agent');
    if (agent?.[1]?.startsWith('sandlot/')) return undefined;
    const sent = `${target}\n${request.body ?? ''}`;
    return {
      operation: `${method} ${endpoint}`,
      method,
      status,
      sent,
      received: response.body ?? '',
    };
  }
}

export const PAGE = '100';

export async function all<Item>(
  control: ControlClient,
  path: string,
  name: string,
  query = {},
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await control.get<Record<string, unknown>>(path, {
      ...query,
      limit: PAGE,
      cursor,
    });
    items.push(...(page[name] as Item[]));
    cursor = (page.next_cursor as string | null) ?? undefined;
  } while (cursor !== undefined);
  return items;
}
