import { diffJson, type JsonDifference } from '../../kernel/diff-json.ts';
import { SECOND } from '../../kernel/time.ts';
import { headersOf } from '../../requests/compare-requests.ts';
import { headerOf } from '../../requests/logged-request.ts';
import type { HeaderList } from '../../requests/message.ts';
import { align, type FlowItem, groupItems, type ItemGroups } from './flow.ts';
import type { Repro } from './format.ts';
import { ID } from './operation.ts';

const TOKEN =
  /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[\w-]{40,}(?:\.[\w-]+)*/g;
const OPAQUE = /(?:^|[._])(?:cursor|token|secret|signature|nonce|duration_ms|size_bytes|response)$/;
const VOLATILE_HEADERS =
  /^(?:date|content-length|etag|set-cookie|retry-after|x-request-id|.*ratelimit.*)$/;

/** Number of items that are shown before a difference. */
export const SHOWN_BEFORE = 3;

/** Kinds of differences for items without a counterpart. */
const UNPAIRED_KINDS = {
  call: { onlyA: 'call_only_a', onlyB: 'call_only_b', moved: 'call_order' },
  event: { onlyA: 'event_only_a', onlyB: 'event_only_b', moved: 'delivery_order' },
} as const;

export type FlowKind =
  | (typeof UNPAIRED_KINDS)['call' | 'event']['onlyA' | 'onlyB' | 'moved']
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
  a: FlowItem | undefined;
  b: FlowItem | undefined;
  /** The values of A and of B. */
  values: readonly unknown[];
  /** If one file lacks the item: the last items of that file before it. */
  before: readonly FlowItem[];
  /** Position in A. */
  index: number;
}

/** Compares the calls and webhooks of two files. Two ids are equal if they first appear at the same place. */
export function compareFlows(a: Repro, b: Repro): FlowComparison {
  return new FlowComparison(groupItems(a), groupItems(b));
}

class FlowComparison {
  /** In the order of A. */
  readonly differences: FlowDifference[] = [];
  readonly compared = { responses: 0, fields: 0, events: 0 };
  /** Corresponding ids, by kind and id. */
  readonly #idsInB = new Map<string, string>();
  readonly #idsInA = new Map<string, string>();

  constructor(a: ItemGroups, b: ItemGroups) {
    const groups = pairGroups(a, b);
    const pairs = groups.flatMap(([itemsA, itemsB]) => this.#align(itemsA, itemsB));
    // Ids are paired where they first appear in A.
    pairs.sort(([a], [b]) => a.index - b.index);
    for (const [a, b] of pairs) {
      if (a.kind === 'call') this.#compareCalls(a, b);
      else this.#compareEvents(a, b);
    }
    this.differences.sort((a, b) => a.index - b.index);
  }

  /** Aligns two sequences, and reports items of only one. Between equal items, calls of the same operation are paired. */
  #align(itemsA: readonly FlowItem[], itemsB: readonly FlowItem[]): [FlowItem, FlowItem][] {
    const keyOf = ({ operation, result }: FlowItem) => `${operation} ${result}`;
    const pairs: [FlowItem, FlowItem][] = [];
    const onlyA: [item: FlowItem, before: FlowItem[]][] = [];
    const onlyB: [item: FlowItem, before: FlowItem[], at: number][] = [];
    let [i, j, last] = [0, 0, -1];
    const paired = new Set<FlowItem>();
    const matches = align(itemsA.map(keyOf), itemsB.map(keyOf));
    for (const [n, m] of [...matches, [itemsA.length, itemsB.length] as const]) {
      const unpairedB = itemsB.slice(j, m);
      const nextCall = nextByKey(unpairedB, ({ kind, operation }) => `${kind} ${operation}`);
      for (const a of itemsA.slice(i, n)) {
        const b = nextCall(`call ${a.operation}`);
        if (b) {
          pairs.push([a, b]);
          paired.add(b);
        } else onlyA.push([a, lastBefore(itemsB, m)]);
      }
      for (const b of unpairedB) {
        if (!paired.has(b)) onlyB.push([b, lastBefore(itemsA, n), last + 0.5]);
      }
      const [a, b] = [itemsA[n], itemsB[m]];
      if (a && b) pairs.push([a, b]);
      last = a?.index ?? last;
      [i, j] = [n + 1, m + 1];
    }
    const nextMoved = nextByKey(onlyB, ([b]) => keyOf(b));
    const movedItems = new Set<FlowItem>();
    for (const [a, before] of onlyA) {
      const [b] = nextMoved(keyOf(a)) ?? [];
      if (b) movedItems.add(b);
      this.#add(UNPAIRED_KINDS[a.kind][b ? 'moved' : 'onlyA'], a, b, { before });
    }
    for (const [b, before, index] of onlyB) {
      if (!movedItems.has(b))
        this.#add(UNPAIRED_KINDS[b.kind].onlyB, undefined, b, { before, index });
    }
    return pairs;
  }

