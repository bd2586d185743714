import { randomUUID } from 'node:crypto';
import type { PartnerRequest } from '../../../client/partner-client.ts';
import { SIGNING_HEADERS } from '../../../signing/signature.ts';
import { bytesOf } from '../format.ts';
import { parsedJson } from '../limits.ts';
import type { RequestRecord } from '../recording/recording.ts';
import { answerOf, isAccepted, isObject } from './answer.ts';
import { operationOf } from './operation.ts';

/** Fields of a response that a parameter or a field of a later request can name. */
const NAMED_BY: Readonly<Record<string, readonly string[]>> = {
  public_id: ['public_id'],
  quote_id: ['quote_id'],
  case_id: ['case_id'],
  session_id: ['session_id'],
  link_id: ['link_id'],
  after_id: ['id', 'next_cursor'],
  cursor: ['next_cursor'],
};
const BOUND = /(?:^|_)id$|^next_cursor$/;

/** A field name and a value of the file, and the value in the other sandbox. */
export type Binding = [name: string, value: string, now: string];

/** What the values of a file are in the other sandbox. */
export class Bindings {
  /** By `name value`. */
  readonly #values = new Map<string, string>();
  readonly #names = new Map<string, string>();
  readonly #now = new Set<string>();
  /** Texts in recorded responses. */
  readonly #shown = new Set<string>();
  readonly #domains: ReadonlyMap<string, string>;
  readonly #hasRows: boolean;
  #added: Binding[] = [];

  /** @param hasRows whether ids that no response of the file shows can exist */
  constructor(domains: ReadonlyMap<string, string>, hasRows: boolean) {
    this.#domains = domains;
    this.#hasRows = hasRows;
  }

  /** The bindings since the last call. */
  takeAdded(): Binding[] {
    const added = this.#added;
    this.#added = [];
    return added;
  }

  restore([name, value, now]: Binding): void {
    this.#values.set(`${name} ${value}`, now);
    this.#names.set(value, now);
    this.#now.add(now);
  }

  /** Binds a text that a response has under a name; the first one stays. */
  bind(name: string, value: unknown, now: unknown): void {
    if (!BOUND.test(name) || typeof value !== 'string' || typeof now !== 'string') return;
    if (!this.#values.has(`${name} ${value}`)) this.#add([name, value, now]);
  }

  #add(binding: Binding): string {
    this.#added.push(binding);
    this.restore(binding);
    return binding[2];
  }

  /** What an id is called in the other sandbox; undefined if it is not known. */
  nameOf(id: string, side: 'a' | 'b'): string | undefined {
    if (side === 'a') return this.#names.get(id);
    return this.#now.has(id) ? id : undefined;
  }

  /** Notes the texts of the recorded response to a request that is sent, or was. */
  note({ response }: RequestRecord): void {
    mapTexts(response && answerOf(response).body, (_name, value) => {
      this.#shown.add(value);
      return value;
    });
  }

  /** Replaces domains in a JSON value. */
  inDomains(value: unknown): unknown {
    return mapTexts(value, (_name, text) => this.#domain(text));
  }

  /** Returns a request with the values of the other sandbox, or the name of one that is missing. */
  rewrite(request: RequestRecord): PartnerRequest | { missing: string } {
    let missing: string | undefined;
    const isNeeded = this.#hasRows || (request.response && isAccepted(answerOf(request.response)));
    const replaced = (name: string, value: string): string => {
      if (!Object.hasOwn(NAMED_BY, name)) return this.#domain(value);
      const found = this.#find(name, value);
      if (found === undefined && (isNeeded || this.#shown.has(value))) missing ??= name;
      return found ?? value;
    };
    const target = this.#target(request, replaced);
    const text = bytesOf(request.body);
    const json = parsedJson(text.toString());
    const changed = JSON.stringify(mapTexts(json, replaced));
    if (missing !== undefined) return { missing };
    const header = (name: string) =>
      request.headers.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1];
    const [type, key] = [header('content-type'), header('idempotency-key')];
    const nonce = header(SIGNING_HEADERS.nonce);
    const isSame = json === undefined || changed === JSON.stringify(json);
    return {
      method: request.method,
      target,
      ...(text.length > 0 && { body: isSame ? new Uint8Array(text) : changed }),
      headers: {
        ...(type !== undefined && { 'Content-Type': type }),
        ...(key !== undefined && { 'Idempotency-Key': key && this.#renewed('key', key) }),
      },
      ...(nonce !== undefined && { nonce: this.#renewed('nonce', nonce) }),
    };
  }

  #target(request: RequestRecord, replaced: (name: string, value: string) => string): string {
    const at = request.target.indexOf('?');
    const [path, query] =
      at < 0 ? [request.target] : [request.target.slice(0, at), request.target.slice(at + 1)];
    const params = Object.entries(operationOf(request).params);
    const segments = path.split('/').map((segment) => {
      const value = decoded(segment);
      const [name] = params.find(([, each]) => each === segment) ?? [];
      const now =
        request.api === 'control'
          ? (this.#find('public_id', value) ?? this.#find('case_id', value) ?? this.#domain(value))
          : name === undefined
            ? value
            : replaced(name, value);
      return now === value ? segment : encodeURIComponent(now);
    });
    if (query === undefined) return segments.join('/');
    const pairs = query.split('&').map((pair) => {
      const [name = '', value] = pair.split(/=(.*)/s, 2);
      if (value === undefined) return pair;
      const now = replaced(decoded(name), decoded(value));
      return now === decoded(value) ? pair : `${name}=${encodeURIComponent(now)}`;
    });
    return `${segments.join('/')}?${pairs.join('&')}`;
  }

  /** Returns the value that a request sends under a name; undefined if none is known. */
  #find(name: string, value: string): string | undefined {
    return NAMED_BY[name]
      ?.map((each) => this.#values.get(`${each} ${value}`))
      .find((each) => each !== undefined);
  }

  #domain(value: string): string {
    return this.#domains.get(value) ?? value;
  }

  /** Returns a new value, the same for an equal one. */
  #renewed(kind: 'nonce' | 'key', value: string): string {
    return this.#values.get(`${kind} ${value}`) ?? this.#add([kind, value, randomUUID()]);
  }
}

/** Returns the JSON value with each text replaced; texts in a list have the name of the list. */
function mapTexts(
  value: unknown,
  replace: (name: string, text: string) => string,
  name = '',
): unknown {
  if (typeof value === 'string') return replace(name, value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, replace, name));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, mapTexts(each, replace, key)]),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', '%20'));
  } catch {
    return text;
  }
}
