import { checkCard, otherCardDigits } from '../kernel/test-cards.ts';
import { fixedPlaceholder, isPlaceholder, type Placeholders } from './placeholders.ts';
import { type Finding, isSecretName, type Level, levelsOf, type TextSearch } from './search.ts';
import { type MapValue, mapForm, mapJson } from './structured.ts';

const REDACTED = '[redacted]';

const SECRET_HEADERS = new Set(['authorization', 'proxy-authorization', 'set-cookie']);
const CLICK_COOKIE = /^sandlot_click_[a-z0-9_-]+=/;
const SIGNATURE_HEADER = 'x-service-signature';
/** Enough to distinguish two signatures. */
const SIGNATURE_PREFIX = /^v1=[0-9a-f]{8}/;
const CHECKOUT = /^\/checkout\b/;
/** Endpoints whose request body contains a secret. In a body that is not a JSON object, any part may be the secret. */
const REGISTRATION = /^\/api\/partner\/webhooks\b|^\/_sandbox\/(?:webhooks|credentials)\b/;
/** Endpoints whose request body is not JSON and has no secret fields. */
const IMPORT = /^\/_sandbox\/(?:inventory|worlds)\/import\b/;

/**
 * Removes secrets from the parts of a request and its response: the values of fields whose name contains `secret`, card data,
 * and every known secret. Each text is read a fixed number of times.
 */
export class Redaction {
  readonly #search: TextSearch;
  readonly #placeholders: Placeholders;

  constructor(search: TextSearch, placeholders: Placeholders) {
    this.#search = search;
    this.#placeholders = placeholders;
  }

  /** Whether a text contains no known secret, and no field that may hold one. */
  isClean(text: string): boolean {
    const levels = [...levelsOf(text)];
    return !mentionsSecret(text, levels) && this.#search.find(text, levels).length === 0;
  }

  /** Returns the known secrets in a text. */
  secretsIn(text: string): string[] {
    return this.#search.find(text).map(({ value }) => value);
  }

  /** Adds the secret that a registration request sets to the known secrets. */
  learnFrom(target: string, body: string): void {
    if (!REGISTRATION.test(target)) return;
    mapJson(body, (value, { name, parent }) => {
      if (name === 'secret' && parent === '') this.#search.add([value]);
      return value;
    });
  }

  text(text: string, levels: Iterable<Level> = levelsOf(text)): string {
    // A text may repeat a secret thousands of times.
    const placeholders = new Map<string, string>();
    const replacementOf = ({ value, text: match }: Finding) => {
      const placeholder = placeholders.get(value) ?? this.#placeholders.of(value);
      placeholders.set(value, placeholder);
      // The match has its escapes undone; in base64, it is longer than the secret.
      return placeholder.padEnd(match.length, 'x');
    };
    return this.#search.replace(text, replacementOf, levels);
  }

  /** Redacts all texts in a value, also names of fields. */
  value(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.entries(value);
    return Object.fromEntries(fields.map(([name, item]) => [this.text(name), this.value(item)]));
  }

  /** Redacts a path with its query. */
  target(target: string): string {
    const mark = target.indexOf('?');
    if (mark < 0) return this.text(target);
    const query = mapForm(target.slice(mark + 1), this.#hideSecret);
    return this.text(target.slice(0, mark + 1) + query);
  }

  /** Redacts a list that alternates header names and values. @param isClean whether they contain no known secret */
  headers(headers: readonly string[], isClean = false): string[] {
    const text = (value: string) => (isClean ? value : this.text(value));
    let name = '';
    return headers.map((part, at) => {
      if (at % 2 === 1) return this.#header(name, part, text);
      name = part.toLowerCase();
      return text(part);
    });
  }

  /** @returns undefined if the body cannot be parsed and may hold a secret: then it must be left out */
  body(text: string, target: string): string | undefined {
    const levels = [...levelsOf(text)];
    const redacted = this.text(text, levels);
    if (IMPORT.test(target)) return redacted;
    if (CHECKOUT.test(target)) return mapForm(redacted, this.#hideCard);
    const isRegistration = REGISTRATION.test(target);
    if (redacted === text && !isRegistration && !mentionsSecret(text, levels)) return text;
    const isObject = /^\s*\{/.test(redacted);
    return mapJson(redacted, this.#hideSecret, { isSecret: isRegistration && !isObject });
  }

  /** Redacts a response of the control API. @returns undefined if it must be left out, because its end is missing */
  response(text: string): string | undefined {
    const redacted = this.text(text);
    return /^\s*[[{]/.test(redacted) && mentionsSecret(redacted)
      ? mapJson(redacted, this.#hideSecret)
      : redacted;
  }

  #header(name: string, value: string, redacted: (text: string) => string): string {
    if (value === '') return value;
    if (name === 'cookie') return withoutOtherCookies(value);
    if (SECRET_HEADERS.has(name)) return REDACTED;
    if (isSecretName(name)) return this.#placeholders.of(value);
    const text = redacted(value);
    if (name !== SIGNATURE_HEADER) return text;
    const prefix = text === value ? (SIGNATURE_PREFIX.exec(value)?.[0] ?? '') : '';
    return `${prefix}… ${REDACTED}`;
  }

  /** A secret with invalid characters gets a placeholder with an invalid character, so that it is rejected as well. */
  readonly #hide = (value: string): string => {
    if (value.trim() === '' || isPlaceholder(value)) return value;
    const placeholder = this.#placeholders.of(value);
    return /^[!-~]*$/.test(value) ? placeholder : `é${placeholder.slice(1)}`;
  };

  readonly #hideSecret: MapValue = (value, { isSecret }) => {
    if (isSecret) return this.#hide(value);
    const isJson = /^\s*[[{]/.test(value) && mentionsSecret(value);
    return isJson ? (mapJson(value, this.#hideSecret) ?? fixedPlaceholder(value.length)) : value;
  };

  /** Test cards are public. */
  readonly #hideCard: MapValue = (value, field) => {
    if (field.name === 'cvc') return value.replace(/\d/g, '0');
    if (field.name !== 'card_number') return this.#hideSecret(value, field);
    const result = checkCard(value);
    if (result === 'paid' || result === 'declined') return value;
    const digits = otherCardDigits(value.replace(/\D/g, ''));
    let at = 0;
    return value.replace(/\d/g, () => digits[at++] ?? '0');
  };
}

/** Whether a text contains `secret`, in any escapes. */
export function mentionsSecret(text: string, levels: Iterable<Level> = levelsOf(text)): boolean {
  for (const level of levels) if (isSecretName(level.text)) return true;
  return false;
}

/** Keeps the cookie of a clicked referral link, which decides to whom a sale is attributed. */
function withoutOtherCookies(cookies: string): string {
  const clicks = cookies.split(/; */).filter((cookie) => CLICK_COOKIE.test(cookie));
  return [...clicks, ...(clicks.length > 0 ? [] : [REDACTED])].join('; ');
}