  #add(
    kind: FlowKind,
    a: FlowItem | undefined,
    b: FlowItem | undefined,
    fields: Partial<FlowDifference>,
  ): void {
    const index = a?.index ?? 0;
    this.differences.push({
      kind,
      path: '',
      a,
      b,
      values: [],
      before: [],
      index,
      ...fields,
    });
  }

  #compareCalls(a: FlowItem, b: FlowItem): void {
    const [before, after] = [a.request, b.request];
    if (!before || !after) return;
    const keys = [before, after].map(({ headers }) => headerOf(headers, 'idempotency-key'));
    const [key, newKey] = keys;
    const isSameKey =
      key === undefined || newKey === undefined ? key === newKey : this.#bind('key', key, newKey);
    if (!isSameKey) this.#add('header', a, b, { path: 'Idempotency-Key', values: keys });
    this.#compareJson(a, b, 'request', queryOf(before.target), queryOf(after.target));
    this.#compareJson(a, b, 'request', a.body, b.body);
    const [responseA, responseB] = [before.response, after.response];
    if (!responseA || !responseB) return;
    this.compared.responses += 1;
    const [[status, code], [newStatus, newCode]] = [a.result.split(' '), b.result.split(' ')];
    if (status !== newStatus) {
      this.#add('status', a, b, { path: 'status', values: [a.result, b.result] });
    } else if (code !== newCode) {
      this.#add('code', a, b, { path: 'error.code', values: [code, newCode] });
    } else if (!('closed' in responseA || 'closed' in responseB)) {
      this.#compareHeaders(a, b, responseA.headers, responseB.headers);
      if (before.api !== 'page') this.#compareJson(a, b, '', a.response, b.response);
    }
  }

  #compareHeaders(a: FlowItem, b: FlowItem, before: HeaderList, after: HeaderList): void {
    const [headersA, headersB] = [headersOf(before), headersOf(after)];
    for (const name of Object.keys({ ...headersA, ...headersB })) {
      const [valueA, valueB] = [headersA[name], headersB[name]];
      const isSame =
        valueA === undefined || valueB === undefined
          ? valueA === valueB
          : valueA === valueB || VOLATILE_HEADERS.test(name) || this.#isSame(valueA, valueB, a, b);
      if (!isSame) this.#add('header', a, b, { path: name, values: [valueA, valueB] });
    }
  }

  #compareEvents(a: FlowItem, b: FlowItem): void {
    this.compared.events += 1;
    const counts = [a.outcomes.length, b.outcomes.length];
    const n = a.outcomes.findIndex((outcome, index) => outcome !== b.outcomes[index]);
    if (counts[0] !== counts[1]) this.#add('delivery_count', a, b, { values: counts });
    else if (n >= 0) {
      const values = [a.outcomes[n], b.outcomes[n]];
      this.#add('delivery_outcome', a, b, { path: `attempt ${n + 1}`, values });
    }
    this.#compareJson(a, b, '', a.body, b.body);
  }

  #compareJson(a: FlowItem, b: FlowItem, prefix: string, jsonA: unknown, jsonB: unknown): void {
    const { differences, compared } = diffJson(jsonA, jsonB, {
      isVolatile: (path, x, y) =>
        OPAQUE.test(path) ||
        (typeof x === 'string' && typeof y === 'string' && this.#isSame(x, y, a, b)),
      nameOf: (id, side) => this.#nameOf(id, side),
    });
    this.compared.fields += compared;
    for (const { kind, path, a: valueA, b: valueB } of differences) {
      const fullPath = [prefix, path].filter(Boolean).join('.');
      this.#add(kind, a, b, { path: fullPath || 'body', values: [valueA, valueB] });
    }
  }

  /** Whether two texts differ only in corresponding ids, and in times with the same distance from their requests. */
  #isSame(textA: string, textB: string, a: FlowItem, b: FlowItem): boolean {
    for (const pattern of [TOKEN, ID]) {
      const [tokensA, tokensB] = [textA.match(pattern) ?? [], textB.match(pattern) ?? []];
      if (tokensA.length !== tokensB.length) return false;
      for (const [n, tokenA] of tokensA.entries()) {
        const tokenB = tokensB[n] ?? '';
        const [timeA, timeB] = [timeOf(tokenA), timeOf(tokenB)];
        const isSame =
          timeA === undefined || timeB === undefined
            ? timeA === timeB && this.#bind(prefixOf(tokenA) ?? '', tokenA, tokenB)
            : isSameTime(timeA, timeB, a, b);
        if (!isSame) return false;
      }
    }
    const blank = (text: string) => text.replaceAll(TOKEN, '\0').replaceAll(ID, '\0');
    return blank(textA) === blank(textB);
  }

  #bind(kind: string, idA: string, idB: string): boolean {
    if (kind !== 'key' && !idB.startsWith(kind)) return false;
    const [key, origin] = [`${kind} ${idA}`, `${kind} ${idB}`];
    if (!this.#idsInB.has(key) && !this.#idsInA.has(origin)) {
      this.#idsInB.set(key, idB);
      this.#idsInA.set(origin, idA);
    }
    return this.#idsInB.get(key) === idB;
  }

  /** Returns the corresponding id in B; undefined if the id is in one file only. */
  #nameOf(id: string, side: 'a' | 'b'): string | undefined {
    if (id.search(ID) !== 0) return id;
    const key = `${prefixOf(id)} ${id}`;
    if (side === 'a') return this.#idsInB.get(key);
    return this.#idsInA.has(key) ? id : undefined;
  }
}

