import { diffJson, type JsonDifference } from '../../kernel/diff-json.ts';
import { SECOND } from '../../kernel/time.ts';
import { headerOf } from '../../requests/logged-request.ts';
import { align, flowOf, type Groups, type Item } from './flow.ts';
import type { Repro } from './format.ts';
import { ID } from './operation.ts';

const TOKEN =
  /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[\w-]{40,}(?:\.[\w-]+)*/g;
const OPAQUE = /(?:^|[._])(?:cursor|token|secret|signature|nonce|duration_ms|size_bytes|response)$/;
const VOLATILE_HEADERS =
  /^(?:date|content-length|etag|set-cookie|retry-after|x-request-id|.*ratelimit.*)$/;

/** How many items before a difference are shown. */
export const SHOWN_BEFORE = 3;

/** What is reported of an item that is not paired. */
const UNPAIRED = {
  call: { onlyA: 'call_only_a', onlyB: 'call_only_b', moved: 'call_order' },
  event: { onlyA: 'event_only_a', onlyB: 'event_only_b', moved: 'delivery_order' },
} as const;

export type FlowKind =
  | (typeof UNPAIRED)['call' | 'event']['onlyA' | 'onlyB' | 'moved']
  | JsonDifference['kind']
  | 'status'
  | 'code'
  | 'header'
  | 'delivery_count'
  | 'delivery_outcome';

export interface FlowDifference {
  kind: FlowKind;
  /** Field, header or attempt; empty for a whole call. */
  path: string;
  a: Item | undefined;
  b: Item | undefined;
  /** Those of A and of B that differ. */
  values: readonly unknown[];
  /** Of a file that lacks the item: the last items before it. */
  before: readonly Item[];
  /** Where it is in A. */
  at: number;
}

export interface ComparedFlows {
  /** In A's order. */
  differences: FlowDifference[];
  compared: { responses: number; fields: number; events: number };
}

/** Compares the calls and webhooks of two files. Ids are equal if they are first used at the same place. */
export function compareFlows(a: Repro, b: Repro): ComparedFlows {
  return new Comparison(flowOf(a), flowOf(b));
}

type Headers = readonly (readonly [string, string])[];

class Comparison implements ComparedFlows {
  readonly differences: FlowDifference[] = [];
  readonly compared = { responses: 0, fields: 0, events: 0 };
  /** What ids of A are in B, and the other way round. */
  readonly #names = new Map<string, string>();
  readonly #origins = new Map<string, string>();

  constructor(a: Groups, b: Groups) {
    const groups = pairGroups(a, b);
    const pairs = groups.flatMap(([ofA, ofB]) => this.#align(ofA, ofB));
    // Ids are bound in the order of A.
    pairs.sort(([one], [other]) => one.at - other.at);
    for (const [a, b] of pairs) {
      if (a.kind === 'call') this.#compareCalls(a, b);
      else this.#compareEvents(a, b);
    }
    this.differences.sort((one, other) => one.at - other.at);
  }

  /** Aligns two sequences, and reports what only one has. Between equal calls, those of one operation are paired. */
  #align(ofA: readonly Item[], ofB: readonly Item[]): [Item, Item][] {
    const keyOf = ({ operation, result }: Item) => `${operation} ${result}`;
    const pairs: [Item, Item][] = [];
    const onlyA: [item: Item, before: Item[]][] = [];
    const onlyB: [item: Item, before: Item[], at: number][] = [];
    let [i, j, last] = [0, 0, -1];
    const paired = new Set<Item>();
    const matches = align(ofA.map(keyOf), ofB.map(keyOf));
    for (const [n, m] of [...matches, [ofA.length, ofB.length] as const]) {
      const rest = ofB.slice(j, m);
      const nextCall = queues(rest, ({ kind, operation }) => `${kind} ${operation}`);
      for (const a of ofA.slice(i, n)) {
        const b = nextCall(`call ${a.operation}`);
        if (b) {
          pairs.push([a, b]);
          paired.add(b);
        } else onlyA.push([a, lastBefore(ofB, m)]);
      }
      for (const b of rest) {
        if (!paired.has(b)) onlyB.push([b, lastBefore(ofA, n), last + 0.5]);
      }
      const [a, b] = [ofA[n], ofB[m]];
      if (a && b) pairs.push([a, b]);
      last = a?.at ?? last;
      [i, j] = [n + 1, m + 1];
    }
    const nextMoved = queues(onlyB, ([b]) => keyOf(b));
    const moved = new Set<Item>();
    for (const [a, before] of onlyA) {
      const [b] = nextMoved(keyOf(a)) ?? [];
      if (b) moved.add(b);
      this.#add(UNPAIRED[a.kind][b ? 'moved' : 'onlyA'], a, b, { before });
    }
    for (const [b, before, at] of onlyB) {
      if (!moved.has(b)) this.#add(UNPAIRED[b.kind].onlyB, undefined, b, { before, at });
    }
    return pairs;
  }

