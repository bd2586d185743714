import type { ControlClient } from '../../src/client/control-client.ts';
import type { RequestDetail } from '../../src/requests/logged-request.ts';

type At = { control: Pick<ControlClient, 'get'> };
type Query = Record<string, string | number>;

/** The ids of the logged requests of the partner API, or of those that a query names, newest first. */
export async function loggedIds({ control }: At, query: Query = {}): Promise<string[]> {
  const page = await control.get<{ requests: { request_id: string }[] }>('/requests', query);
  return page.requests.map(({ request_id }) => request_id);
}

/** The newest of them, in full. */
export async function newestLogged<Detail = RequestDetail>(at: At, query: Query = {}) {
  const [id] = await loggedIds(at, { limit: 1, ...query });
  return at.control.get<Detail>(`/requests/${id}`);
}
