import { nextTurn } from '../../kernel/timers.ts';
import type { RequestLogEntry } from '../../requests/log-entry.ts';
import type { AttemptRow } from '../../requests/log-file.ts';
import type { RequestLogs } from '../../requests/request-logs.ts';
import type { World } from '../../world/world.ts';
import type { Worlds } from '../../world/worlds.ts';
import type { Activity, AttemptActivity } from './activity.ts';
import { Credentials } from './credentials.ts';
import { Observations, Observer } from './observations.ts';
import { readEntry } from './read-entry.ts';

/** How many entries are read before other requests are served. */
const SLICE = 250;
/** A restart changes the difference of real and monotonic time by more; on a busy machine, it is not exact. */
const CLOCK_TOLERANCE_MS = 30_000;

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
  requests: RequestLogs;
  worlds: Worlds;
}

/** Runs the rules over the request log and the webhook attempts: of one world, or of all, deleted ones included. */
export async function observe({ requests, worlds }: Logs, world?: World): Promise<Observed> {
  const observed: Observed = {
    observations: new Observations(),
    worlds: [],
    requests: 0,
    attempts: 0,
    dropped: 0,
  };
  const credentials = new Credentials(worlds);
  for (const { world: name, log } of requests.histories(world)) {
    const observer = new Observer(name, observed.observations);
    const count = { requests: 0, attempts: 0 };
    const see = (activity: Activity) => {
      observer.observe(activity);
      if (activity.kind === 'attempt') count.attempts += 1;
      if (activity.kind !== 'request') return;
      count.requests += 1;
      // The rules may keep the request, but never its bodies.
      activity.input = undefined;
      activity.response = undefined;
    };
    const attempts = log.attempts();
    const seeAttempts = (seq: number) => {
      for (let [next] = attempts; next && next.after < seq; [next] = attempts) {
        attempts.shift();
        if (!credentials.leavesOut(name, next)) see(attemptOf(next));
      }
    };
    let processStart = Number.NaN;
    for (let first = 1, slice: RequestLogEntry[]; ; first = (slice.at(-1)?.seq ?? 0) + 1) {
      slice = log.history(first, SLICE);
      for (const entry of slice) {
        seeAttempts(entry.seq);
        const start = entry.receivedAt - entry.startedMs;
        // The monotonic clock of another process is another one.
        if (Math.abs(start - processStart) > CLOCK_TOLERANCE_MS) observer.reset();
        processStart = start;
        const activity = readEntry(entry, credentials);
        if (activity === 'boundary') observer.reset();
        else if (activity) see(activity);
      }
      if (slice.length < SLICE) break;
      await nextTurn();
    }
    seeAttempts(Number.POSITIVE_INFINITY);
    if (count.requests + count.attempts > 0) observed.worlds.push(name);
    observed.requests += count.requests;
    observed.attempts += count.attempts;
    observed.dropped += log.dropped;
  }
  observed.worlds = [...new Set(observed.worlds)];
  return observed;
}

function attemptOf(row: AttemptRow): AttemptActivity {
  return {
    kind: 'attempt',
    id: row.deliveryId,
    at: row.at,
    event: row.eventId,
    type: row.eventType,
    subject: row.subjectId,
    orderStatus: row.orderStatus ?? undefined,
    signature: row.isForged ? 'forged' : 'valid',
    outcome: row.outcome,
    status: row.httpStatus,
  };
}
