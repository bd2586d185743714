import { CodedError, ERROR_CODES, ERROR_STATUS, type ErrorCode } from '../kernel/errors.ts';
import { SECOND } from '../kernel/time.ts';
import type { RequestEffect } from './fault-fields.ts';

/** Adds what follows from the given fields: code or status of an error, and when a delay or the page of a gateway comes. */
export function resolveEffect(effect: RequestEffect): RequestEffect {
  const { status, code, delay, delay_ms, gateway, gateway_when } = effect;
  return {
    ...effect,
    status: status ?? (code && ERROR_STATUS[code]),
    code: code ?? (status === undefined ? undefined : codesOf(status)[0]),
    delay: delay_ms === undefined ? undefined : (delay ?? 'before'),
    gateway_when: gateway === undefined ? undefined : (gateway_when ?? 'before'),
  };
}

/** Returns a problem if the API has no error of this status, or none of this status and code. */
export function statusProblem({ status, code }: RequestEffect): string | undefined {
  if (status === undefined) return undefined;
  const codes = codesOf(status);
  if (codes.length === 0)
    return `the API returns no error ${status}; pass one that it returns, such as 500, or gateway for 502 to 504`;
  if (code === undefined || codes.includes(code)) return undefined;
  return `${code} has the status ${ERROR_STATUS[code]}; with ${status} the API returns ${codes.join(' or ')}`;
}

/** Codes by status, the default first: the first in `ERROR_STATUS`, except for 401. */
function codesOf(status: number): ErrorCode[] {
  // The second status of validation_error: a body over the limit.
  if (status === 413) return ['validation_error'];
  const codes = ERROR_CODES.filter((code) => ERROR_STATUS[code] === status);
  // The default for 401 is the error that a client with a wrong secret gets.
  return codes.toSorted(
    (a, b) => Number(b === 'invalid_signature') - Number(a === 'invalid_signature'),
  );
}

export interface InjectedFault {
  effect: RequestEffect;
  /** Thrown by the request. A fault that a user has added has it if its effect has a code. */
  error?: CodedError | undefined;
}

/** Faults of requests that name a magic domain, by its `behavior`, with effects as `resolveEffect` returns them. */
export const MAGIC_FAULTS: Readonly<Record<string, Partial<InjectedFault>>> = {
  slow: { effect: { delay_ms: 3 * SECOND, delay: 'before' } },
  server_error: {
    error: new CodedError('internal_error', 'server-error.test: fails on purpose'),
  },
  rate_limited: {
    error: new CodedError('rate_limited', 'rate-limited.test: always limited', {
      retryAfterSeconds: 2,
    }),
  },
};
