import { evidenceOf, identityOf } from '../activity.ts';
import type { RequestActivity } from '../request-activity.ts';
import { advice, Failures, type ItemRule, must } from '../rule.ts';

const TOLERANCE_MS = 50;
const BACK_OFF_MS = 100;
/** So many 500s of a request and its retries within the time show that they do not back off. */
const MAX_ERRORS = 10;
const ERRORS_WITHIN_MS = 2_000;
/** Statuses that a retry cannot change. */
const NOT_RETRYABLE = new Set([400, 401, 403, 404, 409, 422]);
/** So many identical requests rejected by one fault contradict the item. */
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
    // The chain of a failure contains retries in a row that began too early.
    start: () => new Failures(),
    observe(failures, request, observe) {
      const failure = failures.findRepeated(request);
      let earlyRequests: readonly RequestActivity[] = [];
      if (failure) {
        const waitMs = request.startedAt - failure.request.endedAt;
        const isEarly = waitMs < (failure.request.retryAfterSeconds ?? 0) * 1_000 - TOLERANCE_MS;
        if (isEarly) earlyRequests = [...failure.chain, failure.request];
        else observe('met', evidenceOf(request, `${Math.floor(waitMs)} ms after a 429`));
        if (earlyRequests.length === 2) {
          observe('contradicted', [...earlyRequests, request]);
          earlyRequests = [];
        }
        failures.delete(request);
      }
      if (request.status === 429 && request.complete) failures.add(request, earlyRequests);
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
    observe(failures, request, observe) {
      const failure = failures.findRepeated(request);
      if (failure && request.startedAt - failure.request.endedAt >= BACK_OFF_MS) {
        observe('met', evidenceOf(request, 'retried after a 500'));
      }
      if (failure) failures.delete(request);
      if (request.status !== 500 || !request.complete) return;
      const errors = [...(failure?.chain ?? []), request].slice(-MAX_ERRORS);
      const [first = request] = errors;
      if (errors.length === MAX_ERRORS && request.endedAt - first.endedAt <= ERRORS_WITHIN_MS) {
        observe('contradicted', errors);
        return;
      }
      failures.add(request, errors);
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
    observe(failures, request, observe) {
      if (request.method !== 'GET') return;
      const failure = failures.findRepeated(request);
      if (failure) observe('met', [failure.request, request]);
      if (!request.complete) failures.add(request);
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
    start: () => new Map<string, RequestActivity[]>(),
    observe(rejections, request, observe) {
      const { injectedBy, status, complete } = request;
      if (!injectedBy || !complete || !NOT_RETRYABLE.has(status)) return;
      observe('met', request);
      if (injectedBy.kind !== 'fault') return;
      const key = `${injectedBy.id} ${identityOf(request)}`;
      const requests = [...(rejections.get(key) ?? []), request];
      rejections.set(key, requests);
      if (requests.length < MAX_REPEATED) return;
      observe('contradicted', requests);
      rejections.delete(key);
    },
  }),
];
