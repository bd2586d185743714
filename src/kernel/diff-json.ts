/** How two JSON values differ at a path. */
export interface JsonDifference {
  /** `missing` is only in A, `added` only in B; `order` is a list with its elements in another order. */
  kind: 'missing' | 'added' | 'type' | 'value' | 'order';
  /** `orders[ord_1].status`, `hints[1]`; empty for the whole value. */
  path: string;
  /** The two values; for `order`, the ids that both lists have. */
  a?: unknown;
  b?: unknown;
}

interface JsonDiff {
  /** In the order of A. */
  differences: JsonDifference[];
  /** Differences that `isVolatile` ignores. */
  volatile: JsonDifference[];
  /** Number of values, without lists and objects, that both have. */
  compared: number;
}

interface JsonDiffOptions {
  /**
   * Whether a difference between two values of one type is ignored, as for times. Called for equal values too, so that
   * it can remember ids.
   */
  isVolatile?: (path: string, a: unknown, b: unknown) => boolean;
  /** Returns a name for an id that both sides share; elements whose id has no name yet are paired in their order. */
  nameOf?: (id: string, side: 'a' | 'b') => string | undefined;
  /** Stops after this many differences. */
  max?: number;
}

/**
 * Compares two JSON values field by field. Objects in a list are compared by the first field that identifies each of them in
 * both lists (`id`, `…_id`, `domain`, `name`), and everything else in a list by its index. Takes linear time, at any depth.
 */
export function diffJson(
  a: unknown,
  b: unknown,
  {
    isVolatile = () => false,
    nameOf = (id) => id,
    max = Number.POSITIVE_INFINITY,
  }: JsonDiffOptions = {},
): JsonDiff {
  const diff: JsonDiff = { differences: [], volatile: [], compared: 0 };
  const stack: Pair[] = [{ path: '', a, b }];
  for (let pair = stack.pop(); pair && diff.differences.length < max; pair = stack.pop()) {
    const { path } = pair;
    if (!('a' in pair)) diff.differences.push({ kind: 'added', ...pair });
    else if (!('b' in pair)) diff.differences.push({ kind: 'missing', ...pair });
    else if (jsonType(pair.a) !== jsonType(pair.b)) {
      diff.differences.push({ kind: 'type', ...pair });
    } else if (Array.isArray(pair.a) && Array.isArray(pair.b)) {
      const { pairs, order } = pairElements(path, pair.a, pair.b, nameOf);
      if (order) diff.differences.push(order);
      for (const child of pairs.reverse()) stack.push(child);
    } else if (isObject(pair.a) && isObject(pair.b)) {
      for (const child of pairFields(path, pair.a, pair.b).reverse()) stack.push(child);
    } else {
      diff.compared += 1;
      const list = isVolatile(path, pair.a, pair.b) ? diff.volatile : diff.differences;
      if (pair.a !== pair.b) list.push({ kind: 'value', ...pair });
    }
  }
  return diff;
}

/** `null`, `array`, or as `typeof`. */
function jsonType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Values at one path; a side that has none lacks the property. */
interface Pair {
  path: string;
  a?: unknown;
  b?: unknown;
}
type JsonObject = Record<string, unknown>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function pairFields(path: string, a: JsonObject, b: JsonObject): Pair[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].map((key) => ({
    path: path === '' ? key : `${path}.${key}`,
    ...(Object.hasOwn(a, key) && { a: a[key] }),
    ...(Object.hasOwn(b, key) && { b: b[key] }),
  }));
}

function pairElements(
  path: string,
  a: readonly unknown[],
  b: readonly unknown[],
  nameOf: NonNullable<JsonDiffOptions['nameOf']>,
): { pairs: Pair[]; order: JsonDifference | undefined } {
  const field = idFieldOf(a, b);
  if (field === undefined) return { pairs: pairIndexes(path, a, b), order: undefined };
  const idOf = (element: unknown) => String((element as JsonObject)[field]);
  const byName = new Map(b.map((element) => [nameOf(idOf(element), 'b'), element]));
  byName.delete(undefined);
  const unnamed = b.filter((element) => nameOf(idOf(element), 'b') === undefined).values();
  const matches = new Map<unknown, unknown>();
  const pairs = a.map((element): Pair => {
    const id = idOf(element);
    const name = nameOf(id, 'a');
    const match = name === undefined ? unnamed.next().value : byName.get(name);
    if (match !== undefined) matches.set(match, id);
    const pair = { path: `${path}[${id}]`, a: element };
    return match === undefined ? pair : { ...pair, b: match };
  });
  const before = pairs.flatMap((pair) => ('b' in pair ? [pair.b] : []));
  const after = b.filter((element) => matches.has(element));
  const isMoved = before.some((element, index) => element !== after[index]);
  const ids = (elements: unknown[]) => elements.map((element) => matches.get(element));
  const added = b
    .filter((element) => !matches.has(element))
    .map((element) => ({ path: `${path}[${idOf(element)}]`, b: element }));
  return {
    pairs: [...pairs, ...added],
    order: isMoved ? { kind: 'order', path, a: ids(before), b: ids(after) } : undefined,
  };
}

function pairIndexes(path: string, a: readonly unknown[], b: readonly unknown[]): Pair[] {
  return Array.from({ length: Math.max(a.length, b.length) }, (_, index) => ({
    path: `${path}[${index}]`,
    ...(index < a.length && { a: a[index] }),
    ...(index < b.length && { b: b[index] }),
  }));
}

const IDENTIFIES = /^(?:(?:.*_)?id|domain|name)$/;

/** The first field that has another text in each element of a list, in both lists. */
function idFieldOf(a: readonly unknown[], b: readonly unknown[]): string | undefined {
  const first = a[0] ?? b[0];
  if (!isObject(first)) return undefined;
  return Object.keys(first).find(
    (name) => IDENTIFIES.test(name) && [a, b].every((list) => isIdentifiedBy(name, list)),
  );
}

function isIdentifiedBy(name: string, list: readonly unknown[]): boolean {
  const ids = new Set<string>();
  for (const element of list) {
    const id = isObject(element) && Object.hasOwn(element, name) ? element[name] : undefined;
    if (typeof id !== 'string' || ids.has(id)) return false;
    ids.add(id);
  }
  return true;
}
