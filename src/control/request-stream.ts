import type { RequestFilter } from '../requests/list-requests.ts';
import { loggedRequest } from '../requests/logged-request.ts';
import type { World } from '../world/world.ts';
import type { ControlContext } from './endpoint.ts';
import { eventStream } from './event-stream.ts';

/** Requests that a caller may be behind. */
const MAX_UNREAD = 1_000;

/**
 * Requests of a world from now on, as server-sent events: `event: request`, the request's id, and as data what
 * a list shows of it. Ends when the caller hangs up, the world goes, or the server closes.
 */
export function streamRequests(
  world: World,
  { requests, runtime, closing }: Pick<ControlContext, 'requests' | 'runtime' | 'closing'>,
  filter: RequestFilter,
  signal: AbortSignal,
): Response {
  const ended = AbortSignal.any([signal, closing]);
  const log = requests.of(world);
  return eventStream({ runtime, ended }, (sink) =>
    log.watch({
      written: (span) => {
        for (const entry of log.listSpan(filter, span)) {
          const view = loggedRequest.view(entry);
          sink.send('request', view, view.request_id);
        }
        // Whoever does not read is not waited for, nor kept in memory.
        if (sink.unread > MAX_UNREAD) sink.end();
      },
      ended: () => sink.end(),
    }),
  );
}
