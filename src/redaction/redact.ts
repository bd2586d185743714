import { decodeEscapes } from '../kernel/percent.ts';
import { escapeCharacter } from '../kernel/printable.ts';
import { checkCard } from '../kernel/test-cards.ts';

/** Shorter secrets also occur in texts by accident, so they are redacted in their fields only. */
export const MIN_KNOWN_LENGTH = 16;
/** A regular expression of a much longer text cannot be compiled. */
const MAX_KNOWN_LENGTH = 4_000;

export const REDACTED = '[redacted]';

/** Finds known texts, such as secrets, within others: as they are, in JSON, and percent-encoded. */
export class KnownTexts {
  /** The known text of each spelling. */
  readonly #spellings = new Map<string, string>();
  readonly #pattern: RegExp;

  /** @param minLength in bytes; shorter texts are ignored, as are those of thousands of characters */
  constructor(texts: Iterable<string>, minLength = MIN_KNOWN_LENGTH) {
    for (const text of texts) {
      if (Buffer.byteLength(text) < minLength || text.length > MAX_KNOWN_LENGTH) continue;
      for (const spelled of spellingsOf(text)) this.#spellings.set(spelled, text);
    }
    // The first alternative that matches counts, and a text may begin with another one.
    const alternatives = [...this.#spellings.keys()].sort((a, b) => b.length - a.length);
    // Without texts, it matches nothing.
    this.#pattern = new RegExp(alternatives.map(escapeForPattern).join('|') || '(?!)', 'g');
  }

  /** Returns the known texts in a text. */
  in(text: string): string[] {
    const matches = text.match(this.#pattern) ?? [];
    return matches.map((spelled) => this.#spellings.get(spelled) ?? spelled);
  }

  /** @param replacementOf gets a known text, and as it is spelled in `text` */
  replace(text: string, replacementOf: (known: string, spelled: string) => string): string {
    return text.replace(this.#pattern, (spelled) =>
      replacementOf(this.#spellings.get(spelled) ?? spelled, spelled),
    );
  }

  redact(text: string): string {
    return this.replace(text, () => REDACTED);
  }
}

function escapeForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** Characters that encoders of URLs keep: RFC 3986, `encodeURIComponent`, with slashes, `URLSearchParams`, before RFC 3986. */
const KEPT_IN_URL = [/[\w.~-]/, /[\w.~!'()*-]/, /[\w.~/-]/, /[\w.*-]/, /[\w.-]/];
/** What encoders of JSON write as `\u002b`: those of Python and PHP, of Go, and of .NET (whose `\"` is `\u0022`). */
const ESCAPED_IN_JSON = [/[^\0-\x7f]/g, /[<>&]/g, /\\"|[+<>&'`]|[^\0-\x7f]/g];

function spellingsOf(known: string): Iterable<string> {
  if (/^[\w.-]+$/.test(known)) return [known];
  const json = JSON.stringify(known).slice(1, -1);
  const inJson = ESCAPED_IN_JSON.flatMap((escaped) => {
    const lower = json.replace(escaped, (text) => escapeCharacter(text.slice(-1)));
    // With the hex digits of each escape in upper case.
    return [lower, lower.replace(/(?<=(?<!\\)(?:\\\\)*\\u)..../g, (hex) => hex.toUpperCase())];
  });
  const encoded = KEPT_IN_URL.flatMap((kept) => {
    const upper = Array.from(Buffer.from(known), (byte) => {
      const char = String.fromCharCode(byte);
      return kept.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    }).join('');
    const lower = upper.replace(/%../g, (code) => code.toLowerCase());
    return [upper, lower, upper.replaceAll('%20', '+')];
  });
  // PHP escapes slashes.
  const withSlashes = [json, ...inJson].map((text) => text.replaceAll('/', '\\/'));
  return new Set([known, json, ...inJson, ...withSlashes, ...encoded]);
}

const SECRET_HEADERS = new Set(['authorization', 'proxy-authorization', 'set-cookie']);
const CLICK_COOKIE = /^sandlot_click_[a-z0-9_-]+=/;
/** The part of a signature that is kept: enough to distinguish two signatures. */
const SIGNATURE_PREFIX = /^v1=[0-9a-f]{8}/;
const CHECKOUT_PATH = /^\/checkout\b/;
/** An endpoint whose body is too large to parse. */
const IMPORT_PATH = /^\/_sandbox\/inventory\/import\b/;
/** The name of a field that holds a secret or card data, or a part of it. */
const SECRET_NAME = /secret|card_?number|cvc/i;
/** Such a field with its value, in a text that is not JSON. */
const SECRET_FIELD =
  /((?:secret|card_?number|cvc)[\w-]{0,32}\\?["']?\s{0,8}[:=]\s{0,8})(?:"(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s"'&,;}\]]+)/gi;

type Header = readonly [name: string, value: string];

/** Redacts headers whose name says that they hold a secret. In others, known secrets remain: use `secrets.redact`. */
export function redactHeaders(headers: readonly Header[], secrets: KnownTexts): Header[] {
  return headers.map(([name, value]) => [name, redactHeader(name.toLowerCase(), value, secrets)]);
}

function redactHeader(name: string, value: string, secrets: KnownTexts): string {
  if (value === '') return value;
  if (name === 'cookie') return withoutOtherCookies(value);
  if (SECRET_HEADERS.has(name) || SECRET_NAME.test(name)) return REDACTED;
  if (name !== 'x-service-signature') return value;
  // A client may by mistake send its secret as the signature.
  const prefix = secrets.in(value).length === 0 ? (SIGNATURE_PREFIX.exec(value)?.[0] ?? '') : '';
  return `${prefix}… ${REDACTED}`;
}

/** Redacts a path with its query. */
export function redactTarget(target: string, secrets: KnownTexts): string {
  const mark = target.indexOf('?');
  // A quick look for the names that `redactCard` and `redactField` know; a letter can be escaped: `%73`.
  if (mark < 0 || !/secret|card|cvc|%[4-7]/i.test(target)) return secrets.redact(target);
  const redact = isCheckout(target) ? redactCard : redactField;
  return secrets.redact(target.slice(0, mark + 1) + mapForm(target.slice(mark + 1), redact));
}

/** Whether a target is routed to the hosted checkout; its path may have escapes and dot segments. */
function isCheckout(target: string): boolean {
  // Most paths have neither. To parse each would slow down the log.
  if (!/^[^?]*[%.]/.test(target)) return CHECKOUT_PATH.test(target);
  const url = URL.parse(target, 'http://localhost');
  return CHECKOUT_PATH.test(decodeEscapes(url?.pathname ?? target));
}

/** Redacts the body of a request or a response, by the target of the request. */
export function redactBody(text: string, target: string, secrets: KnownTexts): string {
  if (text === '' || IMPORT_PATH.test(target)) return secrets.redact(text);
  if (isCheckout(target)) return secrets.redact(mapForm(text, redactCard));
  return secrets.redact(redactFields(text));
}

/** Redacts the values of fields whose name `SECRET_NAME` matches. A text without such fields is returned as it is. */
export function redactFields(text: string): string {
  // JSON can escape the letters of a name: `\u0073ecret`.
  if (!SECRET_NAME.test(text) && !text.includes('\\u00')) return text;
  let isChanged = false;
  try {
    const value = JSON.parse(text, (name, item) => {
      if (!SECRET_NAME.test(name)) return item;
      isChanged = true;
      return redactValue(item);
    });
    return isChanged ? JSON.stringify(value) : text;
  } catch {
    return text.replace(SECRET_FIELD, `$1${REDACTED}`);
  }
}

/** What is invalid as a secret stays invalid, so that a replay rejects it as well. */
function redactValue(value: unknown): unknown {
  if (typeof value === 'string') {
    return /^[!-~]{1,255}$/.test(value) ? REDACTED : value.replace(/[!-~]/g, '*');
  }
  if (typeof value === 'number') return 0;
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? [] : {};
}

function redactField(name: string, value: string): string {
  return SECRET_NAME.test(name) ? String(redactValue(value)) : value;
}

/** Test cards are public. */
function redactCard(name: string, value: string): string {
  if (name === 'cvc') return value.replace(/\d/g, '0');
  if (name !== 'card_number') return redactField(name, value);
  const result = checkCard(value);
  if (result === 'paid' || result === 'declined') return value;
  // For a replay, with the same result: zeros pass the Luhn check, and 12 to 19 ones fail it.
  return value.replace(/\d/g, result === 'unknown' ? '0' : '1');
}

/** Keeps the cookie of a clicked referral link, which decides to whom a sale is attributed. */
function withoutOtherCookies(cookies: string): string {
  const clicks = cookies.split(/; */).filter((cookie) => CLICK_COOKIE.test(cookie));
  return clicks.length > 0 ? clicks.join('; ') : REDACTED;
}

/** Maps the values of a form or a query. Those that stay keep their spelling. */
function mapForm(form: string, map: (name: string, value: string) => string): string {
  return form
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=');
      if (equals < 0) return pair;
      const name = decodeEscapes(pair.slice(0, equals).replaceAll('+', ' '));
      const value = decodeEscapes(pair.slice(equals + 1).replaceAll('+', ' '));
      const mapped = map(name, value);
      if (mapped === value) return pair;
      const encoded = mapped === REDACTED ? mapped : encodeURIComponent(mapped);
      return pair.slice(0, equals + 1) + encoded.replaceAll('%20', '+');
    })
    .join('&');
}
