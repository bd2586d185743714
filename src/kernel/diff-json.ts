import { truncate } from './printable.ts';

/** Two JSON values at a path; a side that has none lacks the property. */
export interface JsonDifference {
  /** `orders[0].status`; empty for the whole value. The end of a long one is cut off. */
  path: string;
  a?: unknown;
  b?: unknown;
}

interface JsonDiff {
  /** In the order of A; what only B has is last in its object or list. */
  differences: JsonDifference[];
  /** Differences that `isVolatile` ignores, as far as the comparison went. */
  volatile: JsonDifference[];
}

interface JsonDiffOptions {
  /** Whether a difference between two values of one type is ignored, as for times. The end of a long path is cut off. */
  isVolatile?: (path: string, a: unknown, b: unknown) => boolean;
  /** Stops after this many differences, not counting those that are ignored. */
  max?: number;
}

/** Compares two JSON values field by field, and lists by index. Takes linear time, at any depth. */
export function diffJson(
  a: unknown,
  b: unknown,
  { isVolatile = () => false, max = Number.POSITIVE_INFINITY }: JsonDiffOptions = {},
): JsonDiff {
  const diff: JsonDiff = { differences: [], volatile: [] };
  const stack: JsonDifference[] = [{ path: '', a, b }];
  for (let pair = stack.pop(); pair && diff.differences.length < max; pair = stack.pop()) {
    const type = jsonType(pair.a);
    const isComparable = 'a' in pair && 'b' in pair && type === jsonType(pair.b);
    if (isComparable && (type === 'array' || type === 'object')) {
      for (const child of childrenOf(pair).reverse()) stack.push(child);
    } else if (pair.a !== pair.b) {
      const isIgnored = isComparable && isVolatile(pair.path, pair.a, pair.b);
      (isIgnored ? diff.volatile : diff.differences).push(pair);
    }
  }
  return diff;
}

/** `null`, `array`, or as `typeof`. */
function jsonType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Pairs the fields or elements of two objects or lists. */
function childrenOf({ path, a, b }: JsonDifference): JsonDifference[] {
  const [fieldsA, fieldsB] = [a, b] as [Record<string, unknown>, Record<string, unknown>];
  const [before, after] = Array.isArray(a) ? ['[', ']'] : [path === '' ? '' : '.', ''];
  return [...new Set([...Object.keys(fieldsA), ...Object.keys(fieldsB)])].map((key) => ({
    // Paths in full, with a long name above many fields, would take quadratic time.
    path: truncate(path + before + key + after, 200),
    ...(Object.hasOwn(fieldsA, key) && { a: fieldsA[key] }),
    ...(Object.hasOwn(fieldsB, key) && { b: fieldsB[key] }),
  }));
}
