import { calledRoute, patternOf } from './operation.ts';
import type { RequestRecord } from './recording/recording.ts';

/**
 * What a replay does not compare, by operation: minted secrets, which a file does not have, sizes on this machine, and what
 * a receiver said, which is replaced.
 */
export const IGNORED: Readonly<Record<string, readonly string[]>> = {
  'POST /_sandbox/credentials': ['secret'],
  'POST /_sandbox/snapshots': ['size_bytes'],
  'DELETE /_sandbox/snapshots/:name': ['size_bytes'],
  'POST /_sandbox/webhooks/fire': ['attempts[].response'],
  'POST /_sandbox/deliveries/:id/retry': ['last_response'],
  'POST /_sandbox/events/:id/resend': ['last_response'],
};
const PATTERNS = Object.entries(IGNORED).map(
  ([route, paths]) => [patternOf(route), paths] as const,
);

/** Returns the paths in the response of a request that are not compared. */
export function ignoredOf(
  request: Pick<RequestRecord, 'api' | 'method' | 'target'>,
): readonly string[] {
  if (request.api !== 'control') return [];
  const called = calledRoute(request);
  return PATTERNS.find(([pattern]) => pattern.test(called))?.[1] ?? [];
}
