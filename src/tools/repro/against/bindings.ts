import { randomUUID } from 'node:crypto';
import { isObject } from './compare-answers.ts';

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
const BOUND = new Set(Object.values(NAMED_BY).flat());

/** What a value of the file is in the other sandbox. */
export class Bindings {
  readonly #values: Map<string, string>;
  readonly #domains: ReadonlyMap<string, string>;

  constructor(
    values: readonly (readonly [string, string])[],
    domains: ReadonlyMap<string, string>,
  ) {
    this.#values = new Map(values);
    this.#domains = domains;
  }

  entries(): [string, string][] {
    return [...this.#values];
  }

  /** Binds the values of a response that have the same place in both. */
  learn(recorded: unknown, seen: unknown): void {
    eachBound(recorded, seen, (name, value, now) => {
      if (now !== undefined && !this.#values.has(`${name} ${value}`)) {
        this.#values.set(`${name} ${value}`, now);
      }
    });
  }

  /** Returns the value that a request sends under a name; undefined if none is known. */
  find(name: string, value: string): string | undefined {
    for (const each of NAMED_BY[name] ?? []) {
      const found = this.#values.get(`${each} ${value}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  isBound(name: string): boolean {
    return Object.hasOwn(NAMED_BY, name);
  }

  domain(value: string): string {
    return this.#domains.get(value) ?? value;
  }

  /** Returns a new value, the same for an equal one. */
  renewed(kind: 'nonce' | 'key', value: string): string {
    const name = `${kind} ${value}`;
    const known = this.#values.get(name) ?? randomUUID();
    this.#values.set(name, known);
    return known;
  }

  /** Replaces domains in a JSON value. */
  inDomains(value: unknown): unknown {
    return mapTexts(value, (_name, text) => this.domain(text));
  }
}

/** Returns the JSON value with each text replaced; texts in a list have the name of the list. */
export function mapTexts(
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

function eachBound(
  recorded: unknown,
  seen: unknown,
  found: (name: string, value: string, now: string | undefined) => void,
): void {
  if (!isObject(recorded)) return;
  const other = isObject(seen) ? seen : {};
  for (const [name, value] of Object.entries(recorded)) {
    const now = other[name];
    if (typeof value !== 'string') eachBound(value, now, found);
    else if (BOUND.has(name)) found(name, value, typeof now === 'string' ? now : undefined);
  }
}
