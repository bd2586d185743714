import { nextTurn } from '../../kernel/timers.ts';
import type { RequestLogEntry } from '../../requests/log-entry.ts';
import type { AttemptRow } from '../../requests/log-file.ts';
import type { RequestLogs } from '../../requests/request-logs.ts';
import type { World } from '../../world/world.ts';
import type { Worlds } from '../../world/worlds.ts';
import type { Activity, AttemptActivity } from './activity.ts';
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

/** Tells which requests and attempts the report leaves out: those of credentials made with `golive: false`. */
export class Credentials {
  /** Whether a credential counts, by key id; also of deleted ones. */
  readonly #counts = new Map<string, boolean>();
  /** Whether a partner has a credential that counts, by world, partner and environment. */
  readonly #partners = new Map<string, boolean>();

  constructor(worlds: Worlds) {
    for (const world of worlds.list()) {
      for (const { keyId, partnerId, environment, golive } of worlds.keys.of(world)) {
        this.add({ keyId, owner: `${world.name} ${partnerId} ${environment}`, golive });
      }
    }
  }

  /** Adds a credential. @param owner world, partner and environment */
  add({ keyId, owner, golive }: { keyId: string; owner: string; golive: boolean }): void {
    this.#counts.set(keyId, golive);
    this.#partners.set(owner, golive || (this.#partners.get(owner) ?? false));
  }

  /** Whether a request was sent with a credential that does not count, or with none. */
  isLeftOut({ keyId, partnerId }: RequestLogEntry): boolean {
    if (keyId === null) return true;
    // Without a partner, the key was never looked up, and may not have existed.
    return !(this.#counts.get(keyId) ?? partnerId !== null);
  }

  /** Whether a webhook attempt goes to a partner that has only credentials that do not count. */
  leavesOut(world: string, { partnerId, environment }: AttemptRow): boolean {
    return this.#partners.get(`${world} ${partnerId} ${environment}`) === false;
  }
}
