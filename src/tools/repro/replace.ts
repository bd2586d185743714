import { createHash } from 'node:crypto';
import { findEmails } from '../../redaction/emails.ts';
import { isPlaceholder } from '../../redaction/placeholders.ts';
import { levelsOf, personalSearch } from '../../redaction/search.ts';
import { isJson, type MapValue, mapForm, mapJson, omitted } from '../../redaction/structured.ts';
import { webhookUrlProblem } from '../../webhooks/url-policy.ts';
import { policyOf } from './column-policy.ts';
import { bodyOf, bytesOf, type ReproRow } from './format.ts';
import type { ActRecord, InputRecord, RecordedBody, RequestRecord } from './recording/recording.ts';

export const PERSONAL_KINDS = [
  'buyer_email',
  'buyer_name',
  'webhook_url',
  'receiver_response',
  'live_key_id',
] as const;
export type PersonalKind = (typeof PERSONAL_KINDS)[number];

/** Bodies sent there are not JSON. */
const IMPORT = /^\/_sandbox\/(?:inventory|worlds)\/import\b/;
/** Shorter values would be found by accident. */
const MIN_KEY_ID = 8;
/** A value that is longer may be too long, and so is its placeholder. */
const MAX_USUAL = 64;

/**
 * Replaces personal data in the base and the inputs of a file. `learn` everything first: a value is replaced wherever it
 * appears, also before the field that shows what it is.
 */
export class PersonalData {
  /** Finds the values that are replaced in all texts. */
  readonly #search = personalSearch();
  /** By kind and value, names and addresses in lower case; in the order in which they were replaced. */
  readonly #placeholders = new Map<string, string>();
  /** Of what the search finds. */
  readonly #kinds = new Map<string, PersonalKind>();
  readonly #counts = new Map<PersonalKind, Set<string>>();
  /** New SHA-256 of bodies that were changed, by the old one. */
  readonly #fingerprints = new Map<string, string>();
  readonly #kept: ReadonlySet<string>;
  #isFrozen = false;

  /** @param kept values in lower case that are not personal, because the code itself writes them */
  constructor(kept: Iterable<string> = []) {
    this.#kept = new Set(kept);
  }

