import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';

/** The log shows the beginning of longer bodies. */
export const KEPT_BODY_BYTES = 32 * 1024;
/** Bytes after the kept part that are redacted with it: a secret may begin at its end. */
export const BEYOND_KEPT = 4 * 1024;

/** Returns at most `KEPT_BODY_BYTES` of a body, without a partial character at the end of a text. */
export function beginningOf(body: Buffer): Buffer {
  if (body.length <= KEPT_BODY_BYTES) return body;
  for (let end = KEPT_BODY_BYTES; end > KEPT_BODY_BYTES - 4; end -= 1) {
    if (isUtf8(body.subarray(0, end))) return body.subarray(0, end);
  }
  return body.subarray(0, KEPT_BODY_BYTES);
}

/** A larger upload is not recorded. */
const MAX_RECORDED_UPLOAD = 1024 * 1024;

/** Keeps a streamed body, or the beginning of a large one, its size and its SHA-256. */
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
      if (this.#keptBytes <= MAX_RECORDED_UPLOAD) {
        // One more byte shows that the body is longer.
        const part = chunk.slice(0, MAX_RECORDED_UPLOAD + 1 - this.#keptBytes);
        this.#parts.push(part);
        this.#keptBytes += part.length;
      }
      yield chunk;
    }
  }

  /** @returns `content`: the whole body, or the beginning of a large one */
  result(): { content: Buffer; bytes: number; sha256: string } {
    const all = Buffer.concat(this.#parts);
    const content =
      this.#bytes > MAX_RECORDED_UPLOAD ? all.subarray(0, KEPT_BODY_BYTES + BEYOND_KEPT) : all;
    return { content, bytes: this.#bytes, sha256: this.#hash.copy().digest('hex') };
  }
}
