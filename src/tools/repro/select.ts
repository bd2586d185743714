import { normalizeDomain } from '../../kernel/addresses.ts';
import { conflict, notFound, validationError } from '../../kernel/errors.ts';
import { isoTime, parseDuration, parseIsoTime } from '../../kernel/time.ts';
import { domainOfRowToken } from '../../market/row-token.ts';
import type { ExportReproOptions } from './api.ts';
import { type RequestRecord, textOf } from './format.ts';

const SINCE =
  'since the world was created, reset or restored, the log was cleared, or the sandbox was killed';

/**
 * Returns the target: by default the newest rejected request of the partner API, or else the newest request.
 * @param now real time, Unix ms
 * @throws validation_error, not_found, conflict
 */
export function selectTarget(
  requests: readonly RequestRecord[],
  { request, order, domain, last, since }: ExportReproOptions,
  now: number,
): RequestRecord {
  if (request !== undefined) {
    const target = requests.find(({ requestId }) => requestId === request);
    if (target) return target;
    throw conflict(`request: ${request} is not among those ${SINCE}`);
  }
  if (order?.startsWith('ord_') === false) throw validationError('order: must be an ID: ord_…');
  const name = domain && normalizeDomain(domain);
  if (domain && !name) throw validationError('domain: must be a domain name');
  const subject = order ?? name;
  if (subject !== undefined) {
    const target = lastAbout(requests, subject);
    if (target) return target;
    const field = order === undefined ? 'domain' : 'order';
    throw notFound(`${field}: no request in the log names ${subject} ${SINCE}`);
  }
  const candidates = candidatesOf(requests, { last, since }, now);
  const isRejected = ({ api, status }: RequestRecord) => api === 'partner' && Number(status) >= 400;
  const target = candidates.findLast(isRejected) ?? candidates.at(-1);
  if (target) return target;
  throw conflict(`nothing has been requested ${SINCE}`);
}

function candidatesOf(
  requests: readonly RequestRecord[],
  { last, since }: ExportReproOptions,
  now: number,
): readonly RequestRecord[] {
  if (last !== undefined) return requests.slice(-last);
  if (since === undefined) return requests;
  const duration = parseDuration(since);
  const start = duration === undefined ? parseIsoTime(since) : now - duration;
  if (start === undefined) {
    throw validationError('since: must be a duration such as 2h, or an ISO 8601 time');
  }
  const candidates = requests.filter(({ receivedAt }) => receivedAt >= start);
  if (candidates.length > 0 || requests.length === 0) return candidates;
  throw conflict(`since: nothing was requested since ${isoTime(start)}`);
}

/** IDs in a response. Later requests may name only these: a rejected order names only its quote. */
const IDS = /"(?:quote_id|public_id|order_id|session_id|case_id)":"([^"]+)"/g;

/** Returns the last request that names an ID or a domain, or an ID in the response to such a request. */
function lastAbout(requests: readonly RequestRecord[], subject: string): RequestRecord | undefined {
  const ids = new Set([subject]);
  let last: RequestRecord | undefined;
  for (const request of requests) {
    if (!namesIn(request).some((name) => ids.has(name) || ids.has(name.toLowerCase()))) continue;
    last = request;
    if (request.method === 'GET') continue;
    for (const [, id = ''] of outcomeOf(request).matchAll(IDS)) ids.add(id);
  }
  return last;
}

/** Returns the response; if it was lost, the trace, which has what the request recorded. */
function outcomeOf({ status, response, trace }: RequestRecord): string {
  return status === null ? JSON.stringify(trace) : textOf(response);
}

/** Returns the words of a request and its response that may be IDs or domains, and the domains of tokens. */
function namesIn(record: RequestRecord): string[] {
  const text = [record.target, textOf(record.request), outcomeOf(record)].join(' ');
  const words = text.match(/[\w-]+(?:\.[\w-]+)*/g) ?? [];
  const tokens = text.match(/[\w-]{40,}/g) ?? [];
  return [...words, ...tokens.flatMap((token) => domainOfRowToken(token) ?? [])];
}
