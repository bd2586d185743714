import type { HeaderList } from './log-entry.ts';
import { hidden, type Mask } from './mask.ts';
import {
  hideAfterMention,
  isSecretName,
  mentionsSecret,
  type Rewrite,
  rewriteForm,
  rewriteJson,
} from './secret-fields.ts';
import type { SecretSearch } from './secret-search.ts';

const REDACTED = '[redacted]';

const SECRET_HEADERS = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie']);
const SIGNATURE_HEADER = 'x-service-signature';
/** Enough to tell two signatures apart. */
const SHOWN_OF_SIGNATURE = /^v1=[0-9a-f]{8}/;
/** Of checkout forms. */
const CARD_FIELDS = new Set(['card_number', 'expiry', 'cvc']);
/** Bodies sent there hold a secret: what cannot be parsed may be it. */
const REGISTRATION = /^\/api\/partner\/webhooks\b|^\/_sandbox\/(?:webhooks|credentials)\b/;

/**
 * Takes secrets out of whatever a request and its response said, wherever they are. Text keeps its length, and the
 * same secret becomes the same text.
 */
export class Redaction {
  /** Undefined for a request that holds no known secret. */
  readonly #search: SecretSearch | undefined;
  readonly #mask: Mask;

  constructor(search: SecretSearch | undefined, mask: Mask) {
    this.#search = search;
    this.#mask = mask;
  }

  /** Whether it looks for no known secrets, because there are none in what it is for. */
  get isIdle(): boolean {
    return this.#search === undefined;
  }

  /** One for these texts; it does not look for secrets again if there are none. */
  of(everything: string): Redaction {
    return this.#search?.occursIn(everything) ? this : new Redaction(undefined, this.#mask);
  }

  /** @param isTruncated what ends it may be the beginning of a secret */
  text(text: string, isTruncated = false): string {
    if (!this.#search) return text;
    let kept = '';
    let end = 0;
    for (const { from, to, secret } of this.#search.find(text, isTruncated)) {
      kept += text.slice(end, from) + this.#mask.of(secret, to - from);
      end = to;
    }
    return end === 0 ? text : kept + text.slice(end);
  }

  /** All texts in a value, names of members too. */
  value(value: unknown): unknown {
    if (!this.#search) return value;
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((each) => this.value(each));
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value);
    return Object.fromEntries(members.map(([name, each]) => [this.text(name), this.value(each)]));
  }

  /** Path and query. */
  target(target: string): string {
    const mark = target.indexOf('?');
    if (mark < 0) return this.text(target);
    const query = rewriteForm(target.slice(mark + 1), (name) =>
      isSecretName(name) ? this.#hide : undefined,
    );
    return this.text(target.slice(0, mark + 1) + query);
  }

  /** In the order sent. */
  headers(headers: HeaderList): HeaderList {
    return headers.map(([name, value]) => [
      this.text(name),
      this.#header(name.toLowerCase(), value),
    ]);
  }

  /** @param isTruncated only its beginning is there */
  body(text: string, target: string, isTruncated: boolean): string {
    return this.text(this.#fields(text, target), isTruncated);
  }

  /** A response of our own, in which no field holds a document. */
  response(text: string, isTruncated: boolean): string {
    const fields = mentionsSecret(text) ? rewriteJson(text, this.#hide, { nested: false }) : text;
    return this.text(fields, isTruncated);
  }

  #header(name: string, value: string): string {
    if (SECRET_HEADERS.has(name)) return REDACTED;
    if (isSecretName(name)) return this.#mask.of(value, value.length);
    const text = this.text(value);
    if (name !== SIGNATURE_HEADER) return text;
    const shown = text === value ? (SHOWN_OF_SIGNATURE.exec(value)?.[0] ?? '') : '';
    return `${shown}… ${REDACTED}`;
  }

  /** Without the values of fields that are called a secret. */
  #fields(text: string, target: string): string {
    if (REGISTRATION.test(target) && !isForm(text) && !isJsonObject(text)) {
      return hidden(text.length);
    }
    if (/^\s*[[{]/.test(text)) {
      if (!mentionsSecret(text)) return text;
      const rewritten = rewriteJson(text, this.#hide, { nested: true });
      return isJson(text) ? rewritten : hideAfterMention(rewritten);
    }
    if (isForm(text)) {
      return rewriteForm(text, (name) => {
        if (CARD_FIELDS.has(name)) return (_value, length) => hidden(length);
        return isSecretName(name) ? this.#hide : undefined;
      });
    }
    return hideAfterMention(text);
  }

  readonly #hide: Rewrite = (value, length) => this.#mask.of(value, length);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function isJsonObject(text: string): boolean {
  return /^\s*{/.test(text) && isJson(text);
}

function isForm(text: string): boolean {
  return /^[^\s=&{}]{1,200}=\S*$/.test(text);
}
