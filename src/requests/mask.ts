import { createHmac } from 'node:crypto';

const WORD = 'redacted';

/**
 * Makes replacements for secrets: text of a given length, the same for the same secret. The secret cannot be derived
 * from it without the key.
 */
export class Mask {
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  of(secret: string, length: number): string {
    if (length <= WORD.length) return hidden(length);
    const digest = createHmac('sha256', this.#key).update(secret).digest('base64url');
    return (WORD + digest.replace(/[-_]/g, '0')).slice(0, length).padEnd(length, 'x');
  }
}

/** Returns a replacement that does not depend on the value, for values that could be guessed, such as card codes. */
export function hidden(length: number): string {
  return length < WORD.length ? '*'.repeat(length) : WORD.padEnd(length, 'x');
}
