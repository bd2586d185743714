/** Shorter secrets also occur in texts by accident, so they are redacted in their fields only. */
const MIN_KNOWN_SECRET = 16;

export const REDACTED = '[redacted]';

/** Finds secrets in texts: as they are, in JSON, and percent-encoded. */
export class KnownSecrets {
  /** The secret of each spelling. */
  readonly #spellings = new Map<string, string>();
  /** Matches the spellings. */
  readonly #pattern: RegExp | undefined;

  /** @param minLength shorter secrets are ignored */
  constructor(secrets: Iterable<string>, minLength = MIN_KNOWN_SECRET) {
    for (const secret of secrets) {
      if (secret.length < minLength) continue;
      for (const spelled of spellingsOf(secret)) this.#spellings.set(spelled, secret);
    }
    // The first alternative that matches counts, and a secret may begin with another one.
    const alternatives = [...this.#spellings.keys()].sort((a, b) => b.length - a.length);
    if (alternatives.length === 0) return;
    this.#pattern = new RegExp(alternatives.map(escapeForPattern).join('|'), 'g');
  }

  /** Returns the secrets in a text. */
  in(text: string): string[] {
    const matches = (this.#pattern && text.match(this.#pattern)) ?? [];
    return matches.map((spelled) => this.#secretOf(spelled));
  }

  /** Replaces the secrets in a text. */
  redact(text: string, replacementOf: (secret: string) => string = () => REDACTED): string {
    if (!this.#pattern) return text;
    return text.replace(this.#pattern, (spelled) => replacementOf(this.#secretOf(spelled)));
  }

  #secretOf(spelled: string): string {
    return this.#spellings.get(spelled) ?? spelled;
  }
}

function escapeForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** Characters that encoders leave as they are: RFC 3986, `encodeURIComponent`, and those that keep slashes. */
const UNESCAPED = [/[\w.~-]/, /[\w.~!'()*-]/, /[\w.~/-]/];

function spellingsOf(secret: string): Iterable<string> {
  if (/^[\w.~-]+$/.test(secret)) return [secret];
  const encoded = UNESCAPED.flatMap((unescaped) => {
    const upper = Array.from(Buffer.from(secret), (byte) => {
      const char = String.fromCharCode(byte);
      return unescaped.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    }).join('');
    const lower = upper.replace(/%../g, (code) => code.toLowerCase());
    return [upper, lower, upper.replaceAll('%20', '+')];
  });
  return new Set([secret, JSON.stringify(secret).slice(1, -1), ...encoded]);
}
