import { isOwn, type LogEntryActivity, type RequestActivity } from '../activity.ts';
import { logEntryEvidence, requestEvidence, requestsEvidence } from '../evidence.ts';
import { type AnyRule, Memory, type Observe, rule } from '../rule.ts';

/** How many right requests show a habit. */
const MIN_REQUESTS = 20;
const MAX_CLOCK_OFFSET_MS = 30_000;
/** Consecutive rejected timestamps that show a wrong clock. */
const WRONG_TIMESTAMPS = 3;

/** How many right requests each client has sent. */
type Habits = Memory<number>;

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

function habitOfRequests(
  item: string,
  isRight: (request: RequestActivity) => boolean,
  isWrong: (request: RequestActivity) => boolean,
): AnyRule {
  return rule({
    item,
    reads: ['request'],
    start: (): Habits => new Memory(),
    observe(habits, request, observe) {
      if (isWrong(request)) observe('contradicted', requestEvidence(request));
      if (isRight(request))
        countHabit(habits, request.client, () => requestEvidence(request), observe);
    },
  });
}

function habitOfEntries(
  item: string,
  isRight: (entry: LogEntryActivity) => boolean,
  wrong: (entry: LogEntryActivity) => string | undefined,
): AnyRule {
  return rule({
    item,
    reads: ['log_entry'],
    start: (): Habits => new Memory(),
    observe(habits, entry, observe) {
      const what = wrong(entry);
      if (what !== undefined) observe('contradicted', logEntryEvidence(entry, what));
      if (!entry.admitted || !isRight(entry)) return;
      countHabit(habits, entry.client, () => logEntryEvidence(entry, 'admitted request'), observe);
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
  habitOfRequests(
    'request.fresh_nonce',
    ({ admitted }) => admitted,
    (request) => request.code === 'replay_detected' && isOwn(request),
  ),
  rule({
    item: 'request.clock',
    reads: ['request'],
    start: () => ({ habits: new Memory<number>(), wrong: new Memory<RequestActivity[]>() }),
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
  habitOfEntries(
    'request.secret_kept',
    ({ hadSecret }) => !hadSecret,
    ({ hadSecret }) => (hadSecret ? 'the request has a credential’s secret' : undefined),
  ),
  habitOfEntries(
    'request.known_fields',
    ({ warnings }) => warnings.length === 0,
    ({ accepted, warnings: [warning] }) => (accepted ? warning : undefined),
  ),
];
