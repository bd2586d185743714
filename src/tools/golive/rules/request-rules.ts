import { type Evidence, isAccepted, isOwn, type RequestActivity } from '../activity.ts';
import { requestEvidence, requestsEvidence } from '../evidence.ts';
import { type AnyRule, BoundedMap, type Observe, rule } from '../rule.ts';

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
  evidence: () => ReturnType<typeof requestEvidence>,
  observe: Observe,
) {
  const count = habits.set(client, (habits.get(client) ?? 0) + 1);
  if (count < MIN_REQUESTS) return;
  observe('met', evidence(), { count: count === MIN_REQUESTS ? MIN_REQUESTS : 1 });
}

function afterNRequests(
  item: string,
  isRight: (request: RequestActivity) => boolean,
  isWrong: (request: RequestActivity) => boolean,
  evidence = requestEvidence,
): AnyRule {
  return rule({
    item,
    reads: ['request'],
    start: (): Habits => new BoundedMap(),
    observe(habits, request, observe) {
      if (isWrong(request)) observe('contradicted', evidence(request));
      if (isRight(request)) countHabit(habits, request.client, () => evidence(request), observe);
    },
  });
}

/** A mistake in signing that only certain requests can show. */
function signedRight(
  item: string,
  isTelling: (request: RequestActivity) => boolean,
  mistake: RegExp,
): AnyRule {
  return rule({
    item,
    reads: ['request'],
    observe(_, request, observe) {
      if (request.admitted && isTelling(request)) observe('met', requestEvidence(request));
      if (request.code !== 'invalid_signature' || !isOwn(request)) return;
      if (request.mistake === undefined || !mistake.test(request.mistake)) return;
      observe('contradicted', requestEvidence(request, `mistake ${request.mistake}`));
    },
  });
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

export const REQUEST_RULES: readonly AnyRule[] = [
  afterNRequests(
    'request.fresh_nonce',
    ({ admitted }) => admitted,
    (request) => request.code === 'replay_detected' && isOwn(request),
  ),
  rule({
    item: 'request.clock',
    reads: ['request'],
    start: () => ({ habits: new BoundedMap<number>(), wrong: new BoundedMap<RequestActivity[]>() }),
    observe({ habits, wrong }, request, observe) {
      const { client, admitted, timestampOffsetMs } = request;
      if (request.code === 'invalid_timestamp' && isOwn(request)) {
        const inARow = [...(wrong.get(client) ?? []), request];
        wrong.set(client, inARow);
        if (inARow.length < WRONG_TIMESTAMPS) return;
        wrong.delete(client);
        observe('contradicted', requestsEvidence(inARow));
        return;
      }
      if (wrong.size > 0) wrong.delete(client);
      if (!admitted || timestampOffsetMs === undefined) return;
      if (Math.abs(timestampOffsetMs) > MAX_CLOCK_OFFSET_MS) return;
      countHabit(habits, client, () => requestEvidence(request), observe);
    },
  }),
  signedRight('request.query_encoding', hasUnusualQuery, /^query_/),
  signedRight(
    'request.body_bytes',
    ({ method, hasNonAsciiBody = false }) => /^(POST|PUT)$/.test(method) && hasNonAsciiBody,
    /^(body_|empty_body_)/,
  ),
  afterNRequests(
    'request.secret_kept',
    ({ admitted, hasSecret }) => admitted && !hasSecret,
    ({ hasSecret = false }) => hasSecret,
    (request) =>
      loggedEvidence(request, request.hasSecret && 'the request has a credential’s secret'),
  ),
  afterNRequests(
    'request.known_fields',
    ({ admitted, warnings = [] }) => admitted && warnings.length === 0,
    (request) => isAccepted(request) && (request.warnings ?? []).length > 0,
    (request) => loggedEvidence(request, request.warnings?.[0]),
  ),
];

function loggedEvidence({ id, at }: RequestActivity, what: string | false | undefined): Evidence {
  return { kind: 'request', id, at, text: what || 'admitted request' };
}
