import type { Annotate } from '../../requests/log-entry.ts';
import type { Check, Detail } from '../../requests/trace.ts';
import type { Endpoint } from '../endpoint.ts';
import { inputWarnings } from './input-warnings.ts';

/** What the declaration of an endpoint adds to a check; it is not stored with each entry. */
const DECLARED: Partial<Record<Check, (endpoint: Endpoint) => Detail>> = {
  route: ({ path }) => ({ endpoint: path }),
  scope: ({ scopes }) => ({ needs: scopes }),
  rate_limit: ({ rateClass }) => ({ class: rateClass }),
};

export function annotateWith(endpoints: readonly Endpoint[]): Annotate {
  const declared = new Map(endpoints.map((each) => [`${each.method} ${each.path}`, each]));
  return function annotate(entry) {
    const method = entry.method === 'HEAD' ? 'GET' : entry.method;
    const endpoint = declared.get(`${method} ${entry.endpoint}`);
    if (!endpoint) return entry;
    return {
      ...entry,
      trace: entry.trace.map((step) => {
        const detail = DECLARED[step.check]?.(endpoint);
        return detail ? { ...step, detail: { ...detail, ...step.detail } } : step;
      }),
      warnings: inputWarnings(endpoint, entry.target, entry.request.body ?? ''),
    };
  };
}
