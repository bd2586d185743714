import { createHmac } from 'node:crypto';

const WORD = 'redacted';

/** Makes placeholders of secrets: the same for the same secret, which cannot be derived from it without the key. */
export class Placeholders {
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  /** Letters and digits, as long as the secret. Slashes stay, so that a path keeps its segments. */
  of(secret: string): string {
    // The placeholder would repeat most of a secret that is almost all slashes.
    if (secret.length <= WORD.length || secret.replaceAll('/', '').length < WORD.length)
      return fixedPlaceholder(secret.length);
    // Names of worlds and snapshots have lower case only, so that the placeholder is as valid as the secret.
    const encoding = /[A-Z]/.test(secret) ? 'base64url' : 'hex';
    const digest = createHmac('sha256', this.#key).update(secret).digest(encoding);
    const text = (WORD + digest.replace(/[-_]/g, '0')).padEnd(secret.length, 'x');
    let at = 0;
    const parts = secret.split('/').map(({ length }) => {
      at += length;
      return text.slice(at - length, at);
    });
    return parts.join('/');
  }
}

/** Returns a placeholder that does not depend on the value, for values that could be guessed. */
export function fixedPlaceholder(length: number): string {
  return length < WORD.length ? '*'.repeat(length) : WORD.padEnd(length, 'x');
}

/** Whether a text is a placeholder of a secret. */
export function isPlaceholder(text: string): boolean {
  return /^(?:\[?redacted[A-Za-z0-9]*\]?|\*+)$/.test(text.replaceAll('/', ''));
}
