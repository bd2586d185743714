import type { RequestFilter } from '../requests/list-requests.ts';
import { loggedRequest } from '../requests/logged-request.ts';
import { prepared } from '../store/prepared.ts';
import type { World } from '../world/world.ts';
import type { Worlds } from '../world/worlds.ts';
import { type ControlCall, get, named } from './endpoint.ts';
import { eventStream } from './event-stream.ts';
import { withSubjects } from './request-subjects.ts';

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
      '`change` says that the world, its request log, its snapshots or the list of worlds has changed since the last event; its `reset` is true if the world was reset or restored. `gone` says that the world was deleted. Changes within 50 ms are one event.',
    streamTypes: ['text/event-stream'],
    handle: streamChanges,
  }),
});

/** Streams `change` events, at most one of them unread, and `gone` before it ends with its world. */
function streamChanges({ world, context, signal }: StreamCall): Response {
  const { worlds, requests, runtime, closing } = context;
  return eventStream(runtime, AbortSignal.any([signal, closing]), (sink) => {
    let { stateVersion } = world;
    let revision = revisionOf(world, worlds);
    let isLogChanged = false;
    let isCheckSoon = false;
    let cancelCheck = runtime.after(CHECK_EVERY_MS, check);

    function check(): void {
      if (worlds.find(world.name) !== world) {
        sink.send('gone', { world: world.name });
        sink.end();
        return;
      }
      const current = revisionOf(world, worlds);
      const reset = world.stateVersion !== stateVersion;
      if (sink.unread === 0 && (reset || isLogChanged || current !== revision)) {
        sink.send('change', { reset });
        ({ stateVersion } = world);
        revision = current;
        isLogChanged = false;
      }
      isCheckSoon = false;
      cancelCheck = runtime.after(CHECK_EVERY_MS, check);
    }

    function checkSoon(): void {
      if (isCheckSoon) return;
      isCheckSoon = true;
      cancelCheck();
      cancelCheck = runtime.after(BURST_MS, check);
    }

    const unwatchWorld = world.watch(checkSoon);
    const unwatchLog = requests.watch(world, () => {
      isLogChanged = true;
      checkSoon();
    });
    return {
      drained: checkSoon,
      stop: () => {
        cancelCheck();
        unwatchWorld();
        unwatchLog();
      },
    };
  });
}

const totalChanges = prepared((db) =>
  db.$client.prepare<[], number>('SELECT total_changes()').pluck(),
);

/** Returns a text that changes with the rows of a world, its snapshots and the list of worlds. */
function revisionOf(world: World, worlds: Worlds): string {
  const names = worlds.list().map(({ name }) => name);
  const snapshots = worlds.snapshots.names(world);
  return [world.read((tx) => totalChanges(tx).get()), names, snapshots].join('\n');
}

/** Streams logged requests as `request` events, with the data that the list shows. */
export function streamRequests(
  { world, context, signal }: StreamCall,
  filter: RequestFilter,
): Response {
  const { requests, runtime, closing } = context;
  return eventStream(runtime, AbortSignal.any([signal, closing]), (sink) => {
    const unwatchLog = requests.watch(world, (span) => {
      const entries = requests.listSpan(world, filter, span);
      const rows = world.read((tx) => entries.map((entry) => withSubjects(tx, entry)));
      for (const request of rows.map(loggedRequest.view)) {
        sink.send('request', request, request.request_id);
      }
      if (sink.unread > MAX_UNREAD) sink.end();
    });
    const unwatchWorld = world.watch(() => {
      if (world.isClosed) sink.end();
    });
    return {
      stop: () => {
        unwatchLog();
        unwatchWorld();
      },
    };
  });
}
