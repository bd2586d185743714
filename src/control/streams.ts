import type { RequestFilter } from '../requests/list-requests.ts';
import { loggedRequest } from '../requests/logged-request.ts';
import { type ControlCall, get, named } from './endpoint.ts';
import { eventStream } from './event-stream.ts';
import { withSubjects } from './request-subjects.ts';
import { revisionsOf, WATCHED_RESOURCES, type WatchedResource } from './revisions.ts';

/** Changes within this time are one event. */
const BURST_MS = 50;
/** Changes of other worlds and of snapshots are found by polling: they have no commit in this world. */
const CHECK_EVERY_MS = 1_000;
/** How many requests a client may leave unread before its stream ends. */
const MAX_UNREAD = 1_000;

type StreamCall = Pick<ControlCall, 'world' | 'context' | 'signal'>;

export const streamEndpoints = named({
  getStream: get('/stream', {
    summary: 'Stream the changes of a world as server-sent events.',
    description:
      '`change` names what changed in the world since the last event; `gone` says that the world was deleted. Changes within 50 ms are one event.',
    streamTypes: ['text/event-stream'],
    handle: streamChanges,
  }),
});

/** Streams `change` events, at most one of them unread, and `gone` before it ends with its world. */
function streamChanges({ world, context, signal }: StreamCall): Response {
  const { worlds, requests, runtime, closing } = context;
  return eventStream(runtime, AbortSignal.any([signal, closing]), (sink) => {
    const changes = new Set<WatchedResource>();
    let { stateVersion } = world;
    let revisions = revisionsOf(world, worlds);
    let isCheckSoon = false;
    let cancelCheck = runtime.after(CHECK_EVERY_MS, check);

    function check(): void {
      if (worlds.find(world.name) !== world) {
        sink.send('gone', { world: world.name });
        sink.end();
        return;
      }
      const current = revisionsOf(world, worlds);
      for (const name of WATCHED_RESOURCES) {
        if (world.stateVersion !== stateVersion || current[name] !== revisions[name])
          changes.add(name);
      }
      ({ stateVersion } = world);
      revisions = current;
      flush();
      isCheckSoon = false;
      cancelCheck = runtime.after(CHECK_EVERY_MS, check);
    }

    function checkSoon(): void {
      if (isCheckSoon) return;
      isCheckSoon = true;
      cancelCheck();
      cancelCheck = runtime.after(BURST_MS, check);
    }

    function flush(): void {
      if (changes.size === 0 || sink.unread > 0) return;
      sink.send('change', { changed: WATCHED_RESOURCES.filter((name) => changes.has(name)) });
      changes.clear();
    }

    const unwatchWorld = world.watch(checkSoon);
    const unwatchLog = requests.of(world).watch({
      written: () => {
        changes.add('requests');
        checkSoon();
      },
      // The log ends when its world is deleted.
      ended: checkSoon,
    });
    return {
      drained: flush,
      stop: () => {
        cancelCheck();
        unwatchWorld();
        unwatchLog();
      },
    };
  });
}

/** Streams logged requests as `request` events, with the data that the list shows. */
export function streamRequests(
  { world, context, signal }: StreamCall,
  filter: RequestFilter,
): Response {
  const { requests, runtime, closing } = context;
  const log = requests.of(world);
  return eventStream(runtime, AbortSignal.any([signal, closing]), (sink) => ({
    stop: log.watch({
      written: (span) => {
        const entries = log.listSpan(filter, span);
        const rows = world.read((tx) => entries.map((entry) => withSubjects(tx, entry)));
        for (const request of rows.map(loggedRequest.view)) {
          sink.send('request', request, request.request_id);
        }
        if (sink.unread > MAX_UNREAD) sink.end();
      },
      ended: () => sink.end(),
    }),
  }));
}