/** The distances may differ by the durations of the runs. */
function isSameTime(t: number, u: number, a: FlowItem, b: FlowItem): boolean {
  const difference = Math.abs(t - a.now - (u - b.now));
  return difference <= a.elapsed + b.elapsed + SECOND;
}

/** Returns a function that returns the next item with a key. */
function nextByKey<Item>(items: readonly Item[], keyOf: (item: Item) => string) {
  const byKey = Map.groupBy(items, keyOf);
  const queued = new Map([...byKey].map(([key, group]) => [key, group.values()]));
  return (key: string): Item | undefined => queued.get(key)?.next().value;
}

function lastBefore(items: readonly FlowItem[], end: number): FlowItem[] {
  return items.slice(Math.max(0, end - SHOWN_BEFORE), end);
}

/** Pairs groups by name; groups of only one file by API, credential and order. */
function pairGroups(a: ItemGroups, b: ItemGroups): [FlowItem[], FlowItem[]][] {
  const prefixOf = (name: string) => /^\S+ \S+ /.exec(name)?.[0] ?? '';
  const unpairedB = new Map([...b].filter(([name]) => !a.has(name)));
  const nextName = nextByKey([...unpairedB.keys()], prefixOf);
  const pairs = [...a].map(([name, itemsA]): [FlowItem[], FlowItem[]] => {
    const nameInB = b.has(name) ? name : (nextName(prefixOf(name)) ?? '');
    unpairedB.delete(nameInB);
    return [itemsA, b.get(nameInB) ?? []];
  });
  return [
    ...pairs,
    ...[...unpairedB.values()].map((itemsB): [FlowItem[], FlowItem[]] => [[], itemsB]),
  ];
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
