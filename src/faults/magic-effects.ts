import { CodedError } from '../kernel/errors.ts';
import { SECOND } from '../kernel/time.ts';
import type { RequestEffect } from './fault-effects.ts';

export interface InjectedFault {
  effect: RequestEffect;
  /** The error of `effect.code`. */
  error?: CodedError | undefined;
}

/** Faults that a request triggers by naming a magic domain, by behavior. */
export const MAGIC_FAULTS: Readonly<Record<string, InjectedFault>> = {
  slow: { effect: { delay_ms: 3 * SECOND } },
  server_error: {
    effect: { code: 'internal_error' },
    error: new CodedError('internal_error', 'server-error.test: fails on purpose'),
  },
  rate_limited: {
    effect: { code: 'rate_limited' },
    error: new CodedError('rate_limited', 'rate-limited.test: always limited', {
      retryAfterSeconds: 2,
    }),
  },
};
