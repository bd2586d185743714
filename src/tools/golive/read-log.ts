import { nextTurn } from '../../kernel/timers.ts';
import type { RequestLogEntry } from '../../requests/log-entry.ts';
import { headerOf } from '../../requests/logged-request.ts';
import type { RequestLog } from '../../requests/request-log.ts';
import type { World } from '../../world/world.ts';
import type { Worlds } from '../../world/worlds.ts';
import { type Activity, RECEIVER_TEST, requestOf } from './activity.ts';
import { Credentials } from './credentials.ts';
import { Observations, Observer } from './observations.ts';

/** How many entries are read before other requests are served. */
const SLICE = 250;
/** A restart moves the real time of monotonic 0 by more; on a busy machine, that is not exact. */
const CLOCK_TOLERANCE_MS = 30_000;

/** Control API calls that are boundaries: requests after them are unrelated to requests before them. */
const BOUNDARIES = new Set(['/_sandbox/reset', '/_sandbox/snapshots/:name/restore']);

/** What the request log shows of integrations. */
export interface Observed {
  observations: Observations;
  worlds: string[];
  requests: number;
  attempts: number;
  /** How many requests the log no longer has. */
  dropped: number;
}

interface Logs {
  requests: RequestLog;
  worlds: Worlds;
}

/** Runs the rules over the request log and the webhook attempts: of one world, or of all, deleted ones included. */
export async function observe({ requests, worlds }: Logs, world?: World): Promise<Observed> {
  const observations = new Observations();
  const counts = { requests: 0, attempts: 0, dropped: 0 };
  const names = new Set<string>();
  const credentials = new Credentials(worlds);
  for (const name of world ? [world.name] : requests.worldNames()) {
    const observer = new Observer(name, observations);
    const see = (activity: Activity) => {
      observer.observe(activity);
      if (activity.kind === 'request') {
        // Frees the parsed bodies: the rules may keep the request.
        activity.input = undefined;
        activity.response = undefined;
        if (activity.api !== 'partner') return;
      }
      names.add(name);
      counts[`${activity.kind}s`] += 1;
    };
    const attempts = requests.attempts(name);
    // `after` is the `seq` of the entry that precedes the attempt.
    const seeAttemptsBefore = (seq: number) => {
      for (let [next] = attempts; next && next.after < seq; [next] = attempts) {
        attempts.shift();
        if (!credentials.leavesOut(name, next)) see({ kind: 'attempt', ...next });
      }
    };
    let processStart: number | undefined;
    for (let first = 1, slice: RequestLogEntry[]; ; first = (slice.at(-1)?.seq ?? 0) + 1) {
      slice = requests.history(name, first, SLICE);
      for (const entry of slice) {
        seeAttemptsBefore(entry.seq);
        // The real time of monotonic 0. Rules compare monotonic times, which is possible only within a process.
        const start = entry.receivedAt - entry.startedMs;
        if (Math.abs(start - (processStart ?? start)) > CLOCK_TOLERANCE_MS) observer.reset();
        processStart = start;
        const activity = activityOf(entry, credentials);
        if (activity === 'boundary') observer.reset();
        else if (activity) see(activity);
      }
      if (slice.length < SLICE) break;
      await nextTurn();
    }
    seeAttemptsBefore(Number.POSITIVE_INFINITY);
    counts.dropped += requests.dropped(name);
  }
  return { observations, worlds: [...names], ...counts };
}

/** Returns the activity that an entry shows, if any. Adds a credential that it created to `credentials`. */
function activityOf(
  entry: RequestLogEntry,
  credentials: Credentials,
): Activity | 'boundary' | undefined {
  const { api, endpoint, status } = entry;
  if (api === 'control') {
    if (status === null || status >= 300) return undefined;
    if (endpoint === '/_sandbox/credentials') credentials.addCreated(entry);
    if (BOUNDARIES.has(endpoint ?? '')) return 'boundary';
    return endpoint === RECEIVER_TEST ? requestOf(entry, undefined) : undefined;
  }
  const userAgent = headerOf(entry.request.headers, 'user-agent');
  // Requests of sandlot itself show nothing about an integration.
  if (userAgent?.startsWith('sandlot/')) return undefined;
  return api === 'partner' && credentials.isLeftOut(entry)
    ? undefined
    : requestOf(entry, userAgent);
}
