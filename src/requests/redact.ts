import { CARD_FIELDS } from './card-fields.ts';
import { hidden, isMasked, type Mask } from './mask.ts';
import type { HeaderList } from './message.ts';
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

const SECRET_HEADERS = new Set(['authorization', 'proxy-authorization', 'set-cookie']);
const CLICK_COOKIE = /^sandlot_click_[a-z0-9_-]+=/;
const SIGNATURE_HEADER = 'x-service-signature';
/** Enough to distinguish two signatures. */
const SHOWN_OF_SIGNATURE = /^v1=[0-9a-f]{8}/;
const CHECKOUT = /^\/checkout\b/;
/** Bodies sent there contain a secret: if they cannot be parsed, any part may be it. */
const REGISTRATION = /^\/api\/partner\/webhooks\b|^\/_sandbox\/(?:webhooks|credentials)\b/;

/** Removes secrets from the parts of a request and its response. Text keeps its length; the same secret becomes the same text. */
export class Redaction {
  /** Undefined if the request contains no known secret. */
  readonly #search: SecretSearch | undefined;
  readonly #mask: Mask;

  constructor(search: SecretSearch | undefined, mask: Mask) {
    this.#search = search;
    this.#mask = mask;
  }

  /** Whether the texts that this was made for contain no known secret. */
  get isIdle(): boolean {
    return this.#search === undefined;
  }

  /** Returns a redaction for these texts, which skips the search if they contain no known secret. */
  of(everything: string): Redaction {
    return this.#search?.occursIn(everything) ? this : new Redaction(undefined, this.#mask);
  }

  /** Makes a secret known. */
  learn(secret: string): void {
    this.#search?.add([secret]);
  }

  /** Returns the known secrets in a text. */
  secretsIn(text: string): string[] {
    return this.#search?.find(text).map(({ secret }) => secret) ?? [];
  }

  /** @param isTruncated whether it may end with the beginning of a secret */
  text(text: string, isTruncated = false): string {
    if (!this.#search) return text;
    let kept = '';
    let end = 0;
    for (const { from, to, secret } of this.#search.find(text, isTruncated)) {
      kept += text.slice(end, from) + this.#mask.like(secret, text.slice(from, to));
      end = to;
    }
    return end === 0 ? text : kept + text.slice(end);
  }

  /** Redacts all texts in a value, also names of fields. */
  value(value: unknown): unknown {
    if (!this.#search) return value;
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((each) => this.value(each));
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.entries(value);
    return Object.fromEntries(fields.map(([name, each]) => [this.text(name), this.value(each)]));
  }

  /** Redacts a path with its query. */
  target(target: string): string {
    const mark = target.indexOf('?');
    if (mark < 0) return this.text(target);
    const query = rewriteForm(target.slice(mark + 1), (name) =>
      isSecretName(name) ? this.#hide : undefined,
    );
    return this.text(target.slice(0, mark + 1) + query);
  }

  /** Keeps the order. */
  headers(headers: HeaderList): HeaderList {
    return headers.map(([name, value]) => [
      this.text(name),
      this.#header(name.toLowerCase(), value),
    ]);
  }

  /** @param isTruncated whether only the beginning is there */
  body(text: string, target: string, isTruncated: boolean): string {
    // Known ones first: of a text that mentions `secret`, only the rest is hidden.
    return this.#fields(this.text(text, isTruncated), target);
  }

  /** Redacts a response of the control API. Its texts are not parsed as JSON. */
  response(text: string, isTruncated: boolean): string {
    const known = this.text(text, isTruncated);
    return mentionsSecret(known) ? rewriteJson(known, this.#hide, { nested: false }) : known;
  }

  #header(name: string, value: string): string {
    if (value === '') return value;
    if (name === 'cookie') return withoutOtherCookies(value);
    if (SECRET_HEADERS.has(name)) return REDACTED;
    if (isSecretName(name)) return this.#mask.of(value, value.length);
    const text = this.text(value);
    if (name !== SIGNATURE_HEADER) return text;
    const shown = text === value ? (SHOWN_OF_SIGNATURE.exec(value)?.[0] ?? '') : '';
    return `${shown}… ${REDACTED}`;
  }

  /** Redacts the values of fields whose name contains `secret`. */
  #fields(text: string, target: string): string {
    // Such a body is rejected, so that any part of it may be a secret.
    if (REGISTRATION.test(target) && !isJsonObject(text)) {
      return isJson(text) ? hideValues(text) : hidden(text.length);
    }
    if (/^\s*[[{]/.test(text) && !CHECKOUT.test(target)) {
      if (!mentionsSecret(text)) return text;
      const rewritten = rewriteJson(text, this.#hide, { nested: true });
      return isJson(text) ? rewritten : hideAfterMention(rewritten);
    }
    if (isForm(text) || CHECKOUT.test(target)) {
      return rewriteForm(text, (name) => {
        if (Object.hasOwn(CARD_FIELDS, name)) return CARD_FIELDS[name];
        return isSecretName(name) ? this.#hide : undefined;
      });
    }
    return hideAfterMention(text);
  }

  /** A secret that is rejected for its characters is replaced by one that is too. */
  readonly #hide: Rewrite = (value, _length, spelled) => {
    if (value.trim() === '' || isMasked(value)) return spelled;
    const hidden = this.#mask.like(value, spelled);
    return /^[!-~]*$/.test(value) ? hidden : `é${hidden.slice(1)}`;
  };
}

/** The secret in the body of a registration, if the target is one. */
export function secretSetBy(target: string, body: string): string | undefined {
  if (!REGISTRATION.test(target) || !isJsonObject(body)) return undefined;
  const { secret } = JSON.parse(body) as { secret?: unknown };
  return typeof secret === 'string' ? secret : undefined;
}

/** Keeps the cookie of a clicked referral link, which decides to whom a sale is attributed. */
function withoutOtherCookies(cookies: string): string {
  const clicks = cookies.split(/; */).filter((cookie) => CLICK_COOKIE.test(cookie));
  return [...clicks, ...(clicks.length > 0 ? [] : [REDACTED])].join('; ');
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Hides all texts and numbers of JSON, which stays JSON. */
function hideValues(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|\d/g, (found) =>
    found.startsWith('"') ? `"${hidden(found.length - 2)}"` : '1',
  );
}

function isJsonObject(text: string): boolean {
  return /^\s*{/.test(text) && isJson(text);
}

function isForm(text: string): boolean {
  return /^[^\s=&{}]{1,200}=\S*$/.test(text);
}
