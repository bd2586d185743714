import { randomUUID } from 'node:crypto';
import type { PartnerRequest } from '../../../client/partner-client.ts';
import { decoded, mapForm, mapJson } from '../../../redaction/structured.ts';
import { headerOf } from '../../../requests/logged-request.ts';
import { SIGNING_HEADERS } from '../../../signing/signature.ts';
import { bytesOf, type RequestRecord, textOf } from '../format.ts';
import { operationOf } from '../operation.ts';

/** By parameter or field of a request: the fields of earlier responses that its value can come from. */
const SOURCE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  public_id: ['public_id'],
  quote_id: ['quote_id'],
  case_id: ['case_id'],
  session_id: ['session_id'],
  link_id: ['link_id'],
  after_id: ['id', 'next_cursor'],
  cursor: ['next_cursor'],
};
const BOUND_FIELD = /(?:^|_)id$|^next_cursor$/;
/** Ids in paths of the control API. */
const CONTROL_IDS = ['public_id', 'case_id'];

/** The name of a field, its value in the file, and its value in the other sandbox. */
export type Binding = [name: string, value: string, now: string];

/** Maps values of a file to values of the other sandbox. */
export class Bindings {
  /** By `name value`. */
  readonly #byNameAndValue = new Map<string, string>();
  readonly #byValue = new Map<string, string>();
  readonly #targetValues = new Set<string>();
  /** Texts in recorded responses. */
  readonly #recordedTexts = new Set<string>();
  readonly #domains: ReadonlyMap<string, string>;
  readonly #hasRows: boolean;
  #newBindings: Binding[] = [];

  /** @param hasRows whether the file starts with rows, whose ids appear in no response */
  constructor(domains: ReadonlyMap<string, string>, hasRows: boolean) {
    this.#domains = domains;
    this.#hasRows = hasRows;
  }

  /** The bindings since the last call. */
  takeNewBindings(): Binding[] {
    const newBindings = this.#newBindings;
    this.#newBindings = [];
    return newBindings;
  }

  restore([name, value, targetValue]: Binding): void {
    this.#byNameAndValue.set(`${name} ${value}`, targetValue);
    this.#byValue.set(value, targetValue);
    this.#targetValues.add(targetValue);
  }

  /** Binds the value of a response field, unless it is bound already. */
  bind(name: string, value: unknown, targetValue: unknown): void {
    if (!BOUND_FIELD.test(name) || typeof value !== 'string' || typeof targetValue !== 'string')
      return;
    if (!this.#byNameAndValue.has(`${name} ${value}`)) this.#add([name, value, targetValue]);
  }

  #add(binding: Binding): string {
    this.#newBindings.push(binding);
    this.restore(binding);
    return binding[2];
  }

  /** Returns the corresponding id of the other sandbox; undefined if it is not bound. */
  nameOf(id: string, side: 'a' | 'b'): string | undefined {
    if (side === 'a') return this.#byValue.get(id);
    return this.#targetValues.has(id) ? id : undefined;
  }

  /** Notes the texts of a recorded response: a later request that sends one of them needs its binding. */
  noteRecordedTexts({ response }: RequestRecord): void {
    mapJson(textOf(response), (value) => {
      this.#recordedTexts.add(value);
      return value;
    });
  }

  /** Replaces domains in JSON. */
  mapDomains(json: string): string {
    return mapJson(json, (text) => this.#targetDomain(text)) ?? json;
  }

  /** Returns a request with the values of the other sandbox, or the name of the first one that is not bound. */
  rewrite(request: RequestRecord): PartnerRequest | { missing: string } {
    const { api, method, headers, body, response } = request;
    let missing: string | undefined;
    const isAccepted = response && 'status' in response && response.status < 400;
    const isNeeded = this.#hasRows || isAccepted;
    const replace = (value: string, { name }: { name: string }): string => {
      if (!Object.hasOwn(SOURCE_FIELDS, name)) return this.#targetDomain(value);
      const targetValue = this.#find(name, value);
      if (targetValue === undefined && (isNeeded || this.#recordedTexts.has(value)))
        missing ??= name;
      return targetValue ?? value;
    };
    const params = Object.entries(operationOf(request).params);
    const replaceSegment = (segment: string) => {
      const value = decoded(segment);
      const [name] = params.find(([, param]) => param === segment) ?? [];
      const boundValues =
        api === 'control' ? CONTROL_IDS.map((field) => this.#find(field, value)) : [];
      const boundValue = boundValues.find((targetValue) => targetValue !== undefined);
      const isFixed = name === undefined && api !== 'control';
      const newValue = boundValue ?? (isFixed ? value : replace(value, { name: name ?? '' }));
      return newValue === value ? segment : encodeURIComponent(newValue);
    };
    const [path = '', ...query] = request.target.split(/\?(.*)/s, 2);
    const target = [
      path.split('/').map(replaceSegment).join('/'),
      ...query.map((text) => mapForm(text, replace)),
    ].join('?');
    const text = body && 'text' in body ? mapJson(body.text, replace) : undefined;
    if (missing !== undefined) return { missing };
    const type = headerOf(headers, 'content-type');
    const key = headerOf(headers, 'idempotency-key');
    const nonce = headerOf(headers, SIGNING_HEADERS.nonce.toLowerCase());
    return {
      method,
      target,
      ...(body && { body: text ?? new Uint8Array(bytesOf(body)) }),
      headers: {
        ...(type !== undefined && { 'Content-Type': type }),
        ...(key !== undefined && { 'Idempotency-Key': key && this.#renew('key', key) }),
      },
      ...(nonce !== undefined && { nonce: this.#renew('nonce', nonce) }),
    };
  }

  /** Returns the bound value of a request field; undefined if there is none. */
  #find(name: string, value: string): string | undefined {
    return SOURCE_FIELDS[name]
      ?.map((field) => this.#byNameAndValue.get(`${field} ${value}`))
      .find((targetValue) => targetValue !== undefined);
  }

  #targetDomain(value: string): string {
    return this.#domains.get(value) ?? value;
  }

  /** Replaces a nonce or an idempotency key; equal ones get the same replacement. */
  #renew(kind: 'nonce' | 'key', value: string): string {
    return this.#byNameAndValue.get(`${kind} ${value}`) ?? this.#add([kind, value, randomUUID()]);
  }
}
