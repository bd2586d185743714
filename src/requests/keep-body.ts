import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';

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

/** Keeps the beginning of a streamed body, its size and its SHA-256. */
export class StreamedBody {
  readonly #hash = createHash('sha256');
  readonly #parts: Uint8Array[] = [];
  #keptBytes = 0;
  #bytes = 0;

  /** Passes the chunks on. */
  async *watch(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.#hash.update(chunk);
      this.#bytes += chunk.length;
      if (this.#keptBytes < MAX_BODY) {
        const part = chunk.slice(0, MAX_BODY - this.#keptBytes);
        this.#parts.push(part);
        this.#keptBytes += part.length;
      }
      yield chunk;
    }
  }

  result(): { content: Buffer; bytes: number; sha256: string } {
    const content = Buffer.concat(this.#parts);
    return { content, bytes: this.#bytes, sha256: this.#hash.copy().digest('hex') };
  }
}
