import { diffJson } from '../../kernel/diff-json.ts';
import { align } from './align.ts';
import { type Call, type Flow, flowOf, ID, type Sent } from './flow.ts';
import type { Repro } from './format.ts';

const TOKEN =
  /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[\w-]{40,}(?:\.[\w-]+)*/g;
const OPAQUE = /(?:^|[._])(?:cursor|token|secret|signature|nonce|duration_ms|size_bytes|response)$/;
const VOLATILE_HEADERS =
  /^(?:date|content-length|etag|set-cookie|retry-after|x-request-id|.*ratelimit.*)$/;
const MINUTE = 60_000;

export type FlowKind =
  | 'call_only_a'
  | 'call_only_b'
  | 'call_order'
  | 'status'
  | 'code'
  | 'missing'
  | 'added'
  | 'type'
  | 'value'
  | 'order'
  | 'header'
  | 'event_only_a'
  | 'event_only_b'
  | 'delivery_count'
  | 'delivery_order'
  | 'delivery_outcome';

export interface FlowDifference {
  kind: FlowKind;
  operation: string;
  /** Field, header or attempt; empty for a whole call. */
  path: string;
  a: Call | Sent | undefined;
  b: Call | Sent | undefined;
  /** Credential and domain, as they are aligned by. */
  group: string;
  /** Values that differ. */
  values: [a: unknown, b: unknown];
  /** Where it is in A. */
  at: number;
}

export interface ComparedFlows {
  /** In A's order. */
  differences: FlowDifference[];
  compared: { responses: number; fields: number; events: number };
  a: Flow;
  b: Flow;
}

/** Compares the calls and webhooks of two files. Ids are equal if they are first used at the same place. */
export function compareFlows(a: Repro, b: Repro): ComparedFlows {
  const comparison = new Comparison(flowOf(a), flowOf(b));
  comparison.run();
  comparison.differences.sort((one, other) => one.at - other.at);
  return comparison;
}

type Item = Call | Sent;

class Comparison implements ComparedFlows {
  readonly a: Flow;
  readonly b: Flow;
  readonly differences: FlowDifference[] = [];
  readonly compared = { responses: 0, fields: 0, events: 0 };
  readonly #names = [new Map<string, string>(), new Map<string, string>()] as const;

  constructor(a: Flow, b: Flow) {
    this.a = a;
    this.b = b;
  }

  run(): void {
    const pairs: [group: string, a: Item, b: Item][] = [];
    for (const each of ['groups', 'webhooks'] as const) {
      for (const [group, ofA, ofB] of pairGroups<Item>(this.a[each], this.b[each])) {
        for (const [a, b] of this.#align(group, ofA, ofB)) pairs.push([group, a, b]);
      }
    }
    // Ids are bound in the order of A.
    pairs.sort(([, one], [, other]) => one.at - other.at);
    for (const [group, a, b] of pairs) {
      if (a.kind === 'call' && b.kind === 'call') this.#compareCalls(group, a, b);
      else if (a.kind === 'sent' && b.kind === 'sent') this.#compareSent(group, a, b);
    }
  }

  /** Aligns two sequences, and reports what only one has. Between equal calls, those of one operation are paired. */
  #align(group: string, ofA: readonly Item[], ofB: readonly Item[]): [Item, Item][] {
    const key = (each: Item) =>
      each.kind === 'call' ? `${each.operation} ${each.result}` : each.operation;
    const pairs: [Item, Item][] = [];
    let [i, j, last] = [0, 0, -1];
    const onlyA: Item[] = [];
    const onlyB: [item: Item, after: number][] = [];
    for (const [n, m] of [
      ...align(ofA.map(key), ofB.map(key)),
      [ofA.length, ofB.length] as const,
    ]) {
      const rest = ofB.slice(j, m);
      for (const a of ofA.slice(i, n)) {
        const at = rest.findIndex((b) => b.operation === a.operation && b.kind === 'call');
        const [b] = at < 0 ? [] : rest.splice(at, 1);
        if (b) pairs.push([a, b]);
        else onlyA.push(a);
      }
      for (const b of rest) onlyB.push([b, last]);
      const [a, b] = [ofA[n], ofB[m]];
      if (a && b) pairs.push([a, b]);
      last = a?.at ?? last;
      [i, j] = [n + 1, m + 1];
    }
    const byKey = Map.groupBy(onlyB, ([b]) => key(b));
    const moved = new Set<Item>();
    for (const a of onlyA) {
      const [b] = byKey.get(key(a))?.shift() ?? [];
      if (b) moved.add(b);
      const isCall = a.kind === 'call';
      if (b) this.#add(isCall ? 'call_order' : 'delivery_order', group, a, b);
      else this.#add(isCall ? 'call_only_a' : 'event_only_a', group, a, undefined);
    }
    for (const [b, after] of onlyB) {
      if (moved.has(b)) continue;
      const kind = b.kind === 'call' ? 'call_only_b' : 'event_only_b';
      this.#add(kind, group, undefined, b, { at: after + 0.5 });
    }
    return pairs;
  }

