import {
  type ActivityEvidence,
  evidenceOf,
  isAccepted,
  isOwn,
  type RequestActivity,
} from '../activity.ts';
import { advice, type BehaviorRule, BoundedMap, must, type Observe, type Rule } from '../rule.ts';

/** How many right requests show a habit. */
const MIN_REQUESTS = 20;
const MAX_CLOCK_OFFSET_MS = 30_000;
/** Consecutive rejected timestamps that show a wrong clock. */
const WRONG_TIMESTAMPS = 3;

/** How many right requests each client has sent. */
type Habits = BoundedMap<number>;

/** Observes `met` at the twentieth right request of a client, and each one after it. */
function countHabit(
  habits: Habits,
  client: string,
  shown: RequestActivity | ActivityEvidence,
  observe: Observe,
) {
  const count = (habits.get(client) ?? 0) + 1;
  habits.set(client, count);
  if (count < MIN_REQUESTS) return;
  observe('met', shown, { count: count === MIN_REQUESTS ? MIN_REQUESTS : 1 });
}

function afterNRequests(
  isRight: (request: RequestActivity) => boolean,
  isWrong: (request: RequestActivity) => boolean,
  evidence: (request: RequestActivity) => RequestActivity | ActivityEvidence = (request) => request,
): Rule<Habits> {
  return {
    start: (): Habits => new BoundedMap(),
    observe(habits, request, observe) {
      if (isWrong(request)) observe('contradicted', evidence(request));
      if (isRight(request)) countHabit(habits, request.client, evidence(request), observe);
    },
  };
}

/** A mistake in signing that only certain requests can show. */
function signedRight(isTelling: (request: RequestActivity) => boolean, mistake: RegExp): Rule {
  return {
    observe(_, request, observe) {
      if (request.admitted && isTelling(request)) observe('met', request);
      if (request.code !== 'invalid_signature' || !isOwn(request)) return;
      if (request.mistake === undefined || !mistake.test(request.mistake)) return;
      observe('contradicted', evidenceOf(request, `mistake ${request.mistake}`));
    },
  };
}

function hasUnusualQuery({ query }: RequestActivity): boolean {
  if (!query.includes('%20')) return false;
  const decoded = decode(query);
  return decoded.includes(' ') && /[!'()*]|[^\0-\x7f]/.test(decoded);
}

function decode(query: string): string {
  try {
    return decodeURIComponent(query);
  } catch {
    return '';
  }
}

export const REQUEST_RULES: readonly BehaviorRule[] = [
  must('request.fresh_nonce', {
    title: 'Send a new nonce with each request',
    met: '20 requests of one client were admitted.',
    contradicted: 'A nonce was used twice.',
    steps: ['Create a nonce for each attempt, retries included. 20 requests show it.'],
    ...afterNRequests(
      ({ admitted }) => admitted,
      (request) => request.code === 'replay_detected' && isOwn(request),
    ),
  }),
  must('request.clock', {
    title: 'Send the current time',
    met: '20 admitted requests of one client had a timestamp at most 30 s off.',
    contradicted: 'Three timestamps in a row were rejected.',
    steps: [
      'Send Unix seconds in X-Service-Timestamp. 20 requests show it. Check the clock with:',
      'sandlot doctor',
    ],
    start: () => ({ habits: new BoundedMap<number>(), wrong: new BoundedMap<RequestActivity[]>() }),
    observe({ habits, wrong }, request, observe) {
      const { client, admitted, timestampOffsetMs } = request;
      if (request.code === 'invalid_timestamp' && isOwn(request)) {
        const inARow = [...(wrong.get(client) ?? []), request];
        wrong.set(client, inARow);
        if (inARow.length < WRONG_TIMESTAMPS) return;
        wrong.delete(client);
        observe('contradicted', inARow);
        return;
      }
      if (wrong.size > 0) wrong.delete(client);
      if (!admitted || timestampOffsetMs === undefined) return;
      if (Math.abs(timestampOffsetMs) > MAX_CLOCK_OFFSET_MS) return;
      countHabit(habits, client, request, observe);
    },
  }),
  must('request.query_encoding', {
    title: 'Sign a query with special characters',
    needs: ['discovery'],
    met: "An admitted query had a space and one of ! ' ( ) * or a non-ASCII character.",
    contradicted: 'A signature was wrong because of the query.',
    steps: ['Search for `café (bar)!`.'],
    ...signedRight(hasUnusualQuery, /^query_/),
  }),
  advice('request.body_bytes', {
    title: 'Sign a body with non-ASCII characters',
    needs: ['sales'],
    met: 'An admitted body had a non-ASCII character.',
    contradicted: 'A signature was wrong because of the body.',
    steps: ['Place an order for a buyer named `Zoë`.'],
    ...signedRight(
      ({ method, hasNonAsciiBody = false }) => /^(POST|PUT)$/.test(method) && hasNonAsciiBody,
      /^(body_|empty_body_)/,
    ),
  }),
  must('request.secret_kept', {
    title: 'Never send the secret',
    met: '20 admitted requests of one client did not contain a secret.',
    contradicted: 'A request contained the secret of a credential.',
    steps: ['Keep the secret on your server. 20 requests without it show it.'],
    ...afterNRequests(
      ({ admitted, hasSecret }) => admitted && !hasSecret,
      ({ hasSecret = false }) => hasSecret,
      (request) =>
        loggedEvidence(request, request.hasSecret && 'the request has a credential’s secret'),
    ),
  }),
  advice('request.known_endpoints', {
    title: 'Request only endpoints that exist',
    met: '20 requests of one client were admitted.',
    contradicted: 'A request was to an endpoint that does not exist.',
    steps: [
      'Send 20 requests to endpoints that exist. List the others with:',
      'sandlot requests list --where endpoint:unknown',
    ],
    ...afterNRequests(
      ({ admitted }) => admitted,
      ({ failedCheck }) => failedCheck === 'route',
      (request) =>
        loggedEvidence(
          request,
          request.failedCheck === 'route' && `no such endpoint: ${request.method} ${request.path}`,
        ),
    ),
  }),
  advice('request.known_fields', {
    title: 'Send only known fields and parameters',
    met: '20 admitted requests of one client had no unknown parameters or fields.',
    contradicted: 'An accepted request had an unknown parameter or field.',
    steps: [
      'Send 20 requests without a warning. Read the warnings of a request with:',
      'sandlot requests show ID',
    ],
    ...afterNRequests(
      ({ admitted, warnings = [] }) => admitted && warnings.length === 0,
      (request) => isAccepted(request) && (request.warnings ?? []).length > 0,
      (request) => loggedEvidence(request, request.warnings?.[0]),
    ),
  }),
];

function loggedEvidence(
  { id, at }: RequestActivity,
  what: string | false | undefined,
): ActivityEvidence {
  return { kind: 'request', id, at, text: what || 'admitted request' };
}
