import type { EntryHead } from './log-entry.ts';

/** `401 invalid_signature`, `201`, or that there was no answer. */
export function outcomeOf({ status, code }: Pick<EntryHead, 'status' | 'code'>): string {
  if (status === null) return 'cut';
  return code === null ? String(status) : `${status} ${code}`;
}
