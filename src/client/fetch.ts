/** What the clients need of `fetch`: the global one, or a sandbox's in-process one. */
export type Fetch = (
  url: string,
  init?: {
    method?: string;
    headers?: Record<string, string>;
    body?: string | Uint8Array | ReadableStream<Uint8Array>;
    /** Said of a body that is a stream. */
    duplex?: 'half';
    redirect?: 'manual';
    signal?: AbortSignal;
  },
) => Promise<Response>;
