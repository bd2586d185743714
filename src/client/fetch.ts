/** `Uint8Array<ArrayBuffer>`, which TypeScript before 5.7 does not know. */
export type Bytes = Uint8Array & { buffer: ArrayBuffer };

/** The part of `fetch` that the clients use: the global one, or the in-process one of a sandbox. */
export type Fetch = (
  url: string,
  init?: {
    method?: string;
    headers?: Record<string, string>;
    body?: string | Bytes | ReadableStream<Uint8Array>;
    /** Required for a stream. */
    duplex?: 'half';
    redirect?: 'manual';
    signal?: AbortSignal;
  },
) => Promise<Response>;
