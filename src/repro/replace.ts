import { createHash } from 'node:crypto';
import type { Api } from '../requests/message.ts';
import { webhookUrlProblem } from '../webhooks/url-policy.ts';
import { policyOf } from './column-policy.ts';
import {
  bodyOf,
  bytesOf,
  type ReproBody,
  type ReproInput,
  type ReproRequest,
  type ReproRow,
  type ReproStep,
} from './format.ts';
import { keyIdsIn, urlsIn } from './personal-fields.ts';
import { PersonalText } from './personal-text.ts';
import { blurred, type PersonalKind } from './replacements.ts';

/**
 * Replaces personal data in the base and the inputs of a file. `learn` everything first: a value is replaced wherever it
 * appears, also before the field that shows what it is.
 */
export class PersonalData {
  readonly #texts: PersonalText;
  /** New SHA-256 of bodies that were changed, by the old one. */
  readonly #fingerprints = new Map<string, string>();

  /** @param kept values in lower case that are not personal, because the code itself writes them */
  constructor(kept: Iterable<string> = []) {
    this.#texts = new PersonalText(kept);
  }

  get counts(): Partial<Record<PersonalKind, number>> {
    return this.#texts.replacements.counts;
  }

  /** Values that must not be in the file any more. */
  originals(): string[] {
    return this.#texts.originals();
  }

  /** From now on, only values that were replaced before are replaced: for what a replay gave out. */
  freeze(): void {
    this.#texts.freeze();
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
    return this.#texts.replaced(text);
  }

  #learnRow({ table, values }: ReproRow): void {
    for (const [column, value] of Object.entries(values)) {
      if (typeof value !== 'string' || policyOf(table, column) !== 'personal') continue;
      if (column === 'url') this.#learnUrl(value);
      if (column === 'buyer_email') this.#texts.learnValue('buyer_email', value);
      if (column === 'buyer_name') this.#texts.learnName(value);
    }
    const { key_id: keyId, environment } = values;
    if (table === 'credentials' && environment === 'LIVE') this.#texts.learnKeyId(String(keyId));
    for (const value of Object.values(values)) {
      if (typeof value === 'string') this.#texts.learn(value);
    }
  }

  #learnRequest({ target, body, api }: ReproRequest): void {
    this.#texts.learn(target);
    if (body === null) return;
    const text = bytesOf(body).toString();
    this.#texts.learn(text);
    if (api === 'page') {
      const form = new URLSearchParams(text);
      this.#texts.learnName(form.get('name') ?? '');
      this.#texts.learnValue('buyer_email', form.get('email') ?? '');
    }
    if (/\/webhooks\b/.test(target)) {
      for (const url of urlsIn(text)) this.#learnUrl(url);
    }
    if (/\/credentials\b/.test(target) && /"LIVE"/.test(text)) {
      for (const keyId of keyIdsIn(text)) this.#texts.learnKeyId(keyId);
    }
  }

  #learnUrl(url: string): void {
    if (webhookUrlProblem(url) === undefined) this.#texts.learnValue('webhook_url', url.trim());
  }

  #request(request: ReproRequest): ReproRequest {
    const { api, target, headers, body, body_result: bodyResult } = request;
    const { signature_result: signature } = request;
    const replaced = body && this.#body(body, api);
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

  #body(body: ReproBody, api: Api): ReproBody {
    if ('text' in body) {
      return { text: api === 'page' ? this.#texts.replacedForm(body.text) : this.text(body.text) };
    }
    const text = bytesOf(body).toString('latin1');
    const replaced = this.#texts.replacedBytes(text);
    return replaced === text ? body : bodyOf(Buffer.from(replaced, 'latin1'));
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
    if (column === 'buyer_name') return this.#texts.replacements.of('buyer_name', value);
    if (column === 'fingerprint') return this.#fingerprints.get(value) ?? value;
    return this.text(value);
  }

  #response(response: string): string {
    this.#texts.replacements.count('receiver_response', response);
    return blurred(response);
  }
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
