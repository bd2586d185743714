/** Where two JSON values differ; a side that lacks the value has none. */
export interface JsonDifference {
  /** `order.hints[1]`; empty for the whole value. */
  path: string;
  a?: unknown;
  b?: unknown;
}

export interface JsonDiff {
  differences: JsonDifference[];
  /** Different values that are marked as volatile. */
  volatile: JsonDifference[];
  /** Number of values that both have. */
  compared: number;
}

/**
 * Compares two JSON values field by field, in the order of the first.
 * @param isVolatile whether two different values, such as ids and times, are no difference; also called for equal texts, so that it can remember ids
 * @param max stops after as many differences
 */
export function diffJson(
  a: unknown,
  b: unknown,
  {
    isVolatile = () => false,
    max = Number.POSITIVE_INFINITY,
  }: { isVolatile?: (path: string, a: unknown, b: unknown) => boolean; max?: number } = {},
): JsonDiff {
  const diff: JsonDiff = { differences: [], volatile: [], compared: 0 };
  const compare = (path: string, one: unknown, other: unknown): void => {
    if (diff.differences.length >= max) return;
    if (isContainer(one) && isContainer(other) && Array.isArray(one) === Array.isArray(other)) {
      for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
        const inner = Array.isArray(one) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
        compare(inner, field(one, key), field(other, key));
      }
      return;
    }
    diff.compared += 1;
    const isEqual = JSON.stringify(one) === JSON.stringify(other);
    const isMarked = (!isEqual || typeof one === 'string') && isVolatile(path, one, other);
    if (isEqual) return;
    const difference = {
      path,
      ...(one !== undefined && { a: one }),
      ...(other !== undefined && { b: other }),
    };
    (isMarked ? diff.volatile : diff.differences).push(difference);
  };
  compare('', a, b);
  return diff;
}

function field(container: object, key: string): unknown {
  return Object.hasOwn(container, key) ? (container as Record<string, unknown>)[key] : undefined;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
