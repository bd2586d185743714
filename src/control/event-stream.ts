import type { Runtime } from '../kernel/runtime.ts';

/** A line that nobody reads keeps proxies and browsers from taking a quiet stream for a dead one. */
const HEARTBEAT_MS = 15_000;

/** How soon a browser comes back by itself when the connection was cut. */
const RETRY_MS = 1_000;

/** One end of a stream of server-sent events. */
export interface EventSink {
  send(event: string, data: unknown, id?: string): void;
  /** Whether the reader has yet to take what was sent before. */
  readonly full: boolean;
  /** How many pieces the reader has yet to take. */
  readonly unread: number;
  end(): void;
}

/**
 * Server-sent events from now on, until the caller hangs up or the server closes.
 * @param begin subscribes, and returns what unsubscribes
 * @param drained called when the reader has taken all that was sent
 */
export function eventStream(
  { runtime, ended }: { runtime: Runtime; ended: AbortSignal },
  begin: (sink: EventSink) => () => void,
  drained: () => void = () => {},
): Response {
  const encoder = new TextEncoder();
  let stop = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string) => controller.enqueue(encoder.encode(text));
      let cancelBeat = () => {};
      let unsubscribe = () => {};
      const beat = () => {
        write(': still here\n\n');
        cancelBeat = runtime.after(HEARTBEAT_MS, beat);
      };
      stop = () => {
        stop = () => {};
        unsubscribe();
        cancelBeat();
        ended.removeEventListener('abort', end);
      };
      const end = () => {
        stop();
        controller.close();
      };
      ended.addEventListener('abort', end);
      write(`retry: ${RETRY_MS}\n\n`);
      beat();
      unsubscribe = begin({
        send: (event, data, id) => {
          const named = id === undefined ? '' : `id: ${id}\n`;
          write(`event: ${event}\n${named}data: ${JSON.stringify(data)}\n\n`);
        },
        get full() {
          return (controller.desiredSize ?? 0) <= 0;
        },
        get unread() {
          return 1 - (controller.desiredSize ?? 0);
        },
        end,
      });
      if (ended.aborted) end();
    },
    pull: () => drained(),
    cancel: () => stop(),
  });
  return new Response(body, {
    headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' },
  });
}
