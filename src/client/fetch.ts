/** The part of `fetch` that the clients use: the global one, or the in-process one of a sandbox. */
export type Fetch = (
  url: string,
  init?: {
    method?: string;
    headers?: Record<string, string>;
    body?: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;
    /** Required for a stream. */
    duplex?: 'half';
    redirect?: 'manual';
    signal?: AbortSignal;
  },
) => Promise<Response>;
