import type { RequestRecord } from '../../requests/recording.ts';

/**
 * What a replay does not compare, by operation: minted secrets, which a file does not have, sizes on this machine, and what
 * a receiver said, which is replaced.
 */
export const IGNORED: Readonly<Record<string, readonly string[]>> = {
  'POST /_sandbox/credentials': ['secret'],
  'POST /_sandbox/snapshots': ['size_bytes'],
  'DELETE /_sandbox/snapshots/:name': ['size_bytes'],
  'POST /_sandbox/webhooks/fire': ['attempts[].response'],
};

const OPERATIONS = Object.entries(IGNORED).map(([operation, paths]) => {
  const pattern = operation.replaceAll(/:\w+/g, '[^/]+');
  return { pattern: new RegExp(`^${pattern}$`), paths };
});

/** Returns the paths in the response of a request that are not compared. */
export function ignoredOf({
  api,
  method,
  target,
}: Pick<RequestRecord, 'api' | 'method' | 'target'>): readonly string[] {
  if (api !== 'control') return [];
  const operation = `${method} ${target.split('?')[0]}`;
  return OPERATIONS.find(({ pattern }) => pattern.test(operation))?.paths ?? [];
}
