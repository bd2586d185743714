import type { ErrorCode } from '../../kernel/errors.ts';
import type { RequestLogEntry } from '../../requests/log-entry.ts';
import type { RequestLog } from '../../requests/request-log.ts';
import type { RequestRun } from '../../world/run.ts';
import type { World } from '../../world/world.ts';
import type { RequestRecord } from './format.ts';
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

/** Returns the run at which a replay sends a request. The last act of a control call determines its effect. */
export function mainRun({
  api,
  target,
  runs,
}: {
  api: string;
  target: string;
  runs: readonly RequestRun[];
}) {
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

/** @param before number of the last run of the requests that ended before */
function placeOf(entry: RequestLogEntry, before: number): number {
  return mainRun(entry)?.n ?? before + 0.5;
}

function recordOf(entry: RequestLogEntry, n: number): RequestRecord {
  const { api, method, target, request, bodyRejection } = entry;
  const body_result = bodyRejection as RequestRecord['body_result'];
  const isCut = request.altered === 'truncated';
  const headers = replayedHeaders(request.headers, body_result !== null);
  return {
    kind: 'request',
    n,
    request_id: entry.requestId,
    at: entry.receivedAt,
    runs: [...entry.runs],
    api,
    method,
    target,
    endpoint: entry.endpoint,
    partner_id: entry.partnerId,
    environment: entry.environment,
    headers: headers.map(([name, value]) => [name, value]),
    body:
      request.body === null
        ? null
        : request.encoding === 'utf8'
          ? { text: request.body }
          : { base64: request.body },
    ...(isCut && { is_cut: true as const }),
    body_result,
    signature_result: signatureResultOf(entry),
    ...responseOf(entry),
  };
}

/** What a request gave. */
export type ReplayedResponse = Pick<RequestRecord, 'response' | 'code' | 'trace'>;

export function responseOf({ status, response, code, trace }: RequestLogEntry): ReplayedResponse {
  const isCut = response.altered === 'truncated';
  return {
    response:
      status === null
        ? { closed: true }
        : {
            status,
            headers: response.headers.map(([name, value]) => [name, value]),
            body: { text: response.body ?? '', ...(isCut && { is_cut: true as const }) },
          },
    code: code as ErrorCode | null,
    trace: trace.map(({ check, result, detail }) =>
      result === 'passed' && !detail
        ? check
        : { check, result, ...(detail && { detail: { ...detail } }) },
    ),
  };
}

/** Returns the result of the signature check. If it failed, the response has its error. */
function signatureResultOf({
  trace,
  status,
  response,
}: RequestLogEntry): RequestRecord['signature_result'] {
  const step = trace.find(({ check }) => check === 'signature');
  if (!step) return null;
  if (step.result !== 'failed') return 'passed';
  const { error } = JSON.parse(response.body || '{}') as {
    error?: { code: ErrorCode; message: string };
  };
  return {
    code: error?.code ?? 'internal_error',
    message: error?.message ?? '',
    status: status ?? 401,
  };
}