  #add(
    kind: FlowKind,
    group: string,
    a: Item | undefined,
    b: Item | undefined,
    { path = '', values = [undefined, undefined], at = a?.at ?? 0 }: Partial<FlowDifference> = {},
  ): void {
    const { operation = '' } = a ?? b ?? {};
    this.differences.push({ kind, operation, path, a, b, group, values, at });
  }

  #compareCalls(group: string, a: Call, b: Call): void {
    const key = [a, b].map((each) => headerOf(each.request.headers, 'idempotency-key'));
    const [one, other] = key;
    if (
      one === undefined
        ? other !== undefined
        : other === undefined || !this.#binds('key', one, other)
    ) {
      this.#add('header', group, a, b, { path: 'Idempotency-Key', values: [one, other] });
    }
    this.#compareJson(group, a, b, 'request', queryOf(a), queryOf(b));
    this.#compareJson(group, a, b, 'request', a.body, b.body);
    const [before, after] = [a.request.response, b.request.response];
    if (!before || !after) return;
    this.compared.responses += 1;
    const [[status, code], [newStatus, newCode]] = [a.result.split(' '), b.result.split(' ')];
    if (status !== newStatus) {
      this.#add('status', group, a, b, { path: 'status', values: [a.result, b.result] });
      return;
    }
    if (code !== newCode) {
      this.#add('code', group, a, b, { path: 'error.code', values: [code, newCode] });
      return;
    }
    if ('closed' in before || 'closed' in after) return;
    const names = new Set(
      [...before.headers, ...after.headers].map(([name]) => name.toLowerCase()),
    );
    for (const name of names) {
      const values = [before, after].map(({ headers }) => headerOf(headers, name));
      const [was, is] = values;
      const isSame =
        was === is ||
        (was !== undefined &&
          is !== undefined &&
          (VOLATILE_HEADERS.test(name) || this.#same(was, is, a, b)));
      if (!isSame) this.#add('header', group, a, b, { path: name, values: [was, is] });
    }
    if (a.request.api !== 'page') this.#compareJson(group, a, b, '', a.response, b.response);
  }

  #compareSent(group: string, a: Sent, b: Sent): void {
    this.compared.events += 1;
    const counts = [a.outcomes.length, b.outcomes.length] as const;
    if (counts[0] !== counts[1]) this.#add('delivery_count', group, a, b, { values: [...counts] });
    else {
      const n = a.outcomes.findIndex((each, at) => each !== b.outcomes[at]);
      const values: [unknown, unknown] = [a.outcomes[n], b.outcomes[n]];
      if (n >= 0) this.#add('delivery_outcome', group, a, b, { path: `attempt ${n + 1}`, values });
    }
    this.#compareJson(group, a, b, '', a.body, b.body);
  }

  #compareJson(
    group: string,
    a: Item,
    b: Item,
    prefix: string,
    one: unknown,
    other: unknown,
  ): void {
    const { differences, compared } = diffJson(one, other, {
      isVolatile: (path, x, y) =>
        OPAQUE.test(path) ||
        (typeof x === 'string' && typeof y === 'string' && this.#same(x, y, a, b)),
      nameOf: (id, side) => this.#nameOf(id, side),
    });
    this.compared.fields += compared;
    for (const difference of differences) {
      const path = [prefix, difference.path || (prefix === '' ? 'body' : '')]
        .filter(Boolean)
        .join('.');
      this.#add(difference.kind, group, a, b, { path, values: [difference.a, difference.b] });
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
            ? t === u && this.#binds(/^[a-z]+_/.exec(each)?.[0] ?? '', each, now)
            : this.#sameTime(t, u, a, b);
        if (!isSame) return false;
      }
    }
    const blank = (text: string) => text.replaceAll(TOKEN, '\0').replaceAll(ID, '\0');
    return blank(one) === blank(other);
  }

  #binds(kind: string, one: string, other: string): boolean {
    if (kind !== 'key' && !other.startsWith(kind)) return false;
    const [names, origins] = this.#names;
    const [key, origin] = [`${kind} ${one}`, `${kind} ${other}`];
    if (!names.has(key) && !origins.has(origin)) {
      names.set(key, other);
      origins.set(origin, one);
    }
    return names.get(key) === other;
  }

  /** What an id is called in B; undefined if it was not seen in both. */
  #nameOf(id: string, side: 'a' | 'b'): string | undefined {
    const prefix = id.search(ID) === 0 ? /^[a-z]+_/.exec(id)?.[0] : undefined;
    if (prefix === undefined) return id;
    const [names, origins] = this.#names;
    if (side === 'a') return names.get(`${prefix} ${id}`);
    return origins.has(`${prefix} ${id}`) ? id : undefined;
  }

  /** Two runs take different times, so a distance may differ by as much as they took. */
  #sameTime(t: number, u: number, a: Item, b: Item): boolean {
    const difference = Math.abs(t - (this.a.nows[a.at] ?? 0) - (u - (this.b.nows[b.at] ?? 0)));
    if (difference === 0) return true;
    if (difference > (this.a.elapsed[a.at] ?? 0) + (this.b.elapsed[b.at] ?? 0) + 1_000)
      return false;
    const [was, is] = [anchorsOf(t, this.a), anchorsOf(u, this.b)];
    return (was.size === 0 && is.size === 0) || [...was].some((each) => is.has(each));
  }
}

