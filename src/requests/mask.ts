import { createHmac } from 'node:crypto';

const WORD = 'redacted';

/**
 * What stands for a secret: text of a given length, always the same for the same secret, from which it cannot be
 * found out without the key.
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

/** What stands for a value that few values are possible of, such as the code of a card. */
export function hidden(length: number): string {
  return length < WORD.length ? '*'.repeat(length) : WORD.padEnd(length, 'x');
}
