import { createHash } from 'node:crypto';
import type { Api } from '../requests/message.ts';
import { webhookUrlProblem } from '../webhooks/url-policy.ts';
import { policyOf } from './column-policy.ts';
import { type Edit, editDecoded, editForm, mergeEdits, visitDecoded } from './decoded-text.ts';
import { findEmails, type Span } from './emails.ts';
import {
  bodyOf,
  bytesOf,
  type ReproBody,
  type ReproInput,
  type ReproRequest,
  type ReproRow,
  type ReproStep,
} from './format.ts';
import { KnownValues } from './known-values.ts';
import { emailsIn, isDistinctiveName, keyIdsIn, namesIn, urlsIn } from './personal-fields.ts';
import { blurred, type PersonalKind, Replacements } from './replacements.ts';

const BASE64 = /[A-Za-z0-9+/_-]{16,}={0,2}/g;
/** What an @ can be in base64, at each of the three offsets. */
const AT_IN_BASE64 = /Q[A-P]|[EUk0][A-D]|[BFJNRVZdhlptx159]A/;
const MAX_CACHED = 200;
const MAX_CACHE = 10_000;
/** Shorter values would be found by accident. */
const MIN_KEY_ID = 8;

/**
 * Replaces personal data in the base and the inputs of a file. `learn` everything first: a value is replaced wherever it
 * appears, also before the field that shows what it is.
 */
export class PersonalData {
  readonly #replacements = new Replacements();
  readonly #known = new KnownValues();
  /** Replaced short texts: names and values of headers repeat. */
  readonly #cache = new Map<string, string>();
  readonly #kept: ReadonlySet<string>;
  /** New SHA-256 of bodies that were changed, by the old one. */
  readonly #fingerprints = new Map<string, string>();

  /** @param kept values in lower case that are not personal, because the code itself writes them */
  constructor(kept: Iterable<string> = []) {
    this.#kept = new Set(kept);
  }

  get counts(): Partial<Record<PersonalKind, number>> {
    return this.#replacements.counts;
  }

  /** Values that must not be in the file any more. */
  originals(): string[] {
    return this.#replacements.originals().filter((value) => this.#isDistinctive(value));
  }

  /** From now on, only values that were replaced before are replaced: for what a replay gave out. */
  freeze(): void {
    this.#replacements.freeze();
    this.#cache.clear();
  }

  learn(line: ReproRow | ReproInput): void {
    if (line.kind === 'row') this.#learnRow(line);
    else if (line.kind === 'request') this.#learnRequest(line);
  }

  input(input: ReproInput): ReproInput {
    return input.kind === 'request' ? this.#request(input) : this.#step(input);
  }

  /** Call it after `input`: an idempotency key may refer to a body. */
  row({ table, values, kind }: ReproRow): ReproRow {
    const replaced = Object.entries(values).map(([column, value]) => [
      column,
      typeof value === 'string' ? this.#cell(table, column, value) : value,
    ]);
    return { kind, table, values: Object.fromEntries(replaced) };
  }

  /** Replaces everything personal in a text, in any spelling. */
  text(text: string): string {
    if (text.length > MAX_CACHED) return this.#text(text);
    const known = this.#cache.get(text) ?? this.#text(text);
    if (this.#cache.size >= MAX_CACHE) this.#cache.clear();
    this.#cache.set(text, known);
    return known;
  }

  #text(text: string): string {
    return this.#inBase64(editDecoded(text, (decoded) => this.#editsOf(decoded)));
  }

  body(body: ReproBody, api?: Api): ReproBody {
    if ('text' in body)
      return { text: api === 'page' ? this.#form(body.text) : this.text(body.text) };
    const text = bytesOf(body).toString('latin1');
    const replaced = this.text(text);
    return replaced === text ? body : bodyOf(Buffer.from(replaced, 'latin1'));
  }

  #form(text: string): string {
    const fields = text.split('&').map((field) => {
      const isName = /^name=/.test(field);
      return editForm(field, (decoded) => {
        const edits = this.#editsOf(decoded);
        const value = { from: 'name='.length, to: decoded.length };
        if (!isName || value.from === value.to) return edits;
        return mergeEdits(edits, [this.#edit(decoded, value.from, value.to, 'buyer_name')]);
      });
    });
    return this.#inBase64(fields.join('&'));
  }

  #inBase64(text: string): string {
    return text.replace(BASE64, (found) => this.#base64(found));
  }

  #learnRow({ table, values }: ReproRow): void {
    for (const [column, value] of Object.entries(values)) {
      if (typeof value !== 'string' || policyOf(table, column) !== 'personal') continue;
      if (column === 'url') this.#learnUrl(value);
      if (column === 'buyer_email') this.#known.add('buyer_email', value);
      if (column === 'buyer_name') this.#learnName(value);
    }
    const { key_id: keyId, environment } = values;
    if (table === 'credentials' && environment === 'LIVE') this.#learnKeyId(String(keyId));
    for (const value of Object.values(values)) {
      if (typeof value === 'string') this.#learnText(value);
    }
  }

  #learnRequest({ target, body, api }: ReproRequest): void {
    this.#learnText(target);
    if (body === null) return;
    const text = bytesOf(body).toString();
    this.#learnText(text);
    if (api === 'page') {
      const form = new URLSearchParams(text);
      this.#learnName(form.get('name') ?? '');
      this.#known.add('buyer_email', form.get('email') ?? '');
    }
    if (/\/webhooks\b/.test(target)) {
      for (const url of urlsIn(text)) this.#learnUrl(url);
    }
    if (/\/credentials\b/.test(target) && /"LIVE"/.test(text)) {
      for (const keyId of keyIdsIn(text)) this.#learnKeyId(keyId);
    }
  }