  /** How many different values were replaced, by kind. */
  get counts(): Partial<Record<PersonalKind, number>> {
    return Object.fromEntries([...this.#counts].map(([kind, values]) => [kind, values.size]));
  }

  /** Values that must not be in the file any more. */
  originals(): string[] {
    const placeholders = new Set(this.#placeholders.values());
    return [...this.#kinds.keys()].filter((value) => !placeholders.has(value.toLowerCase()));
  }

  /** From now on, only values that were replaced before are replaced: for what a replay gave out. */
  freeze(): void {
    this.#isFrozen = true;
  }

  learn(line: ReproRow | InputRecord): void {
    if (line.kind === 'row') this.#learnRow(line);
    else if (line.kind === 'request') this.#learnRequest(line);
    else if (line.params?.body !== undefined) this.#learnText(line.params.body);
  }

  input(input: InputRecord): InputRecord {
    return input.kind === 'request' ? this.#request(input) : this.#act(input);
  }

  /** Call it after `input`: an idempotency key may refer to a body. */
  row({ table, values, kind }: ReproRow): ReproRow {
    const replaced = Object.entries(values).map(([column, value]) => [
      column,
      typeof value === 'string' ? this.#cell(table, column, value) : value,
    ]);
    return { kind, table, values: Object.fromEntries(replaced) };
  }

  /** Replaces the names in fields of a JSON document, and all known values. */
  text(text: string): string {
    const named = text.includes('buyer') ? (mapJson(text, this.#replaceName) ?? text) : text;
    return this.#search.replace(named, ({ value, text: found }) => {
      const kind = this.#kinds.get(value);
      return kind ? this.#placeholderOf(kind, value, found) : found;
    });
  }

  /** As `text`, of a response that no replay gives: what receivers responded is hidden in it too. */
  response(text: string): string {
    if (!text.includes('response"')) return this.text(text);
    const hidden = mapJson(text, (value, { name }) =>
      /^(?:last_)?response$/.test(name) ? this.#response(value) : value,
    );
    return this.text(hidden ?? text);
  }

  #learnRow({ table, values }: ReproRow): void {
    for (const [column, value] of Object.entries(values)) {
      if (typeof value !== 'string' || policyOf(table, column) === 'secret') continue;
      if (policyOf(table, column) !== 'personal') this.#learnText(value);
      else if (column === 'url') this.#learnUrl(value);
      else if (column === 'buyer_email') this.#learnValue('buyer_email', value);
      else if (column === 'buyer_name') this.#learnValue('buyer_name', value);
    }
    const { key_id: keyId, environment } = values;
    if (table === 'credentials' && environment === 'LIVE') this.#learnKeyId(String(keyId));
  }

  #learnRequest(request: RequestRecord): void {
    const { method, target, headers, body, api } = request;
    const rejections = [request.body_result, request.signature_result].flatMap((result) =>
      typeof result === 'object' && result !== null ? [result.message] : [],
    );
    for (const text of [method, target, ...headers.flat(), ...rejections]) this.#learnText(text);
    if (body === null) return;
    const text = bytesOf(body).toString();
    this.#learnText(text);
    if (api === 'page') {
      mapForm(text, (value, { name }) => {
        if (name === 'name') this.#learnValue('buyer_name', value);
        if (name === 'email') this.#learnValue('buyer_email', value);
        return value;
      });
    }
    const isWebhook = /\/webhooks\b/.test(target);
    const isLiveCredential = /\/credentials\b/.test(target) && /"LIVE"/.test(text);
    if (!isWebhook && !isLiveCredential) return;
    mapJson(text, (value, { name }) => {
      if (isWebhook && name === 'url') this.#learnUrl(value);
      if (isLiveCredential && name === 'key_id') this.#learnKeyId(value);
      return value;
    });
  }

  #learnText(text: string): void {
    if (text.includes('buyer')) mapJson(text, this.#learnBuyer);
    for (const level of levelsOf(text)) {
      for (const email of findEmails(level.text)) this.#learnValue('buyer_email', email);
    }
  }

  readonly #learnBuyer: MapValue = (value, { name, parent }) => {
    if (isBuyerName(name, parent)) this.#learnValue('buyer_name', value);
    else if (/^(?:buyer_)?email$/.test(name)) this.#learnValue('buyer_email', value);
    else if (value.includes('buyer')) mapJson(value, this.#learnBuyer);
    return value;
  };

  #learnUrl(url: string): void {
    if (webhookUrlProblem(url) === undefined) this.#learnValue('webhook_url', url);
  }

  #learnKeyId(keyId: string): void {
    if (keyId.length >= MIN_KEY_ID) this.#learnValue('live_key_id', keyId);
  }

  #learnValue(kind: PersonalKind, given: string): void {
    const value = given.trim();
    // A name of one word may be anything else: it is replaced in its field only.
    if (kind === 'buyer_name' ? !/\s/.test(value) : !this.#isPersonal(value)) return;
    if (kind === 'buyer_email' && !value.includes('@')) return;
    this.#search.add([value]);
    this.#kinds.set(value, kind);
  }

