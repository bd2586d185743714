import { isUtf8 } from 'node:buffer';

/** Of a longer body only the beginning is kept. */
const KEPT_BODY_BYTES = 32 * 1024;

/** At most `KEPT_BODY_BYTES`, and no half character at the end of a text. */
export function beginningOf(body: Buffer): Buffer {
  if (body.length <= KEPT_BODY_BYTES) return body;
  for (let end = KEPT_BODY_BYTES; end > KEPT_BODY_BYTES - 4; end -= 1) {
    if (isUtf8(body.subarray(0, end))) return body.subarray(0, end);
  }
  return body.subarray(0, KEPT_BODY_BYTES);
}
