import type { World } from '../world/world.ts';
import { type ControlContext, controlEndpoint, controlEndpoints } from './endpoint.ts';
import { type EventSink, eventStream } from './event-stream.ts';
import { type Marks, marksOf, NOUNS, type Noun } from './revisions.ts';

/** What happens within this time is told at once, so that a burst is one event. */
const GATHER_MS = 50;
/** Other worlds and their snapshots change without a commit of this one. */
const LOOK_EVERY_MS = 1_000;

export const streamEndpoints = controlEndpoints({
  getStream: controlEndpoint({
    method: 'GET',
    path: '/stream',
    summary: 'What changed in a world, as it changes, as server-sent events.',
    description:
      'Server-sent events. `change` names what changed in the world since the last event; `gone` says that the world was deleted. Changes within 50 ms are one event.',
    streamTypes: ['text/event-stream'],
    handle: ({ world, context, signal }) => streamChanges(world, context, signal),
  }),
});

/**
 * `event: change` with `{ changed: ["orders", …] }` after commits, gathered, and never more than one that is
 * unread. `event: gone` when the world was deleted. Ends then, when the caller hangs up, or the server closes.
 */
function streamChanges(
  world: World,
  { worlds, requests, runtime, closing }: ControlContext,
  signal: AbortSignal,
): Response {
  const ended = AbortSignal.any([signal, closing]);
  let tell = () => {};
  return eventStream(
    { runtime, ended },
    (sink) => {
      const pending = new Set<Noun>();
      let { generation } = world;
      let seen: Marks = marksOf(world, worlds);
      tell = () => flush(pending, sink);
      const look = () => {
        if (worlds.find(world.name) !== world) {
          sink.send('gone', { world: world.name });
          sink.end();
          return;
        }
        const now = marksOf(world, worlds);
        for (const noun of NOUNS) {
          if (
            world.generation !== generation ||
            (noun !== 'requests' && now[noun] !== seen[noun])
          ) {
            pending.add(noun);
          }
        }
        ({ generation } = world);
        seen = now;
        tell();
        cancel = plan(LOOK_EVERY_MS);
      };
      let soon = false;
      const plan = (ms: number) =>
        runtime.after(ms, () => {
          soon = false;
          look();
        });
      let cancel = plan(LOOK_EVERY_MS);
      const lookSoon = () => {
        if (soon) return;
        soon = true;
        cancel();
        cancel = plan(GATHER_MS);
      };
      const unwatch = [
        world.watch(lookSoon),
        requests.of(world).watch({
          written: () => {
            pending.add('requests');
            lookSoon();
          },
          // A world that goes is told at once.
          ended: lookSoon,
        }),
      ];
      return () => {
        cancel();
        for (const stop of unwatch) stop();
      };
    },
    () => tell(),
  );
}

function flush(pending: Set<Noun>, sink: EventSink): void {
  if (pending.size === 0 || sink.full) return;
  sink.send('change', { changed: NOUNS.filter((noun) => pending.has(noun)) });
  pending.clear();
}
