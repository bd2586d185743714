import type { RequestLogEntry } from '../../requests/log-entry.ts';
import type { RequestLog } from '../../requests/request-log.ts';
import type { RequestRun } from '../../world/run.ts';
import type { World } from '../../world/world.ts';
import { LINE_SCHEMAS, type RequestRecord } from './format.ts';
import { replayedHeaders } from './replayed-headers.ts';

/** The requests of a world since it began. */
interface LoggedRequests {
  /** In the order of their runs, numbered from 1. */
  requests: RequestRecord[];
  /** Numbers of all runs in the log, also those that began before the world or that no replay repeats. */
  runs: readonly number[];
  /** SHA-256 of the bodies as sent, by the ID of the request; null for an empty one. */
  sentHashes: ReadonlyMap<string, string | null>;
}

/**
 * Reads the requests of a world. A run is a transaction of a request; the world numbers its runs in order.
 * @param firstRun number of the first run since the world began
 */
export function loggedRequests(log: RequestLog, world: World, firstRun: number): LoggedRequests {
  const entries = log.list(world, { limit: -1 }).filter(concernsWorld).reverse();
  const runs = entries.flatMap((entry) => entry.runs.map(({ n }) => n));
  // The highest run so far; entries are in the order in which they ended. It starts below runs from before the world
  // began, so that requests without a run that precede those are left out too.
  let lastRun = Math.min(firstRun, runs[0] ?? firstRun) - 1;
  const requests = entries
    .map((entry) => {
      const sortKey = sortKeyOf(entry, lastRun);
      lastRun = Math.max(lastRun, ...entry.runs.map(({ n }) => n));
      return { entry, sortKey };
    })
    .filter(({ sortKey }) => sortKey >= firstRun - 1)
    .filter(({ entry }) => entry.runs.every(({ n }) => n >= firstRun))
    .sort((a, b) => a.sortKey - b.sortKey)
    .map(({ entry }, index) => recordOf(entry, index + 1, world));
  const sentHashes = new Map(entries.map(({ requestId, bodySha256 }) => [requestId, bodySha256]));
  return { requests, runs, sentHashes };
}

/** Whether a request concerns its world: not a control API call without a run, such as the creation of another world. */
export function concernsWorld({ api, runs, status, request }: RequestLogEntry): boolean {
  // A rejected one is kept, unless the log lacks a part of its body, so that it cannot be sent again.
  const isRepeatable = (status ?? 0) >= 400 && request.altered !== 'truncated';
  return api !== 'control' || runs.length > 0 || isRepeatable;
}

/** Whether the log lacks a run from the first to the last one of these requests. */
export function lacksRuns({ requests, runs }: LoggedRequests, firstRun: number): boolean {
  // A log can have more requests than a function takes arguments.
  const last = requests.reduce(
    (max, request) => Math.max(max, request.runs.at(-1)?.n ?? 0),
    firstRun - 1,
  );
  const logged = new Set(runs.filter((n) => n >= firstRun && n <= last));
  return logged.size < last - firstRun + 1;
}

type RunRequest = Pick<RequestRecord, 'api' | 'target'> & { runs: readonly RequestRun[] };

/**
 * Returns the run at whose place and time a replay sends a request: the last of a control API call, which determines its
 * effect, but the first of a call that moves the clock, and of any other request.
 */
export function mainRun({ api, target, runs }: RunRequest): RequestRun | undefined {
  return api === 'control' && !/^\/_sandbox\/clock\b/.test(target) ? runs.at(-1) : runs[0];
}

/** Returns the requests up to a target, and those that ran while one of these waited for an injected delay. */
export function requestsUntil(
  requests: readonly RequestRecord[],
  target: RequestRecord,
): RequestRecord[] {
  let lastRun = 0;
  let count = 0;
  for (const [index, request] of requests.entries()) {
    if (request.n > target.n) {
      const run = mainRun(request);
      if (run === undefined) continue;
      if (run.n > lastRun) break;
    }
    lastRun = Math.max(lastRun, ...request.runs.map(({ n }) => n));
    count = index + 1;
  }
  return requests.slice(0, count);
}

/** Returns the place of a request in the order of runs; just after `lastRun`, the highest so far, if it has none. */
export function sortKeyOf(request: RunRequest, lastRun: number): number {
  return mainRun(request)?.n ?? lastRun + 0.5;
}

function recordOf(entry: RequestLogEntry, n: number, world: World): RequestRecord {
  // A replay has only the world of the log. A call about a key may name any that exists: with 404, it named none.
  const isNamed = entry.api === 'control' && entry.status !== 404;
  const target = isNamed ? entry.target.replace(/(?<=[?&]world=)[^&]*/, world.name) : entry.target;
  const headers = replayedHeaders(entry.request.headers, entry.bodyRejection !== null);
  const request = { ...entry.request, headers };
  return LINE_SCHEMAS.request.parse({ ...entry, kind: 'request', n, target, request });
}

/** The outcome of a request. A record has these fields too, as recorded. */
export type ReplayedResponse = Pick<RequestLogEntry, 'status' | 'code' | 'response' | 'trace'>;