  #learnText(text: string): void {
    visitDecoded(text, (decoded) => {
      for (const { value } of namesIn(decoded)) this.#learnName(value);
      for (const email of emailsIn(decoded)) this.#known.add('buyer_email', email);
    });
  }

  #learnName(name: string): void {
    const trimmed = name.trim();
    // A single word may be anything but a name in another spelling.
    if (isDistinctiveName(trimmed)) this.#known.add('buyer_name', trimmed, !/\s/.test(trimmed));
  }

  #learnKeyId(keyId: string): void {
    if (keyId.length >= MIN_KEY_ID) this.#known.add('live_key_id', keyId);
  }

  #learnUrl(url: string): void {
    if (webhookUrlProblem(url) === undefined) this.#known.add('webhook_url', url.trim());
  }

  #request(request: ReproRequest): ReproRequest {
    const { api, target, headers, body, body_result: bodyResult } = request;
    const { signature_result: signature } = request;
    const replaced = body && this.body(body, api);
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

  #noteFingerprint(before: Buffer, after: Buffer): void {
    if (before.equals(after)) return;
    this.#fingerprints.set(sha256(before), sha256(after));
  }

  #step(step: ReproStep): ReproStep {
    const { body, result } = step;
    const replaced = { ...step };
    if (body) replaced.body = this.text(body);
    if (result && 'response' in result && result.response) {
      replaced.result = { ...result, response: this.#response(result.response) };
    }
    return replaced;
  }

  #cell(table: string, column: string, value: string): string {
    if (column === 'response' && policyOf(table, column) === 'personal') {
      return this.#response(value);
    }
    if (column === 'buyer_name') return this.#replacements.of('buyer_name', value);
    if (column === 'fingerprint') return this.#fingerprints.get(value) ?? value;
    return this.text(value);
  }

  #response(response: string): string {
    this.#replacements.count('receiver_response', response);
    return blurred(response);
  }

  /** Tries each alignment: what precedes it may look like base64 too. */
  #base64(encoded: string): string {
    if (!AT_IN_BASE64.test(encoded)) return encoded;
    for (let offset = 0; offset < 4; offset += 1) {
      const part = encoded.slice(offset);
      const alphabet = /[-_]/.test(part) ? 'base64url' : 'base64';
      const decoded = Buffer.from(part, alphabet).toString('latin1');
      if (!decoded.includes('@')) continue;
      const replaced = editDecoded(decoded, (text) => this.#editsOf(text));
      if (replaced === decoded) continue;
      const again = Buffer.from(replaced, 'latin1').toString(alphabet).replace(/=+$/, '');
      return encoded.slice(0, offset) + again + part.slice(again.length);
    }
    return encoded;
  }

  /** The replacements in a text without escapes, in order and without overlaps. */
  #editsOf(text: string): Edit[] {
    const edits = (found: readonly Span[], kind: PersonalKind) =>
      found.map(({ from, to }) => this.#edit(text, from, to, kind));
    const found = [
      this.#knownIn(text, (kind) => kind !== 'buyer_name'),
      text.includes('@') ? edits(findEmails(text), 'buyer_email') : [],
      this.#knownIn(text, (kind) => kind === 'buyer_name'),
      edits(namesIn(text), 'buyer_name'),
    ];
    return found
      .reduce(mergeEdits)
      .filter(({ from, to }) => !this.#kept.has(text.slice(from, to).toLowerCase()));
  }

  #edit(text: string, from: number, to: number, kind: PersonalKind): Edit {
    return { from, to, text: this.#replacements.of(kind, text.slice(from, to)) };
  }

  #knownIn(text: string, isSought: (kind: PersonalKind) => boolean): Edit[] {
    const found = this.#known.find(text, isSought);
    return found.map(({ from, to, kind }) => this.#edit(text, from, to, kind));
  }

  #isDistinctive(value: string): boolean {
    return value.includes('@') || value.length >= MIN_KEY_ID || value.includes(' ');
  }
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
