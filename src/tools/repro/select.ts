import { or } from 'drizzle-orm';
import { aboutDomain } from '../../control/where.ts';
import { normalizeDomain } from '../../kernel/addresses.ts';
import { conflict, notFound, validationError } from '../../kernel/errors.ts';
import { isoTime, parseDuration, parseIsoTime } from '../../kernel/time.ts';
import { hasName, hasStep } from '../../requests/conditions.ts';
import type { RequestLog } from '../../requests/request-log.ts';
import type { World } from '../../world/world.ts';
import type { ExportReproOptions } from './api.ts';
import type { RequestRecord } from './format.ts';

const SINCE =
  'since the world was created, reset or restored, the log was cleared, or the sandbox was killed or started with another configuration';

interface SelectionContext {
  log: RequestLog;
  world: World;
}

/**
 * Returns the target: by default the newest rejected request of the partner API, or else the newest request.
 * @throws validation_error, not_found, conflict
 */
export function selectTarget(
  requests: readonly RequestRecord[],
  { request, order, domain, last, since }: ExportReproOptions,
  { log, world }: SelectionContext,
): RequestRecord {
  if (request !== undefined) {
    const target = requests.find(({ requestId }) => requestId === request);
    if (target) return target;
    throw conflict(`request: ${request} is not among those ${SINCE}`);
  }
  // It becomes a part of the file name.
  if (order?.match(/^ord_\w+$/) === null) throw validationError('order: must be an ID: ord_…');
  const name = domain === undefined ? null : normalizeDomain(domain);
  if (name === undefined) throw validationError('domain: must be a domain name');
  const subject = order ?? name;
  if (subject !== null) {
    // A lost response names its order only in the trace.
    const namesOrder = or(hasName(subject), hasStep('transition', subject));
    const where = order === undefined ? aboutDomain(subject) : namesOrder;
    const ids = new Set(log.list(world, { where, limit: -1 }).map(({ requestId }) => requestId));
    const target = requests.findLast(({ requestId }) => ids.has(requestId));
    if (target) return target;
    const field = order === undefined ? 'domain' : 'order';
    throw notFound(`${field}: no request in the log names ${subject} ${SINCE}`);
  }
  const candidates = candidatesOf(requests, { last, since }, world);
  const isRejected = ({ api, status }: RequestRecord) => api === 'partner' && Number(status) >= 400;
  const target = candidates.findLast(isRejected) ?? candidates.at(-1);
  if (target) return target;
  throw conflict(`nothing has been requested ${SINCE}, or the request log is off`);
}

function candidatesOf(
  requests: readonly RequestRecord[],
  { last, since }: ExportReproOptions,
  { clock }: World,
): readonly RequestRecord[] {
  if (last !== undefined && !(last >= 1)) throw validationError('last: must be at least 1');
  if (last !== undefined) return requests.slice(-last);
  if (since === undefined) return requests;
  const duration = parseDuration(since);
  // Sandbox time, which lists of requests show.
  const start = duration === undefined ? parseIsoTime(since) : clock.now() - duration;
  if (start === undefined) {
    throw validationError('since: must be a duration such as 2h, or an ISO 8601 time');
  }
  const candidates = requests.filter(({ at }) => at >= start);
  if (candidates.length > 0 || requests.length === 0) return candidates;
  throw conflict(`since: nothing was requested since ${isoTime(start)}`);
}
