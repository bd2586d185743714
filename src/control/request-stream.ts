import { matching, type RequestFilter } from '../requests/list-requests.ts';
import { requestView } from '../requests/views.ts';
import type { World } from '../world/world.ts';
import type { Machinery } from './endpoint.ts';
import { eventStream } from './event-stream.ts';

/**
 * Requests of a world from now on, as server-sent events: `event: request`, the request's id, and as data what
 * a list shows of it. Ends when the caller hangs up, the world goes, or the server closes.
 */
export function streamRequests(
  world: World,
  { requests, runtime, closing }: Pick<Machinery, 'requests' | 'runtime' | 'closing'>,
  filter: RequestFilter,
  signal: AbortSignal,
): Response {
  const ended = AbortSignal.any([signal, closing]);
  return eventStream({ runtime, ended }, ({ send }) =>
    requests.of(world).watch((store, written) => {
      for (const row of matching(store, filter, written)) {
        const view = requestView(world.identity.seed, row);
        send('request', view, view.request_id);
      }
    }),
  );
}
