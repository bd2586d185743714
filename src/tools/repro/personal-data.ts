import { DEFAULT_EMAIL } from '../../control/money.ts';
import { EMAIL_ADDRESS } from '../../http/fields.ts';
import { parseForm } from '../../http/request.ts';
import { parseShallowJson } from '../../kernel/json.ts';
import { decodeEscapes } from '../../kernel/percent.ts';
import { KnownTexts } from '../../redaction/redact.ts';
import { webhookUrlProblem } from '../../webhooks/url-policy.ts';
import { type ReproRow, type RequestRecord, textOf } from './format.ts';
import { mapTexts } from './map-texts.ts';

/** The default buyer of the control API, and the example on the checkout page, which a replay has again. */
const KEPT_EMAILS = [DEFAULT_EMAIL, 'name@example.com'];
/** What is replaced already. */
const KEPT = /^(?:Buyer[- ]\d{1,9}|(?:buyer-\d+@[\wé]+|https:\/\/receiver-\d+)\.invalid\/?)$/;
const KEPT_NUMBER = /(?:buyer|receiver)(?:[- +]|%20)(\d{1,9})\b/gi;
/** An email address. Its at sign may be percent-encoded, once or more often, and its letters, once. */
const EMAIL =
  /([\w.!#$%'*+^`{|}~\u00a1-\uffff-]{1,64})(@|%(?:25){0,3}40)((?:[\w.\u00a1-\uffff-]|%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|[89a-f][\da-f])){1,253})(?<=[\w\u00a1-\uffff])/gi;
/** What UTF-16 adds to ASCII: NULs, and the byte order mark, which is not UTF-8. */
const UTF16 = /^\ufffd\ufffd(?=.?\0)|\0/g;
/** The value of a field with a name, in broken or cut JSON. */
const NAME_VALUE =
  /(?<="(?:buyer_)?name"\s{0,8}:\s{0,8})"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/gu;
const NOT_ASCII = /[^\0-\x7f]/;
/** `package@1.2.3` is not an address. */
const VERSION = /^\d+(?:\.\d+){0,2}$/;
/** In bytes. Shorter texts are not searched for within others. A shorter name is replaced where it is a whole field. */
const MIN_SEARCHED_LENGTH = 8;
/** At least the length of an address or a URL, in characters; base64 has four for three bytes. */
const LONGEST_VALUE = 2_400;
/** A name beyond this length keeps its length, because the API rejects a name that is too long. */
const LONG_NAME = 64;

/**
 * Replaces personal data in the rows and requests of a file, equal values by equal ones. First call `reserveNumbers` for
 * all lines, then `collect`: names and URLs are also replaced in lines before the one that shows what they are.
 */
export class PersonalData {
  readonly #values = {
    buyer_email: new Map<string, string>(),
    buyer_name: new Map<string, string>(),
    webhook_url: new Map<string, string>(),
    /** Replaced by their column, and not searched for. */
    receiver_response: new Map<string, string>(),
  };
  /** The highest number of what is replaced already, as in the sandbox of an opened file. */
  #keptNumber = 0;
  /** Base URLs of the sandbox, which the file keeps. A webhook URL may be one, or its beginning: `http://127.0.0.1`. */
  readonly #ownUrls = new Set<string>();
  /** What `collect` has found. Replacing adds other addresses: those that `EMAIL` matches. */
  #collected: KnownTexts | undefined;

  /** Returns an address that the API accepts or rejects as it does the original, also in a key, which must be ASCII. */
  readonly #emailOf = (n: number, email: string) => {
    const rejected = NOT_ASCII.test(email) ? 'é' : '_';
    return `buyer-${n}@${EMAIL_ADDRESS.test(email) ? 'example' : rejected}.invalid`;
  };

  /** Returns the values that must not be in the file: all of them, once every line is replaced. */
  originals(): KnownTexts {
    const { buyer_email, buyer_name, webhook_url } = this.#values;
    // A name of a single word may also be an ordinary word.
    const names = [...buyer_name.keys()].filter((name) => /\s/.test(name));
    const texts = [...buyer_email.keys(), ...names, ...webhook_url.keys()];
    return new KnownTexts(texts, MIN_SEARCHED_LENGTH);
  }

  /** Notes the numbers of what is replaced already, so that nothing else gets one of them, and own URLs. */
  reserveNumbers(line: ReproRow | RequestRecord): undefined {
    if (line.kind === 'request') this.#ownUrls.add(line.start.baseUrl);
    for (const [, n] of JSON.stringify(line).matchAll(KEPT_NUMBER))
      this.#keptNumber = Math.max(this.#keptNumber, Number(n));
  }

  /** Notes the values in a line that are personal by their field. */
  collect(line: ReproRow | RequestRecord): undefined {
    if (line.kind !== 'request') {
      mapTexts(line.values, (text, field) => this.#collect(text, field, 'deliveries'));
      return;
    }
    const { api, target, request, response } = line;
    const text = textOf(request);
    const fields = api === 'page' ? parseForm(text) : [['', text] as const];
    for (const [name, value] of fields) this.#collect(value, name, target);
    this.#collect(textOf(response), '', target);
  }

  /**
   * Collects a name, a URL, or the value of an address field that `EMAIL` does not match whole.
   * @param source the path of a request, or `deliveries` for any row, whose `url` is of a webhook
   */
  #collect(text: string, field: string, source: string, parent = ''): undefined {
    const { buyer_email, buyer_name, webhook_url } = this.#values;
    const document = parseContainer(text.replace(UTF16, ''));
    if (document !== undefined) {
      mapTexts(document, (item, name, around) => this.#collect(item, name, source, around));
      return;
    }
    // In the partner API, only buyers have a name.
    if (source.startsWith('/api/partner'))
      for (const [json] of text.matchAll(NAME_VALUE))
        this.#collect(JSON.parse(json), 'buyer_name', source);
    const value = text.trim();
    // Control characters and lone surrogates, which the API rejects.
    const rejected = value.replace(/[^\p{Cc}\p{Cs}]+/gu, '');
    if (field === 'url' && /webhooks|deliveries|receiver-test/.test(source)) {
      const isOwn = [...this.#ownUrls].some((url) => url.startsWith(value.replace(/\/$/, '')));
      if (webhookUrlProblem(value) === undefined && !isOwn)
        this.#replacementOf(webhook_url, value, (n) => `https://receiver-${n}.invalid/`);
    } else if (/^(?:buyer_)?email$/.test(field)) {
      const rest = value.replace(EMAIL, '');
      const emailOf = (n: number) => `${this.#emailOf(n, value)} ${rejected}`.replace(/ $/, '');
      if (rest !== value && rest + rejected !== '')
        this.#replacementOf(buyer_email, value, emailOf);
    } else if (
      field === 'buyer_name' ||
      (field === 'name' && (parent === 'buyer' || source.startsWith('/checkout')))
    ) {
      const length = value.length > LONG_NAME ? value.length : 0;
      this.#replacementOf(buyer_name, value, (n) => `Buyer-${n}${rejected}`.padEnd(length, 'x'));
    }
  }

  /** Replaces the data in a line. */
  replace<Line extends ReproRow | RequestRecord>(line: Line): Line {
    if (line.kind === 'request') return this.#mapRequest(line) as Line;
    // The column `name` is that of a partner or a counter.
    const mapCell = (text: string, field: string) =>
      this.#mapField(text, field === 'name' ? '' : field);
    return { ...line, values: mapTexts(line.values, mapCell) };
  }

  #mapRequest(record: RequestRecord): RequestRecord {
    // The body follows below.
    const line = { ...record, request: { ...record.request, body: null } };
    const mapped: RequestRecord = mapTexts(line, (text, field) => this.#mapField(text, field));
    const { request } = mapped;
    const text = textOf(record.request);
    if (record.api === 'page') {
      // The form as the page reads it.
      const form = new URLSearchParams();
      for (const [name, value] of parseForm(text))
        form.append(this.#mapText(name), this.#mapField(value, name));
      request.body = form.toString() || null;
      request.encoding = 'utf8';
    } else if (text !== '') {
      request.body = this.#mapField(text, 'body');
      // The API has rejected bytes that are not UTF-8. The file has them as text, with one that is not.
      if (request.encoding === 'base64')
        request.body = Buffer.from([...Buffer.from(request.body), 0xff]).toString('base64');
    }
    // The end may be a part of a value, which nothing finds.
    for (const cut of [request, mapped.response])
      if (cut.altered === 'truncated') cut.body = cut.body?.slice(0, -LONGEST_VALUE) ?? null;
    return mapped;
  }

  #mapField(text: string, field: string): string {
    if (field === 'response' || field === 'last_response') {
      return this.#replacementOf(this.#values.receiver_response, text, (n) => `response ${n}`);
    }
    const name = text.trim();
    const buyerName = /^(?:buyer_)?name$/.test(field) && this.#values.buyer_name.get(name);
    // The spaces and line breaks around it stay.
    if (buyerName) return text.replace(name, () => buyerName);
    const document = parseContainer(text);
    const mapName = (json: string) => JSON.stringify(this.#mapField(JSON.parse(json), 'name'));
    if (document === undefined) return this.#mapText(text.replace(NAME_VALUE, mapName));
    const map = (item: string, inner = '') => this.#mapField(item, inner);
    const mapped = mapTexts(document, map, map);
    return jsonText(mapped) === jsonText(document) ? text : jsonText(mapped);
  }

  #mapText(text: string): string {
    const plain = text.replace(UTF16, '');
    if (plain.length < text.length * 0.6) {
      const mapped = this.#mapField(plain, '');
      // With NULs again, so that it is rejected again.
      return mapped === plain ? text : mapped.replace(/./gsu, '$&\0');
    }
    const { buyer_email, buyer_name, webhook_url } = this.#values;
    this.#collected ??= this.originals();
    const replaced = this.#collected.replace(text, (value, spelled) => {
      // A key or a URL with a space is invalid, and stays so. An encoded space stays the same one, for messages with both.
      const [space = '-'] = / /.exec(spelled) ?? /%20|\+/.exec(spelled) ?? [];
      const name = buyer_name.get(value)?.replace('-', space);
      return webhook_url.get(value) ?? name ?? buyer_email.get(value) ?? value;
    });
    return replaced.replace(EMAIL, (spelled, local, separator, domain) => {
      // Undoes escaped escapes too.
      const decode = (part: string) => decodeEscapes(part.replaceAll('%25', '%'));
      const sent = `${decode(local)}@${decode(domain)}`;
      const email = sent.toLowerCase();
      if (KEPT_EMAILS.includes(email) || KEPT.test(email) || VERSION.test(domain)) return spelled;
      const replacement = this.#replacementOf(buyer_email, email, this.#emailOf);
      buyer_email.set(sent, replacement);
      const inPlace = NOT_ASCII.test(spelled) ? replacement : encodeURI(replacement);
      return inPlace.replace('@', separator);
    });
  }

  /** Returns the replacement of a value. @param replace makes that of a new value, from its number */
  #replacementOf(
    values: Map<string, string>,
    value: string,
    replace: (n: number, value: string) => string,
  ): string {
    if (value === '' || KEPT.test(value)) return value;
    // The checkout page makes one space of several.
    const spaced = value.replace(/[\p{Z}\uFEFF]+/gu, ' ');
    const replacement = values.get(spaced) ?? replace(this.#keptNumber + values.size + 1, value);
    for (const spelled of [value, spaced]) values.set(spelled, replacement);
    return replacement;
  }
}

/** Parses an object or a list as JSON; undefined for any other text. */
function parseContainer(text: string): unknown {
  return /^\s*[{[]/.test(text) ? parseShallowJson(text) : undefined;
}

/** Writes JSON. A number that was too large, 1e400 or -1e400, is a text meanwhile: `JSON.stringify` would write null. */
function jsonText(value: unknown): string {
  const mark = (_: string, item: unknown) =>
    item === Infinity || item === -Infinity ? `\0${item}` : item;
  return JSON.stringify(value, mark).replace(/"\\u0000(?<sign>-?)Infinity"/g, '$<sign>1e400');
}
