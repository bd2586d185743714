import { nextTurn } from '../../kernel/timers.ts';
import type { RequestLogEntry } from '../../requests/log-entry.ts';
import { headerOf } from '../../requests/logged-request.ts';
import type { RequestLog } from '../../requests/request-log.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { World } from '../../world/world.ts';
import { type Activity, RECEIVER_TEST, requestOf } from './activity.ts';
import { CredentialFilter } from './credentials.ts';
import { Observations, Observer } from './observations.ts';

/** How many entries are read at once. */
const SLICE_ENTRIES = 250;
/** The real time of monotonic 0 varies by less in a process on a busy machine, and is usually later by more after a restart. */
const CLOCK_TOLERANCE_MS = 30_000;

/** What follows a restore is unrelated to what precedes it. A reset or deletion of the world is marked among the attempts. */
const RESTORE = '/_sandbox/snapshots/:name/restore';

/** What the request log shows of integrations. */
export interface Observed {
  observations: Observations;
  worlds: string[];
  requests: number;
  attempts: number;
  /** How many requests the log no longer has. */
  dropped: number;
}

type Sources = Pick<Sandbox, 'requests' | 'worlds'>;

/** Runs the rules over the request log and the webhook attempts: of one world, or of all, deleted ones included. */
export async function observe({ requests, worlds }: Sources, world?: World): Promise<Observed> {
  const observations = new Observations();
  const observed: Observed = { observations, worlds: [], requests: 0, attempts: 0, dropped: 0 };
  const credentials = new CredentialFilter(worlds);
  for (const name of world ? [world.name] : requests.worldNames()) {
    const observer = new Observer(name, observations);
    const before = observed.requests + observed.attempts;
    for await (const activities of slicesOf(name, requests, credentials)) {
      for (const activity of activities) {
        if (activity === 'boundary') observer.reset();
        else add(activity, observer, observed);
      }
    }
    if (observed.requests + observed.attempts > before) observed.worlds.push(name);
    observed.dropped += requests.dropped(name);
  }
  return observed;
}

function add(activity: Activity, observer: Observer, observed: Observed): void {
  observer.observe(activity);
  if (activity.kind === 'attempt') {
    observed.attempts += 1;
    return;
  }
  if (activity.api === 'partner') observed.requests += 1;
  // Frees the parsed bodies: the rules may keep the request.
  activity.input = undefined;
  activity.response = undefined;
}

/** Reads what happened in a world, oldest first, in slices, between which other requests are served. */
async function* slicesOf(
  world: string,
  requests: RequestLog,
  credentials: CredentialFilter,
): AsyncGenerator<(Activity | 'boundary')[]> {
  const attempts = requests.attempts(world);
  let nextAttempt = 0;
  // `after` is the `seq` of the entry before. `attempt` is null where the world was reset or deleted.
  const takeAttemptsBefore = (seq: number): (Activity | 'boundary')[] => {
    const first = nextAttempt;
    while ((attempts[nextAttempt]?.after ?? Number.POSITIVE_INFINITY) < seq) nextAttempt += 1;
    return attempts.slice(first, nextAttempt).flatMap(({ attempt }) => {
      if (attempt === null) return 'boundary';
      return credentials.ignoresAttempt(world, attempt) ? [] : { kind: 'attempt', ...attempt };
    });
  };
  let processOrigin: number | undefined;
  const activitiesUpTo = (entry: RequestLogEntry): (Activity | 'boundary')[] => {
    const activities = takeAttemptsBefore(entry.seq);
    // The real time of monotonic 0. Rules compare monotonic times, which is possible only within a process.
    const origin = entry.receivedAt - entry.startedMs;
    if (Math.abs(origin - (processOrigin ?? origin)) > CLOCK_TOLERANCE_MS) {
      activities.push('boundary');
    }
    processOrigin = origin;
    const activity = activityOf(entry, credentials);
    if (activity) activities.push(activity);
    return activities;
  };
  for (let first = 1; ; ) {
    const entries = requests.history(world, first, SLICE_ENTRIES);
    yield entries.flatMap(activitiesUpTo);
    const last = entries.at(-1);
    if (last === undefined || entries.length < SLICE_ENTRIES) break;
    first = last.seq + 1;
    await nextTurn();
  }
  yield [...takeAttemptsBefore(Number.POSITIVE_INFINITY), 'boundary'];
}

/** Returns the activity that an entry shows, if any. Adds a credential that it created to `credentials`. */
function activityOf(
  entry: RequestLogEntry,
  credentials: CredentialFilter,
): Activity | 'boundary' | undefined {
  const { api, endpoint, status } = entry;
  if (api === 'control') {
    if (status === null || status >= 300) return undefined;
    if (endpoint === '/_sandbox/credentials') credentials.addCreated(entry);
    if (endpoint === RESTORE) return 'boundary';
    return endpoint === RECEIVER_TEST ? requestOf(entry, undefined) : undefined;
  }
  const { headers } = entry.request;
  const userAgent = headerOf(headers, 'user-agent');
  const isFromReference = headerOf(headers, 'referer')?.includes('/_sandbox/reference');
  // Requests of sandlot itself show nothing about an integration.
  if (isFromReference || userAgent?.startsWith('sandlot/')) return undefined;
  const isIgnored = api === 'partner' && credentials.ignoresRequest(entry);
  return isIgnored ? undefined : requestOf(entry, userAgent);
}
