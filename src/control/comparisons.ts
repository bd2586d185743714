import { z } from 'zod';
import { requiredText } from '../http/fields.ts';
import { notFound } from '../kernel/errors.ts';
import { type Fields, type Output, resource } from '../kernel/resource.ts';
import { magicOf } from '../market/inventory/magic-domains.ts';
import {
  type Compared,
  compareRequests,
  type Difference,
  nearestOf,
} from '../requests/compare-requests.ts';
import type { RequestLogEntry } from '../requests/log-entry.ts';
import { type ListedEntry, type RequestDetail, requestDetail } from '../requests/logged-request.ts';
import { splitTarget } from '../signing/canonical.ts';
import type { World } from '../world/world.ts';
import { type ControlContext, get, named } from './endpoint.ts';
import { withSubjects } from './request-subjects.ts';
import { detailOf } from './requests.ts';

const difference = resource(
  'Difference',
  'A value in which two objects differ; null if one does not have it.',
  ({ text, value }: Fields<Difference>) => ({
    path: text(),
    a: value(() => z.unknown()),
    b: value(() => z.unknown()),
  }),
);

const requestComparison = resource(
  'RequestComparison',
  'How two requests differ in what was sent, in the checks that they passed, and in their responses. `volatile` has what always differs: ids, times, nonces, signatures and tokens.',
  ({ id, flag, text, list }: Fields<Compared & Record<'a' | 'b', string>>) => ({
    a: id('req'),
    b: id('req'),
    same: flag(),
    reason: text().nullable(),
    differences: list(difference),
    volatile: list(difference),
  }),
);
export type Comparison = Output<typeof requestComparison>;

/** How many of the newest successful requests are compared to find the nearest one. */
const COMPARED = 100;

export const comparisonEndpoints = named({
  getRequestDiff: get('/requests/:id/diff', {
    summary: 'Compare a request with another one, or with the nearest one that succeeded.',
    description:
      '`a` is the request in the path and `b` the one named by `with`. Without `with`, `b` is the request in the path and `a` the request of the same operation and credential that succeeded and differs least: not a replay and, if there is another, not about a magic domain. `reason` explains different outcomes. 404 `not_found` if the log has no such request.',
    query: () =>
      z.object({
        with: requiredText(200).optional().describe('ID of the request to compare with.'),
      }),
    response: requestComparison,
    handle: ({ world, context, params, query }) => {
      const request = detailOf(world, context, params.id);
      let [a, b] = [request, request];
      if (query.with === undefined) a = nearestSuccess(world, context, request);
      else b = detailOf(world, context, query.with, 'with');
      return { a: a.request_id, b: b.request_id, ...compareRequests(a, b) };
    },
  }),
});

/** Returns the path of the endpoint as declared, even if the request was rejected before it was routed. */
function endpointOf(
  { endpoint, api, method, target }: RequestDetail,
  { partnerEndpoints }: ControlContext,
): string | undefined {
  if (endpoint !== null || api !== 'partner') return endpoint ?? undefined;
  const parts = splitTarget(target).path.split('/');
  const matchesTarget = (path: string) => {
    const pattern = path.split('/');
    return (
      pattern.length === parts.length &&
      pattern.every((part, at) => part.startsWith(':') || part === parts[at])
    );
  };
  return partnerEndpoints.find(
    (endpoint) => endpoint.method === method && matchesTarget(endpoint.path),
  )?.path;
}

/** @throws not_found */
function nearestSuccess(
  world: World,
  context: ControlContext,
  request: RequestDetail,
): RequestDetail {
  const { method, target, key_id: keyId, request_id } = request;
  const endpoint = endpointOf(request, context);
  const filter = { status: '2xx', method, ...(keyId !== null && { keyId }) };
  const entries =
    endpoint === undefined
      ? []
      : context.requests.list(world, { ...filter, endpoints: [endpoint] }, { limit: COMPARED });
  const candidates = world.read((tx) =>
    entries
      .filter((entry) => entry.requestId !== request_id && !isReplay(entry))
      .map((entry) => withSubjects(tx, entry)),
  );
  const ordinary = candidates.filter((entry) => !usesMagicDomain(entry));
  const detailsOf = (entries: readonly ListedEntry[]) =>
    entries.map((entry) => requestDetail.view({ ...entry, partner: null }));
  const nearest =
    nearestOf(request, detailsOf(ordinary)) ?? nearestOf(request, detailsOf(candidates));
  if (nearest) return nearest;
  throw notFound(
    `with: no ${method} ${endpoint ?? target} of this credential in the log succeeded; pass the id of a request to compare with`,
  );
}

/** Whether the response is the stored one of an earlier request. */
function isReplay({ trace }: RequestLogEntry): boolean {
  return trace.some(
    ({ check, detail }) => check === 'idempotency' && detail?.outcome === 'replayed',
  );
}

function usesMagicDomain({ environment, domain, trace }: ListedEntry): boolean {
  if (trace.some(({ check }) => check === 'magic_domain')) return true;
  return environment === 'SANDBOX' && domain !== null && magicOf('SANDBOX', domain) !== undefined;
}