  #add(
    kind: FlowKind,
    a: Item | undefined,
    b: Item | undefined,
    others: Partial<FlowDifference>,
  ): void {
    const at = a?.at ?? 0;
    this.differences.push({ kind, path: '', a, b, values: [], before: [], at, ...others });
  }

  #compareCalls(a: Item, b: Item): void {
    const [before, after] = [a.request, b.request];
    if (!before || !after) return;
    const keys = [before, after].map(({ headers }) => headerOf(headers, 'idempotency-key'));
    const [key, newKey] = keys;
    const isSameKey =
      key === undefined || newKey === undefined ? key === newKey : this.#binds('key', key, newKey);
    if (!isSameKey) this.#add('header', a, b, { path: 'Idempotency-Key', values: keys });
    this.#compareJson(a, b, 'request', queryOf(before.target), queryOf(after.target));
    this.#compareJson(a, b, 'request', a.body, b.body);
    const [was, is] = [before.response, after.response];
    if (!was || !is) return;
    this.compared.responses += 1;
    const [[status, code], [newStatus, newCode]] = [a.result.split(' '), b.result.split(' ')];
    if (status !== newStatus) {
      this.#add('status', a, b, { path: 'status', values: [a.result, b.result] });
    } else if (code !== newCode) {
      this.#add('code', a, b, { path: 'error.code', values: [code, newCode] });
    } else if (!('closed' in was || 'closed' in is)) {
      this.#compareHeaders(a, b, was.headers, is.headers);
      if (before.api !== 'page') this.#compareJson(a, b, '', a.response, b.response);
    }
  }

  #compareHeaders(a: Item, b: Item, before: Headers, after: Headers): void {
    const all = [before, after].map((headers) =>
      Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    );
    const names = new Set(all.flatMap((each) => Object.keys(each)));
    for (const name of names) {
      const values = all.map((each) => each[name]);
      const [was, is] = values;
      const isSame =
        was === undefined || is === undefined
          ? was === is
          : was === is || VOLATILE_HEADERS.test(name) || this.#same(was, is, a, b);
      if (!isSame) this.#add('header', a, b, { path: name, values });
    }
  }

  #compareEvents(a: Item, b: Item): void {
    this.compared.events += 1;
    const counts = [a.outcomes.length, b.outcomes.length];
    const n = a.outcomes.findIndex((each, at) => each !== b.outcomes[at]);
    if (counts[0] !== counts[1]) this.#add('delivery_count', a, b, { values: counts });
    else if (n >= 0) {
      const values = [a.outcomes[n], b.outcomes[n]];
      this.#add('delivery_outcome', a, b, { path: `attempt ${n + 1}`, values });
    }
    this.#compareJson(a, b, '', a.body, b.body);
  }

  #compareJson(a: Item, b: Item, prefix: string, one: unknown, other: unknown): void {
    const { differences, compared } = diffJson(one, other, {
      isVolatile: (path, x, y) =>
        OPAQUE.test(path) ||
        (typeof x === 'string' && typeof y === 'string' && this.#same(x, y, a, b)),
      nameOf: (id, side) => this.#nameOf(id, side),
    });
    this.compared.fields += compared;
    for (const { kind, path, a: was, b: is } of differences) {
      const full = [prefix, path].filter(Boolean).join('.');
      this.#add(kind, a, b, { path: full || 'body', values: [was, is] });
    }
  }

  /** Whether two texts differ only in times of the same distance, and in ids of the same thing. */
  #same(one: string, other: string, a: Item, b: Item): boolean {
    for (const pattern of [TOKEN, ID]) {
      const [was, is] = [one.match(pattern) ?? [], other.match(pattern) ?? []];
      if (was.length !== is.length) return false;
      for (const [n, each] of was.entries()) {
        const now = is[n] ?? '';
        const [t, u] = [timeOf(each), timeOf(now)];
        const isSame =
          t === undefined || u === undefined
            ? t === u && this.#binds(prefixOf(each) ?? '', each, now)
            : isSameTime(t, u, a, b);
        if (!isSame) return false;
      }
    }
    const blank = (text: string) => text.replaceAll(TOKEN, '\0').replaceAll(ID, '\0');
    return blank(one) === blank(other);
  }

  #binds(kind: string, one: string, other: string): boolean {
    if (kind !== 'key' && !other.startsWith(kind)) return false;
    const [key, origin] = [`${kind} ${one}`, `${kind} ${other}`];
    if (!this.#names.has(key) && !this.#origins.has(origin)) {
      this.#names.set(key, other);
      this.#origins.set(origin, one);
    }
    return this.#names.get(key) === other;
  }

  /** What an id is called in B; undefined if it was not seen in both. */
  #nameOf(id: string, side: 'a' | 'b'): string | undefined {
    if (id.search(ID) !== 0) return id;
    const key = `${prefixOf(id)} ${id}`;
    if (side === 'a') return this.#names.get(key);
    return this.#origins.has(key) ? id : undefined;
  }
}

