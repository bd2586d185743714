import type { HeaderList } from './schema.ts';

const REDACTED = '[redacted]';

const SECRET_HEADERS = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie']);
const SIGNATURE_HEADER = 'x-service-signature';
/** Of checkout forms. */
const CARD_FIELDS = new Set(['card_number', 'expiry', 'cvc']);
/** Bodies sent there hold a secret: what cannot be read may be it. */
const REGISTRATION = /^\/api\/partner\/webhooks\b|^\/_sandbox\/(?:webhooks|credentials)\b/;

/** Takes secrets out of what a request and its answer said. */
export class Redaction {
  readonly #secrets: RegExp;

  /** @param secrets where they stand; see `secretPattern` */
  constructor(secrets: RegExp) {
    this.#secrets = secrets;
  }

  text(text: string): string {
    return text.replace(this.#secrets, REDACTED);
  }

  /** Path and query; of a query that hides a secret nothing is left. */
  target(target: string): string {
    const [path = '', query] = target.split(/\?(.*)/s);
    if (query === undefined) return this.text(target);
    const hidden = this.#isIn(decoded(query)) && !this.#isIn(query);
    const plain = !/secret/i.test(decoded(query));
    return this.text(`${path}?${hidden ? REDACTED : plain ? query : this.#form(query)}`);
  }

  /** In the order sent; of a signature only the beginning, which is enough to tell two apart. */
  headers(headers: HeaderList): HeaderList {
    return headers.map(([name, value]) => {
      const lower = name.toLowerCase();
      if (SECRET_HEADERS.has(lower)) return [name, REDACTED];
      if (lower === SIGNATURE_HEADER) return [name, `${value.slice(0, 11)}… ${REDACTED}`];
      return [name, this.#isIn(decoded(value)) && !this.#isIn(value) ? REDACTED : this.text(value)];
    });
  }

  /** A body without what its members or fields give away. */
  body(text: string, target: string): string {
    const json = /^\s*[[{]/.test(text) ? this.#json(text) : undefined;
    if (json !== undefined) return this.text(json);
    if (REGISTRATION.test(target) || /^\s*[[{"]/.test(text)) {
      return /secret|\\/i.test(text) || REGISTRATION.test(target)
        ? `${REDACTED}: it cannot be read as JSON, and may hold a secret`
        : this.text(text);
    }
    return this.text(isForm(text) ? this.#form(text) : text);
  }

  /** Word for word, unless a member is called a secret or one is spelled with escapes; undefined for no JSON. */
  #json(text: string): string | undefined {
    let found = false;
    const hide = () => {
      found = true;
      return REDACTED;
    };
    try {
      const value: unknown = JSON.parse(text, (name, member: unknown) => {
        if (isSecretName(name)) return hide();
        return typeof member === 'string' && this.#isIn(member) ? hide() : member;
      });
      return found ? JSON.stringify(value) : text;
    } catch {
      return undefined;
    }
  }

  #form(text: string): string {
    const form = new URLSearchParams(text);
    let found = false;
    for (const [name, value] of [...form]) {
      if (!isSecretName(name) && !CARD_FIELDS.has(name) && !this.#isIn(value)) continue;
      form.set(name, REDACTED);
      found = true;
    }
    return found ? form.toString() : text;
  }

  #isIn(text: string): boolean {
    return text.search(this.#secrets) >= 0;
  }
}

function isSecretName(name: string): boolean {
  return /secret/i.test(name);
}

function isForm(text: string): boolean {
  return /^[^\s=&{}]{1,200}=/.test(text);
}

/** What percent escapes stand for; the text itself where they stand for nothing. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
