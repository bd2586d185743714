import { nearest } from '../../kernel/did-you-mean.ts';
import { validationError } from '../../kernel/errors.ts';

const MAX_DEPTH = 3;

/** Looks up a path with dots. Fields of null, and elements past the end of a list, are known, but have no value. */
export function lookUp(object: unknown, path: string): { value: unknown; isKnown: boolean } {
  let value = object;
  for (const name of path.split('.')) {
    if (value === null || value === undefined) return { value: undefined, isKnown: true };
    if (typeof value !== 'object') return { value: undefined, isKnown: false };
    const isItem = Array.isArray(value) && /^\d+$/.test(name);
    if (!isItem && !Object.hasOwn(value, name)) return { value: undefined, isKnown: false };
    value = (value as Record<string, unknown>)[name];
  }
  return { value, isKnown: true };
}

/** @throws validation_error that lists the fields, if the path is unknown */
export function requireField(object: unknown, path: string, prefix: string): unknown {
  const { value, isKnown } = lookUp(object, path);
  if (isKnown) return value;
  const fields = fieldsOf(object);
  throw validationError(
    `${prefix} ${path};${nearestHint(path, fields)} fields: ${fields.join(', ')}`,
  );
}

/** Lists the paths of an object. Of each list, only the first element counts. */
function fieldsOf(object: unknown, depth = 1): string[] {
  const sample = Array.isArray(object) ? object.slice(0, 1) : object;
  return Object.entries(sample ?? {}).flatMap(([name, value]) => {
    const isObject = typeof value === 'object' && depth < MAX_DEPTH;
    const inner = isObject ? fieldsOf(value, depth + 1).map((path) => `${name}.${path}`) : [];
    return inner.length > 0 ? inner : [name];
  });
}

/** Returns ` nearest: status;` if a candidate is similar. */
export function nearestHint(typed: string, candidates: readonly string[]): string {
  const match = nearest(typed, candidates);
  return match ? ` nearest: ${match.candidate};` : '';
}