  #isPersonal(value: string): boolean {
    return value !== '' && !this.#kept.has(value.toLowerCase()) && !isPlaceholder(value);
  }

  readonly #replaceName: MapValue = (value, { name, parent }) => {
    if (isBuyerName(name, parent)) return this.#placeholderOf('buyer_name', value);
    return value.includes('buyer') ? (mapJson(value, this.#replaceName) ?? value) : value;
  };

  /** @param spelled the value in the case of the text in which it was found */
  #placeholderOf(kind: PersonalKind, given: string, spelled = given): string {
    const value = isCased(kind) ? given : given.trim().toLowerCase();
    const key = `${kind} ${value}`;
    let placeholder = this.#placeholders.get(key);
    if (placeholder === undefined) {
      if (this.#isFrozen || !this.#isPersonal(value)) return spelled;
      placeholder = newPlaceholder(kind, value, this.#count(kind, value));
      this.#placeholders.set(key, placeholder);
    }
    return isCased(kind) ? placeholder : inCaseOf(spelled, placeholder);
  }

  /** Returns how many values of a kind there are. */
  #count(kind: PersonalKind, value: string): number {
    const values = this.#counts.get(kind) ?? new Set();
    this.#counts.set(kind, values.add(value));
    return values.size;
  }

  #request(request: RequestRecord): RequestRecord {
    const { target, headers, body, body_result: bodyResult } = request;
    const { signature_result: signature } = request;
    const replaced = body && this.#body(body, request);
    if (body && replaced) this.#noteFingerprint(bytesOf(body), bytesOf(replaced));
    return {
      ...request,
      method: this.text(request.method),
      target: this.text(target),
      headers: headers.map(([name, value]) => [this.text(name), this.text(value)]),
      body: replaced,
      body_result: bodyResult && { ...bodyResult, message: this.text(bodyResult.message) },
      signature_result:
        typeof signature === 'object' && signature !== null
          ? { ...signature, message: this.text(signature.message) }
          : signature,
    };
  }

  /** Leaves out a body that cannot be parsed. */
  #body(body: RecordedBody, { api, target }: RequestRecord): RecordedBody {
    const text = 'text' in body ? body.text : undefined;
    if (text !== undefined && api === 'page') {
      return {
        text: this.text(
          mapForm(text, (value, { name }) =>
            name === 'name' ? this.#placeholderOf('buyer_name', value) : value,
          ),
        ),
      };
    }
    if (text !== undefined && (isJson(text) || IMPORT.test(target)))
      return { text: this.text(text) };
    return IMPORT.test(target) ? body : bodyOf(omitted(bytesOf(body)));
  }

  #noteFingerprint(before: Buffer, after: Buffer): void {
    if (before.equals(after)) return;
    this.#fingerprints.set(sha256(before), sha256(after));
  }

  #act(act: ActRecord): ActRecord {
    const { params, given } = act;
    const replaced = { ...act };
    if (params?.body !== undefined) replaced.params = { ...params, body: this.text(params.body) };
    if (given) {
      replaced.given = given.map((sent) => ({
        ...sent,
        response: sent.response && this.#response(sent.response),
      }));
    }
    return replaced;
  }

  #cell(table: string, column: string, value: string): string {
    if (column === 'response' && policyOf(table, column) === 'personal') {
      return this.#response(value);
    }
    if (column === 'buyer_name') return this.#placeholderOf('buyer_name', value);
    if (column === 'fingerprint') return this.#fingerprints.get(value) ?? value;
    return this.text(value);
  }

  /** Hides the letters and digits of a receiver's response, which is not compared with others. */
  #response(response: string): string {
    this.#count('receiver_response', response);
    return response.replace(/\p{L}/gu, 'x').replace(/\p{N}/gu, '0');
  }
}

function isBuyerName(name: string, parent: string): boolean {
  return name === 'buyer_name' || (name === 'name' && parent === 'buyer');
}

/** Whether another case of its letters makes it another value. */
function isCased(kind: PersonalKind): boolean {
  return kind === 'webhook_url' || kind === 'live_key_id';
}

function newPlaceholder(kind: PersonalKind, value: string, n: number): string {
  const [before, after] = partsOf(kind, value, n);
  const length = value.length > MAX_USUAL ? value.length - before.length - after.length : 0;
  return before + 'x'.repeat(Math.max(length, 0)) + after;
}

/** A placeholder, in front of and behind where it is made longer. */
function partsOf(kind: PersonalKind, value: string, n: number): [before: string, after: string] {
  switch (kind) {
    case 'buyer_email':
      return [`buyer-${n}`, '@example.invalid'];
    case 'webhook_url':
      return [`${/^https:/i.test(value) ? 'https' : 'http'}://receiver-${n}.invalid/`, ''];
    case 'live_key_id':
      return [`${/^dm[a-z]_live_/.exec(value)?.[0] ?? 'live_'}key-${n}`, ''];
    default:
      return [`buyer-${n}`, ''];
  }
}

/** Writes a placeholder in lower case, in upper case, or with a capital letter, as the value is. */
function inCaseOf(value: string, placeholder: string): string {
  if (value === value.toLowerCase()) return placeholder;
  if (value === value.toUpperCase()) return placeholder.toUpperCase();
  return placeholder.charAt(0).toUpperCase() + placeholder.slice(1);
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
