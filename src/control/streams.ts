import type { SQL } from 'drizzle-orm';
import { loggedRequest } from '../requests/logged-request.ts';
import { type ControlCall, get, named } from './endpoint.ts';
import { withSubjects } from './request-subjects.ts';

/** Changes within this time are sent together. */
const COLLECT_MS = 50;
/** A comment at this interval keeps proxies and clients from closing a quiet stream. */
const HEARTBEAT_MS = 15_000;
/** How soon a browser reconnects. */
const RETRY_MS = 1_000;

type StreamCall = Pick<ControlCall, 'world' | 'context' | 'signal'>;

export const streamEndpoints = named({
  getStream: get('/stream', {
    summary: 'Stream the changes of a world as server-sent events.',
    description:
      '`change` says that the world or its request log has changed since the last event. `gone` says that the world was deleted. Changes within 50 ms are one event.',
    streamTypes: ['text/event-stream'],
    handle: (call) =>
      eventStream(call, () => {
        const { name, isClosed } = call.world;
        return [eventText(isClosed ? 'gone' : 'change', { world: name })];
      }),
  }),
});

/** Streams logged requests as `request` events, with the data that the list shows. */
export function streamRequests(call: StreamCall, where: SQL | undefined): Response {
  const { world, context } = call;
  const { requests } = context;
  let first = requests.nextSeq;
  return eventStream(call, () => {
    // Hidden ones too: a reset or the deletion of the world may have hidden some since the last event.
    const entries = requests.list(world, { where, first, hidden: true, limit: -1 }).reverse();
    first = requests.nextSeq;
    return entries.map((entry) => eventText('request', loggedRequest.view(withSubjects(entry))));
  });
}

function eventText(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/**
 * Streams server-sent events until the client disconnects, the world is deleted or the sandbox closes. After a change of
 * the world, reads them once the client has taken the previous ones.
 * @param read returns the events since the last call
 */
function eventStream(
  { world, context: { runtime, closing }, signal }: StreamCall,
  read: () => string[],
): Response {
  const encoder = new TextEncoder();
  const ended = new AbortController();
  const stop = AbortSignal.any([signal, closing, ended.signal]);
  /** The pause before the next chunk, which a change or a heartbeat ends. */
  let pause = Promise.withResolvers<'changed' | 'quiet'>();
  const notify = () => pause.resolve('changed');
  const unwatch = world.watch(notify);
  const end = () => {
    notify();
    unwatch();
  };
  // A signal that has aborted already emits no event.
  if (stop.aborted) end();
  else stop.addEventListener('abort', end);
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode(`retry: ${RETRY_MS}\n\n`)),
    async pull(controller) {
      const cancelHeartbeat = runtime.after(HEARTBEAT_MS, () => pause.resolve('quiet'));
      const isChanged = (await pause.promise) === 'changed';
      cancelHeartbeat();
      if (isChanged) await runtime.sleep(COLLECT_MS, stop);
      // Before the events are read, so that no later change is missed.
      pause = Promise.withResolvers();
      if (ended.signal.aborted) return;
      const events = isChanged && !stop.aborted ? read() : [];
      controller.enqueue(encoder.encode(events.join('') || ': still here\n\n'));
      if (!stop.aborted && !world.isClosed) return;
      controller.close();
      ended.abort();
    },
    cancel: () => ended.abort(),
  });
  return new Response(body, {
    headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' },
  });
}
