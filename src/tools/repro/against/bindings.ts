import { randomUUID } from 'node:crypto';
import type { PartnerRequest } from '../../../client/partner-client.ts';
import { decoded, mapForm, mapJson } from '../../../redaction/structured.ts';
import { headerOf } from '../../../requests/logged-request.ts';
import { SIGNING_HEADERS } from '../../../signing/signature.ts';
import { bytesOf, type RequestRecord, textOf } from '../format.ts';
import { operationOf } from '../operation.ts';

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
/** What a path of the control API can contain. */
const CONTROL_IDS = ['public_id', 'case_id'];

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
    mapJson(textOf(response), (value) => {
      this.#shown.add(value);
      return value;
    });
  }

  /** Replaces domains in JSON. */
  inDomains(json: string): string {
    return mapJson(json, (text) => this.#domain(text)) ?? json;
  }

  /** Returns a request with the values of the other sandbox, or the name of one that is missing. */
  rewrite(request: RequestRecord): PartnerRequest | { missing: string } {
    const { api, method, headers, body, response } = request;
    let missing: string | undefined;
    const isAccepted = response && 'status' in response && response.status < 400;
    const isNeeded = this.#hasRows || isAccepted;
    const replaced = (value: string, { name }: { name: string }): string => {
      if (!Object.hasOwn(NAMED_BY, name)) return this.#domain(value);
      const found = this.#find(name, value);
      if (found === undefined && (isNeeded || this.#shown.has(value))) missing ??= name;
      return found ?? value;
    };
    const params = Object.entries(operationOf(request).params);
    const inPath = (segment: string) => {
      const value = decoded(segment);
      const [name] = params.find(([, each]) => each === segment) ?? [];
      const known = api === 'control' ? CONTROL_IDS.map((each) => this.#find(each, value)) : [];
      const other = known.find((each) => each !== undefined);
      const isFixed = name === undefined && api !== 'control';
      const now = other ?? (isFixed ? value : replaced(value, { name: name ?? '' }));
      return now === value ? segment : encodeURIComponent(now);
    };
    const [path = '', ...query] = request.target.split(/\?(.*)/s, 2);
    const target = [
      path.split('/').map(inPath).join('/'),
      ...query.map((each) => mapForm(each, replaced)),
    ].join('?');
    const text = body && 'text' in body ? mapJson(body.text, replaced) : undefined;
    if (missing !== undefined) return { missing };
    const type = headerOf(headers, 'content-type');
    const key = headerOf(headers, 'idempotency-key');
    const nonce = headerOf(headers, SIGNING_HEADERS.nonce.toLowerCase());
    return {
      ...{ method, target },
      ...(body && { body: text ?? new Uint8Array(bytesOf(body)) }),
      headers: {
        ...(type !== undefined && { 'Content-Type': type }),
        ...(key !== undefined && { 'Idempotency-Key': key && this.#renewed('key', key) }),
      },
      ...(nonce !== undefined && { nonce: this.#renewed('nonce', nonce) }),
    };
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
