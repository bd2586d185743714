/** Shorter secrets also occur in texts by accident, so they are redacted in their fields only. */
export const MIN_KNOWN_SECRET = 16;

export const REDACTED = '[redacted]';

/** A secret, and one way in which a text may spell it. */
interface Spelling {
  secret: string;
  spelled: string;
}

const FACTOR = 0x01000193;
const MAX_FEW = 16;

/**
 * Finds secrets in texts: as they are, in JSON, and percent-encoded. The number of secrets hardly matters: a rolling hash of
 * the last characters says which of them may end at a position (algorithm of Rabin and Karp).
 */
export class KnownSecrets {
  /** By the hash of their last characters, longest first. */
  readonly #spellings = new Map<number, Spelling[]>();
  /** All spellings, if they are few: most texts have none of them, which `includes` says faster. */
  readonly #few: readonly string[] | undefined;
  /** Which hashes they have, by the lower half: asked for each character of a text. */
  readonly #hasHash = new Uint8Array(1 << 16);
  readonly #window: number;
  /** What the first character of a window contributes to its hash. */
  readonly #first: number;

  /** @param window shorter secrets are ignored */
  constructor(secrets: Iterable<string>, window = MIN_KNOWN_SECRET) {
    this.#window = window;
    this.#first = Array.from({ length: window - 1 }).reduce<number>(
      (power) => Math.imul(power, FACTOR),
      1,
    );
    const all: string[] = [];
    for (const secret of new Set(secrets)) {
      if (secret.length < window) continue;
      for (const spelled of spellingsOf(secret)) {
        all.push(spelled);
        const hash = hashOf(spelled.slice(-window));
        const bucket = [...(this.#spellings.get(hash) ?? []), { secret, spelled }];
        bucket.sort((a, b) => b.spelled.length - a.spelled.length);
        this.#spellings.set(hash, bucket);
        this.#hasHash[hash & 0xffff] = 1;
      }
    }
    this.#few = all.length <= MAX_FEW ? all : undefined;
  }

  /** Returns the secrets in a text. */
  in(text: string): string[] {
    return this.#find(text).map(({ secret }) => secret);
  }

  /** Replaces the secrets in a text. */
  redact(text: string, replacementOf: (secret: string) => string = () => REDACTED): string {
    let redacted = '';
    let end = 0;
    for (const { from, to, secret } of this.#find(text)) {
      redacted += text.slice(end, from) + replacementOf(secret);
      end = to;
    }
    return redacted + text.slice(end);
  }

  /** In order and without overlaps. */
  #find(text: string): { from: number; to: number; secret: string }[] {
    const findings: { from: number; to: number; secret: string }[] = [];
    if (this.#few && !this.#few.some((spelled) => text.includes(spelled))) return findings;
    let hash = 0;
    for (let at = 0; at < text.length; at += 1) {
      if (at >= this.#window) {
        hash -= Math.imul(text.charCodeAt(at - this.#window), this.#first);
      }
      hash = (Math.imul(hash, FACTOR) + text.charCodeAt(at)) | 0;
      if (this.#hasHash[hash & 0xffff] === 0) continue;
      const to = at + 1;
      const spelling = this.#spellings
        .get(hash)
        ?.find(({ spelled }) => spelled.length <= to && text.endsWith(spelled, to));
      if (!spelling) continue;
      let from = to - spelling.spelled.length;
      for (let last = findings.at(-1); last && last.to > from; last = findings.at(-1)) {
        from = Math.min(from, last.from);
        findings.pop();
      }
      findings.push({ from, to, secret: spelling.secret });
    }
    return findings;
  }
}

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at += 1) {
    hash = (Math.imul(hash, FACTOR) + text.charCodeAt(at)) | 0;
  }
  return hash;
}

/** Characters that encoders leave as they are: RFC 3986, `encodeURIComponent`, and those that keep slashes. */
const UNESCAPED = [/[\w.~-]/, /[\w.~!'()*-]/, /[\w.~/-]/];

function spellingsOf(secret: string): Set<string> {
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