/** Two runs take different times, so a distance may differ by as much as they took. */
function isSameTime(t: number, u: number, a: Item, b: Item): boolean {
  const difference = Math.abs(t - a.now - (u - b.now));
  return difference <= a.elapsed + b.elapsed + SECOND;
}

/** Returns a function that gives the next item of a key. */
function queues<Item>(items: readonly Item[], keyOf: (item: Item) => string) {
  const byKey = Map.groupBy(items, keyOf);
  const queued = new Map([...byKey].map(([key, all]) => [key, all.values()]));
  return (key: string): Item | undefined => queued.get(key)?.next().value;
}

function lastBefore(items: readonly Item[], end: number): Item[] {
  return items.slice(Math.max(0, end - SHOWN_BEFORE), end);
}

/** Pairs groups by name; those that only one file has, by API, credential and order. */
function pairGroups(a: Groups, b: Groups): [Item[], Item[]][] {
  const prefixOf = (name: string) => /^\S+ \S+ /.exec(name)?.[0] ?? '';
  const rest = new Map([...b].filter(([name]) => !a.has(name)));
  const nextName = queues([...rest.keys()], prefixOf);
  const pairs = [...a].map(([name, ofA]): [Item[], Item[]] => {
    const other = b.has(name) ? name : (nextName(prefixOf(name)) ?? '');
    rest.delete(other);
    return [ofA, b.get(other) ?? []];
  });
  return [...pairs, ...[...rest.values()].map((ofB): [Item[], Item[]] => [[], ofB])];
}

function queryOf(target: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(target.split('?')[1]));
}

function prefixOf(id: string): string | undefined {
  return /^[a-z]+_/.exec(id)?.[0];
}

function timeOf(text: string): number | undefined {
  return /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : undefined;
}
