import { and, eq, type SQL } from 'drizzle-orm';
import { z } from 'zod';
import { endpointOfRequest } from '../faults/fault-path.ts';
import { requiredText } from '../http/fields.ts';
import { notFound } from '../kernel/errors.ts';
import { type Fields, type Output, resource } from '../kernel/resource.ts';
import {
  type ComparisonResult,
  compareRequests,
  type Difference,
  nearestOf,
} from '../requests/compare-requests.ts';
import { hasStatus } from '../requests/conditions.ts';
import { requests } from '../requests/log-file.ts';
import { type RequestDetail, requestDetail } from '../requests/logged-request.ts';
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
  ({ id, flag, text, list }: Fields<ComparisonResult & Record<'a' | 'b', string>>) => ({
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
const MAX_COMPARED = 100;

export const comparisonEndpoints = named({
  getRequestDiff: get('/requests/:id/diff', {
    summary: 'Compare a request with another one, or with the nearest one that succeeded.',
    description:
      '`a` is the request in the path and `b` the one named by `with`. Without `with`, `b` is the request in the path and `a` the request of the same operation that succeeded and differs least, of the same credential if one did. `reason` explains different outcomes. 404 `not_found` if the log has no such request.',
    query: () =>
      z.object({
        with: requiredText(200).optional().describe('ID of the request to compare with.'),
      }),
    response: requestComparison,
    handle: ({ world, context, params, query }) => {
      const request = detailOf(world, context, params.id);
      const [a, b] =
        query.with === undefined
          ? [nearestSuccess(world, context, request), request]
          : [request, detailOf(world, context, query.with, 'with')];
      return { a: a.request_id, b: b.request_id, ...compareRequests(a, b) };
    },
  }),
});

/** @throws not_found */
function nearestSuccess(
  world: World,
  context: ControlContext,
  request: RequestDetail,
): RequestDetail {
  const { method, target, key_id: keyId, request_id } = request;
  const endpoint = request.endpoint ?? endpointOfRequest(context.partnerEndpoints, request)?.path;
  const succeeded = and(
    hasStatus('2xx'),
    eq(requests.method, method),
    eq(requests.endpoint, endpoint ?? ''),
  );
  const nearestWhere = (isSameKey?: SQL) => {
    const where = and(succeeded, isSameKey);
    const entries = context.requests.list(world, { where, limit: MAX_COMPARED });
    // The name of the partner is not compared, so it is not read.
    const candidates = entries
      .filter((entry) => entry.requestId !== request_id)
      .map((entry) => requestDetail.view({ ...withSubjects(entry), partner: null }));
    return nearestOf(request, candidates);
  };
  // A credential that lacks the scope has never succeeded.
  const nearest = nearestWhere(eq(requests.keyId, keyId ?? '')) ?? nearestWhere();
  if (nearest) return nearest;
  throw notFound(
    `with: no other ${method} ${endpoint ?? target} in the log succeeded; pass the id of a request to compare with`,
  );
}