/** The operations at whose time it is, or whole minutes after. */
function anchorsOf(t: number, { anchors }: Flow): Set<string> {
  const exact = anchors.get(t);
  if (exact) return exact;
  const found = new Set<string>();
  for (const [now, operations] of anchors) {
    if ((t - now) % MINUTE !== 0) continue;
    for (const each of operations) found.add(`${each} ${t - now}`);
  }
  return found;
}

/** Pairs groups by name; those that only one file has, by their order. */
function pairGroups<T>(a: Map<string, T[]>, b: Map<string, T[]>): [string, T[], T[]][] {
  const restB = [...b].filter(([name]) => !a.has(name));
  const pairs = [...a].map(([name, ofA]): [string, T[], T[]] => {
    const prefix = name.split(' ').slice(0, 2).join(' ');
    const at = b.has(name) ? -1 : restB.findIndex(([other]) => other.startsWith(`${prefix} `));
    const [other] = at < 0 ? [] : restB.splice(at, 1);
    return [name, ofA, b.get(name) ?? other?.[1] ?? []];
  });
  return [...pairs, ...restB.map(([name, ofB]): [string, T[], T[]] => [name, [], ofB])];
}

export function headerOf(
  headers: readonly (readonly [string, string])[],
  name: string,
): string | undefined {
  return headers.find(([each]) => each.toLowerCase() === name)?.[1];
}

function queryOf({ request }: Call): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(request.target.split('?')[1] ?? ''));
}

function timeOf(text: string): number | undefined {
  return /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : undefined;
}
