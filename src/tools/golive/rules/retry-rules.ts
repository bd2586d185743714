import { evidenceOf, type RequestActivity } from '../activity.ts';
import { advice, haveSameFault, type ItemRule, lastRetries, must, retriedBy } from '../rule.ts';

/** A client's timer may fire a little early, by its own clock. The texts of the items name the limits that follow. */
const EARLY_RETRY_TOLERANCE_MS = 50;
const MIN_BACK_OFF_MS = 100;
/** This many 500s within this time show a series of retries without a back-off. */
const ERRORS_IN_SERIES = 10;
const SERIES_MS = 2_000;
/** Statuses that a retry cannot change. */
const NOT_RETRYABLE = new Set([400, 401, 403, 404, 409, 422]);
/** This many identical requests rejected by one fault contradict the item. */
const REPEATS_IN_SERIES = 3;

/** Returns the response with the status that a request retries, and how long it waited. */
function waitAfter(status: number, request: RequestActivity) {
  const failure = retriedBy(request);
  if (!failure?.complete || failure.status !== status) return undefined;
  return { failure, waitMs: request.startedAt - failure.endedAt };
}

/** Returns the 429 that a request retries before its Retry-After is over. */
function tooEarlyAfter(request: RequestActivity): RequestActivity | undefined {
  const { failure, waitMs } = waitAfter(429, request) ?? {};
  if (!failure || waitMs === undefined) return undefined;
  const isEarly = waitMs < (failure.retryAfterSeconds ?? 0) * 1_000 - EARLY_RETRY_TOLERANCE_MS;
  return isEarly ? failure : undefined;
}

export const RETRY_RULES: readonly ItemRule[] = [
  must('retry.after_429', {
    title: 'Wait for Retry-After before a retry',
    met: 'A retry began when Retry-After was over.',
    contradicted: 'Two retries in a row began earlier.',
    steps: [
      'sandlot faults add --status 429 --first 3',
      'Send a request. Retry after the seconds in Retry-After.',
    ],
    rule: (observe) => ({
      request(request) {
        const { waitMs } = waitAfter(429, request) ?? {};
        if (waitMs === undefined) return;
        const second = tooEarlyAfter(request);
        const first = second && tooEarlyAfter(second);
        if (!second) observe('met', evidenceOf(request, `${Math.floor(waitMs)} ms after a 429`));
        else if (first) observe('contradicted', [first, second, request]);
      },
    }),
  }),
  must('retry.after_500', {
    title: 'Retry with a back-off after a 500',
    met: 'A retry began 100 ms or more after a 500.',
    contradicted: 'A request and its retries got 500 ten times within 2 s.',
    steps: [
      'sandlot faults add --code internal_error --first 2',
      'Send a request. Retry after at least 100 ms.',
    ],
    rule: (observe) => ({
      request(request) {
        const { waitMs = 0 } = waitAfter(500, request) ?? {};
        if (waitMs >= MIN_BACK_OFF_MS) observe('met', evidenceOf(request, 'retried after a 500'));
        const isError = ({ status, complete }: RequestActivity) => status === 500 && complete;
        const errors = lastRetries(request, ERRORS_IN_SERIES, isError);
        const [first = request] = errors ?? [];
        if (errors && request.endedAt - first.endedAt <= SERIES_MS) observe('contradicted', errors);
      },
    }),
  }),
  advice('retry.after_closed', {
    title: 'Retry a GET whose connection was closed',
    met: 'A GET whose connection was closed was retried.',
    steps: [
      'sandlot faults add --method GET --drop before --times 2',
      'Send a GET request. Retry.',
    ],
    rule: (observe) => ({
      request(request) {
        const failure = retriedBy(request);
        if (request.method === 'GET' && failure && !failure.complete) {
          observe('met', [failure, request]);
        }
      },
    }),
  }),
  advice('retry.skips_4xx', {
    title: 'Do not retry an error that no retry can change',
    met: 'A fault or a magic domain rejected a request with a 4xx that no retry can change.',
    contradicted: 'The same fault rejected three identical requests.',
    steps: ['sandlot faults add --code validation_error --first 3', 'Send one request.'],
    rule: (observe) => ({
      request(request) {
        const { injectedBy, status, complete } = request;
        if (!injectedBy || !complete || !NOT_RETRYABLE.has(status)) return;
        observe('met', request);
        const requests = lastRetries(
          request,
          REPEATS_IN_SERIES,
          (each) => each.complete && NOT_RETRYABLE.has(each.status) && haveSameFault(request, each),
        );
        if (requests) observe('contradicted', requests);
      },
    }),
  }),
];
