import type { RequestLogEntry } from '../../requests/log-entry.ts';
import type { RequestLog } from '../../requests/request-log.ts';
import type { RequestRun } from '../../world/run.ts';
import type { World } from '../../world/world.ts';
import { LINE_SCHEMAS, type RequestRecord } from './format.ts';
import { replayedHeaders } from './replayed-headers.ts';

/** The requests of a world since it began, in the order in which they ran. */
interface LoggedRequests {
  requests: RequestRecord[];
  /** Whether the log has lost some of them. */
  isIncomplete: boolean;
}

/** Reads the requests of a world. @param first number of the first run since the world began */
export function loggedRequests(log: RequestLog, world: World, first: number): LoggedRequests {
  const entries = log.list(world, { limit: -1 }).reverse();
  let last = first - 1;
  const requests = entries
    .map((entry) => {
      const place = placeOf(entry, last);
      last = Math.max(last, ...entry.runs.map(({ n }) => n));
      return { entry, place };
    })
    .filter(({ entry: { api, runs, status, request }, place }) => {
      // A call that ran in no world, such as the creation of another one, does not concern this one.
      const isRejected = (status ?? 0) >= 400 && request.altered !== 'truncated';
      const concerns = api !== 'control' || runs.length > 0 || isRejected;
      return concerns && place >= first - 1 && runs.every(({ n }) => n >= first);
    })
    .sort((a, b) => a.place - b.place)
    .map(({ entry }, index) => recordOf(entry, index + 1));
  const runs = new Set(entries.flatMap((entry) => entry.runs.map(({ n }) => n)));
  const kept = [...runs].filter((n) => n >= first);
  return { requests, isIncomplete: kept.length < last - first + 1 };
}

const CLOCK = /^\/_sandbox\/clock\b/;

type RunRequest = Pick<RequestRecord, 'api' | 'target'> & { runs: readonly RequestRun[] };

/** Returns the run at which a replay sends a request. The last transaction of a control call determines its effect. */
export function mainRun({ api, target, runs }: RunRequest): RequestRun | undefined {
  return api === 'control' && !CLOCK.test(target) ? runs.at(-1) : runs[0];
}

/** Returns the requests up to a target, and those that ran while one of these waited for an injected delay. */
export function requestsUntil(
  requests: readonly RequestRecord[],
  target: RequestRecord,
): RequestRecord[] {
  let last = 0;
  let count = 0;
  for (const [index, request] of requests.entries()) {
    if (request.n > target.n) {
      const run = mainRun(request);
      if (run === undefined) continue;
      if (run.n > last) break;
    }
    last = Math.max(last, ...request.runs.map(({ n }) => n));
    count = index + 1;
  }
  return requests.slice(0, count);
}

/** Returns what a request is sorted by. @param before what one without a run follows: the last run of those that ended */
export function placeOf(request: RunRequest, before: number): number {
  return mainRun(request)?.n ?? before + 0.5;
}

function recordOf(entry: RequestLogEntry, n: number): RequestRecord {
  const { request, bodyRejection } = entry;
  const headers = replayedHeaders(request.headers, bodyRejection !== null);
  return LINE_SCHEMAS.request.parse({
    ...entry,
    kind: 'request',
    n,
    request: { ...request, headers },
  });
}

/** What a request gave. */
export type ReplayedResponse = Pick<RequestLogEntry, 'status' | 'code' | 'response' | 'trace'>;
