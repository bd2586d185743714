import type { Runtime } from '../kernel/runtime.ts';

/** A comment at this interval keeps proxies and browsers from closing a quiet stream. */
const HEARTBEAT_MS = 15_000;

/** How soon a browser reconnects. */
const RETRY_MS = 1_000;

/** Sends server-sent events to the client of a stream. */
interface EventSink {
  send(event: string, data: unknown, id?: string): void;
  /** Number of chunks that the client has not read yet. */
  readonly unread: number;
  end(): void;
}

interface Source {
  stop(): void;
  /** Called when the client has read everything. */
  drained?(): void;
}

/** Streams server-sent events until the client disconnects or `signal` aborts. @param begin starts the source of events */
export function eventStream(
  runtime: Runtime,
  signal: AbortSignal,
  begin: (sink: EventSink) => Source,
): Response {
  const encoder = new TextEncoder();
  let source: Source | undefined;
  let cancelHeartbeat = () => {};
  let stop = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      const write = (text: string) => controller.enqueue(encoder.encode(text));
      const sendHeartbeat = () => {
        write(': still here\n\n');
        cancelHeartbeat = runtime.after(HEARTBEAT_MS, sendHeartbeat);
      };
      const end = () => {
        stop();
        controller.close();
      };
      stop = () => {
        stop = () => {};
        source?.stop();
        cancelHeartbeat();
        signal.removeEventListener('abort', end);
      };
      signal.addEventListener('abort', end);
      write(`retry: ${RETRY_MS}\n\n`);
      sendHeartbeat();
      source = begin({
        send: (event, data, id) => {
          const idLine = id === undefined ? '' : `id: ${id}\n`;
          write(`event: ${event}\n${idLine}data: ${JSON.stringify(data)}\n\n`);
        },
        get unread() {
          return 1 - (controller.desiredSize ?? 0);
        },
        end,
      });
      if (signal.aborted) end();
    },
    pull: () => source?.drained?.(),
    cancel: () => stop(),
  });
  return new Response(body, {
    headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' },
  });
}
