import { isUtf8 } from 'node:buffer';

/** The log keeps the beginning of longer bodies. */
export const MAX_BODY = 64 * 1024;
/** The limit for the body of a request that anybody can send. */
export const MAX_UNSIGNED_BODY = 4 * 1024;

/** Returns at most `limit` bytes of a body, without a partial character at the end of a text. */
export function beginningOf(body: Buffer, limit = MAX_BODY): Buffer {
  if (body.length <= limit) return body;
  for (let end = limit; end > limit - 4; end -= 1) {
    if (isUtf8(body.subarray(0, end))) return body.subarray(0, end);
  }
  return body.subarray(0, limit);
}

/** Keeps the beginning of a streamed body, and its size. */
export class StreamedBody {
  bytes = 0;
  readonly #parts: Uint8Array[] = [];

  /** Passes the chunks on. */
  async *watch(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      if (this.bytes < MAX_BODY) this.#parts.push(chunk.slice(0, MAX_BODY - this.bytes));
      this.bytes += chunk.length;
      yield chunk;
    }
  }

  get beginning(): Buffer {
    return Buffer.concat(this.#parts);
  }
}
