import { matching, type RequestFilter } from '../requests/list-requests.ts';
import type { RequestRow } from '../requests/schema.ts';
import { requestView } from '../requests/views.ts';
import type { World } from '../world/world.ts';
import type { Machinery } from './endpoint.ts';

/** A line that nobody reads keeps proxies and browsers from taking a quiet stream for a dead one. */
const HEARTBEAT_MS = 15_000;

const MOST_UNREAD_BYTES = 1024 * 1024;

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
  const log = requests.of(world);
  const encoder = new TextEncoder();
  const ended = AbortSignal.any([signal, closing]);
  let stop = () => {};
  const source = {
    start(controller: ReadableStreamDefaultController<Uint8Array>) {
      const send = (text: string) => controller.enqueue(encoder.encode(text));
      const unwatch = log.watch({
        written: (store, span) => {
          for (const row of matching(store, filter, span)) send(eventOf(world, row));
          // Whoever does not read is not waited for, nor kept in memory.
          if ((controller.desiredSize ?? 0) < 0) end();
        },
        ended: () => end(),
      });
      let cancelBeat = () => {};
      const beat = () => {
        send(': still here\n\n');
        cancelBeat = runtime.after(HEARTBEAT_MS, beat);
      };
      stop = () => {
        unwatch();
        cancelBeat();
        ended.removeEventListener('abort', end);
      };
      const end = () => {
        stop();
        controller.close();
      };
      ended.addEventListener('abort', end);
      beat();
      if (ended.aborted) end();
    },
    cancel: () => stop(),
  };
  const body = new ReadableStream<Uint8Array>(
    source,
    new ByteLengthQueuingStrategy({ highWaterMark: MOST_UNREAD_BYTES }),
  );
  return new Response(body, {
    headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' },
  });
}

function eventOf(world: World, row: RequestRow): string {
  const view = requestView(world.identity.seed, row);
  return `event: request\nid: ${view.request_id}\ndata: ${JSON.stringify(view)}\n\n`;
}
