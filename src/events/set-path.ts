import { validationError } from '../kernel/errors.ts';

/**
 * A copy of `target` with one member replaced, such as `data.order.status`.
 * @throws validation_error when the path names nothing that is there
 */
export function setPath(
  target: Record<string, unknown>,
  path: string,
  value: unknown,
): Record<string, unknown> {
  const [head = '', ...rest] = path.split('.');
  if (!Object.hasOwn(target, head)) {
    throw validationError(
      `set: there is no "${head}"; there are ${Object.keys(target).join(', ')}`,
    );
  }
  if (rest.length === 0) return { ...target, [head]: value };
  const inner = target[head];
  if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) {
    throw validationError(`set: "${head}" has no members`);
  }
  return { ...target, [head]: setPath({ ...inner }, rest.join('.'), value) };
}
