import type { Endpoint } from '../http/endpoint.ts';
import type { ExampleCall } from '../openapi/examples.ts';
import { encodeStrict } from '../signing/canonical.ts';
import type { ShownCall } from './languages.ts';

/** Under which an example records its order. */
const IDEMPOTENCY_KEY = 'order-4711';

/** The call of an example, as a client sends it. @param path with `:name` for a parameter */
export function shownCallOf(
  { method, path, idempotent }: Pick<Endpoint, 'method' | 'path' | 'idempotent'>,
  { parameters = {}, body }: Partial<ExampleCall> = {},
): ShownCall {
  const inQuery = Object.entries(parameters).filter(([name]) => !path.includes(`:${name}`));
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeStrict(`${parameters[name]}`));
  const query = inQuery
    .map(([name, value]) => `${encodeStrict(name)}=${encodeStrict(String(value))}`)
    .join('&');
  return {
    method,
    target: query === '' ? filled : `${filled}?${query}`,
    body,
    idempotencyKey: idempotent ? IDEMPOTENCY_KEY : undefined,
  };
}
