import { createHmac } from 'node:crypto';

const WORD = 'redacted';

/** Characters and their escapes, also escaped ones. A limited number of backslashes takes linear time. */
const SPELLED = /\\{1,16}u[0-9a-f]{4}|\\{1,16}x[0-9a-f]{2}|%(?:25)*[0-9a-f]{2}|[\s\S]/gi;

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
    // Names of worlds and snapshots have lower case only, so that the replacement is as valid as the secret.
    const encoding = /[A-Z]/.test(secret) ? 'base64url' : 'hex';
    const digest = createHmac('sha256', this.#key).update(secret).digest(encoding);
    return (WORD + digest.replace(/[-_]/g, '0')).slice(0, length).padEnd(length, 'x');
  }

  /**
   * As `of`, for a secret as it is spelled in a text: escapes stay escapes, so that what they stand for keeps its length,
   * and slashes stay slashes, so that a path keeps its segments.
   */
  like(secret: string, spelled: string): string {
    if (!/[\\%\0/]/.test(spelled)) return this.of(secret, spelled.length);
    const chars = spelled.match(SPELLED) ?? [];
    const isHidden = (char: string) => char !== '\0' && !isSlash(char);
    // A secret of hardly more than slashes would show.
    const keepsSlashes = chars.filter(isHidden).length >= WORD.length;
    const stays = (char: string) => char === '\0' || (keepsSlashes && isSlash(char));
    const text = this.of(secret, chars.filter((char) => !stays(char)).length);
    let at = 0;
    return chars
      .map((char) => (stays(char) ? char : respelled(char, text.charCodeAt(at++))))
      .join('');
  }
}

function isSlash(char: string): boolean {
  return char === '/' || (char.length > 1 && /(?:u00|x|%(?:25)*)2f$/i.test(char));
}

function respelled(char: string, code: number): string {
  if (char.length === 1) return String.fromCharCode(code);
  const digits = /u/i.test(char) ? 4 : 2;
  return char.slice(0, -digits) + code.toString(16).padStart(digits, '0');
}

/** Returns a replacement that does not depend on the value, for values that could be guessed, such as card codes. */
export function hidden(length: number): string {
  return length < WORD.length ? '*'.repeat(length) : WORD.padEnd(length, 'x');
}

/** Whether a text is such a replacement. */
export function isMasked(text: string): boolean {
  return /^(?:redacted[A-Za-z0-9]*|\*+)$/.test(text.replaceAll('/', ''));
}
