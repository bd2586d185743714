import { isUtf8 } from 'node:buffer';
import { redactBody } from './redact.ts';
import type { KeptBody } from './schema.ts';

/** Of a longer body only the beginning is kept. */
export const KEPT_BODY_BYTES = 32 * 1024;

/**
 * What a log keeps of a body: its beginning, without secrets.
 * @param start of the body, at most `KEPT_BODY_BYTES` of it
 * @param bytes size of the whole
 */
export function keepBody(start: Buffer, bytes: number, secrets: readonly string[]): KeptBody {
  if (bytes === 0) return { text: null, encoding: 'utf8', bytes, altered: null };
  const cut = bytes > start.length;
  const whole = cut ? withoutHalfCharacter(start) : start;
  if (!isUtf8(whole)) {
    return {
      text: start.toString('base64'),
      encoding: 'base64',
      bytes,
      altered: cut ? 'cut' : null,
    };
  }
  const text = whole.toString();
  const kept = redactBody(text, secrets);
  return {
    text: kept,
    encoding: 'utf8',
    bytes,
    altered: cut ? 'cut' : kept === text ? null : 'redacted',
  };
}

/** A cut may go through the middle of a character; the bytes of its beginning are left out. */
function withoutHalfCharacter(start: Buffer): Buffer {
  for (let end = start.length; end > start.length - 4; end -= 1) {
    if (isUtf8(start.subarray(0, end))) return start.subarray(0, end);
  }
  return start;
}
