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

/** Returns the paths in the response of a request that are not compared. */
export function ignoredOf({
  api,
  method,
  target,
}: Pick<RequestRecord, 'api' | 'method' | 'target'>): readonly string[] {
  if (api !== 'control') return [];
  const parts = `${method} ${target.split('?')[0]}`.split('/');
  const matches = (operation: string) => {
    const declared = operation.split('/');
    const isSame = (part: string, at: number) => part.startsWith(':') || part === parts[at];
    return declared.length === parts.length && declared.every(isSame);
  };
  return Object.entries(IGNORED).find(([operation]) => matches(operation))?.[1] ?? [];
}
