import { evidenceOf, identityOf } from '../activity.ts';
import type { RequestActivity } from '../request-activity.ts';
import { advice, BoundedMap, Failures, type ItemRule, must } from '../rule.ts';

const TOLERANCE_MS = 50;
const BACK_OFF_MS = 100;
/** A request and its retries that get this many 500s within the time retry without backing off. */
const MAX_ERRORS = 10;
const ERRORS_WITHIN_MS = 2_000;
/** A retry cannot help against these. */
const NOT_RETRYABLE = new Set([400, 401, 403, 404, 409, 422]);
/** How often one fault may reject an identical request. */
const MAX_REPEATED = 3;

export const RETRY_RULES: readonly ItemRule[] = [
  must('retry.after_429', {
    title: 'Wait for Retry-After before a retry',
    met: 'A retry began when Retry-After was over.',
    contradicted: 'Two retries in a row began earlier.',
    steps: [
      'sandlot faults add --path P --status 429 --first 3',
      'Request this path. Retry after the seconds in Retry-After.',
    ],
    // A chain has the requests that began too early, if the newest did.
    start: () => new Failures(),
    observe(limited, request, observe) {
      const failed = limited.repeatedBy(request);
      let early: readonly RequestActivity[] = [];
      if (failed) {
        const waited = request.startedAt - failed.request.endedAt;
        const isEarly = waited < (failed.request.retryAfterSeconds ?? 0) * 1_000 - TOLERANCE_MS;
        if (isEarly) early = [...failed.chain, failed.request];
        else observe('met', evidenceOf(request, `${Math.floor(waited)} ms after a 429`));
        if (early.length === 2) {
          observe('contradicted', [...early, request]);
          early = [];
        }
        limited.delete(request);
      }
      if (request.status === 429 && request.complete) limited.add(request, early);
    },
  }),
  must('retry.after_500', {
    title: 'Retry with a back-off after a 500',
    met: 'A retry began 100 ms or more after a 500.',
    contradicted: 'A request and its retries got 500 ten times within 2 s.',
    steps: [
      'sandlot faults add --path P --code internal_error --first 2',
      'Request this path. Retry after at least 100 ms.',
    ],
    start: () => new Failures(),
    observe(failing, request, observe) {
      const failed = failing.repeatedBy(request);
      if (failed && request.startedAt - failed.request.endedAt >= BACK_OFF_MS) {
        observe('met', evidenceOf(request, 'retried after a 500'));
      }
      if (failed) failing.delete(request);
      if (request.status !== 500 || !request.complete) return;
      const errors = [...(failed?.chain ?? []), request].slice(-MAX_ERRORS);
      const [first = request] = errors;
      if (errors.length === MAX_ERRORS && request.endedAt - first.endedAt <= ERRORS_WITHIN_MS) {
        observe('contradicted', errors);
        return;
      }
      failing.add(request, errors);
    },
  }),
  advice('retry.after_closed', {
    title: 'Retry a GET whose connection was closed',
    met: 'A GET whose connection was closed was retried.',
    steps: [
      'sandlot faults add --method GET --path P --drop before --times 2',
      'Request this path. Retry.',
    ],
    start: () => new Failures(),
    observe(closed, request, observe) {
      if (request.method !== 'GET') return;
      const failed = closed.repeatedBy(request);
      if (failed) observe('met', [failed.request, request]);
      if (!request.complete) closed.add(request);
    },
  }),
  advice('retry.skips_4xx', {
    title: 'Do not retry an error that no retry can change',
    met: 'A fault or a magic domain rejected a request with a 4xx that no retry can change.',
    contradicted: 'The same fault rejected three identical requests.',
    steps: [
      'sandlot faults add --path P --code validation_error --first 3',
      'Request this path once.',
    ],
    start: () => new BoundedMap<RequestActivity[]>(),
    observe(rejected, request, observe) {
      const { injectedBy, status, complete } = request;
      if (!injectedBy || !complete || !NOT_RETRYABLE.has(status)) return;
      observe('met', request);
      if (injectedBy.kind !== 'fault') return;
      const key = `${injectedBy.id} ${identityOf(request)}`;
      const repeated = [...(rejected.get(key) ?? []), request];
      rejected.set(key, repeated);
      if (repeated.length < MAX_REPEATED) return;
      observe('contradicted', repeated);
      rejected.delete(key);
    },
  }),
];
