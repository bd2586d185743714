import { identityOf, type RequestActivity } from './activity.ts';
import { Memory } from './rule.ts';

export interface Failed<Note> {
  request: RequestActivity;
  note: Note;
}

/**
 * Remembers the newest failure of each identical request, and finds the failure that a request certainly repeats:
 * it is identical, began after the failure had ended, and has the same Idempotency-Key or was hit by the same fault.
 */
export class Failures<Note> {
  readonly #newest = new Memory<Failed<Note>>();

  /** Returns the failure that `request` repeats; undefined if that is not certain. */
  repeatedBy(request: RequestActivity): Failed<Note> | undefined {
    const { idempotencyKey, injectedBy } = request;
    if (idempotencyKey === undefined && injectedBy?.kind !== 'fault') return undefined;
    const failed = this.#newest.get(identityOf(request));
    return failed && isRetry(failed.request, request) ? failed : undefined;
  }

  add(request: RequestActivity, note: Note): void {
    this.#newest.set(identityOf(request), { request, note });
  }

  delete(request: RequestActivity): void {
    this.#newest.delete(identityOf(request));
  }
}

/** Whether `later`, which is identical to `earlier`, certainly repeats it. */
export function isRetry(earlier: RequestActivity, later: RequestActivity): boolean {
  if (later.startedAt < earlier.endedAt) return false;
  const { idempotencyKey } = earlier;
  if (idempotencyKey !== undefined && later.idempotencyKey === idempotencyKey) return true;
  return isSameFault(earlier, later);
}

/** Whether the same fault rule hit both. Tests share magic domains, so these prove nothing. */
export function isSameFault(earlier: RequestActivity, later: RequestActivity): boolean {
  const { injectedBy } = earlier;
  return injectedBy?.kind === 'fault' && later.injectedBy?.id === injectedBy.id;
}
