import {
  type AttemptActivity,
  isAccepted,
  isAcknowledged,
  nextCursorOf,
  type RequestActivity,
  rows,
  text,
} from '../activity.ts';
import { attemptEvidence, pageViewEvidence, requestEvidence } from '../evidence.ts';
import { type AnyRule, BoundedMap, rule } from '../rule.ts';

/** Met by an accepted response with a row like this. */
function reads(
  item: string,
  operations: readonly string[],
  isShown: (
    response: NonNullable<RequestActivity['response']>,
    request: RequestActivity,
  ) => boolean,
): AnyRule {
  return rule({
    item,
    reads: ['request'],
    operations,
    observe(_, request, observe) {
      if (!isAccepted(request) || !request.response || !isShown(request.response, request)) return;
      observe('met', requestEvidence(request));
    },
  });
}

const hasRow =
  (name: string, isIt: (row: Record<string, unknown>) => boolean = () => true) =>
  (response: NonNullable<RequestActivity['response']>) =>
    rows(response, name).some(isIt);

export const READ_RULES: readonly AnyRule[] = [
  rule({
    item: 'history.resumed',
    reads: ['request'],
    operations: ['getEvents'],
    // Undefined if the log lacks the cursor.
    start: () => new BoundedMap<{ next: string | null | undefined }>(),
    observe(cursors, request, observe) {
      if (!isAccepted(request)) return;
      const after = new URLSearchParams(request.query).get('after_id');
      const { next } = cursors.get(request.client) ?? { next: null };
      if (after !== null && next !== undefined && after !== next) {
        observe('met', requestEvidence(request));
      }
      cursors.set(request.client, { next: nextCursorOf(request) });
    },
  }),
  rule({
    item: 'history.caught_up',
    reads: ['attempt', 'request'],
    operations: ['getEvents'],
    start: () => ({
      failed: new BoundedMap<AttemptActivity>(),
      acknowledged: new BoundedMap<true>(),
    }),
    observe({ failed, acknowledged }, activity, observe) {
      if (activity.kind === 'attempt') {
        const { event } = activity;
        if (isAcknowledged(activity)) {
          failed.delete(event);
          acknowledged.set(event, true);
        } else if (!acknowledged.get(event)) {
          failed.set(event, activity);
        }
        return;
      }
      if (!isAccepted(activity)) return;
      for (const { id } of rows(activity.response, 'events')) {
        const attempt = failed.get(text(id) ?? '');
        if (!attempt) continue;
        observe('met', [attemptEvidence(attempt), requestEvidence(activity)]);
        return;
      }
    },
  }),
  reads(
    'money.statement_read',
    ['getSettlements'],
    hasRow('settlements', ({ status }) => status === 'CLOSED'),
  ),
  reads('money.payout_read', ['getPayouts', 'getMyPayouts'], hasRow('payouts')),
  rule({
    item: 'checkout.page_viewed',
    reads: ['page_view'],
    observe: (_, view, observe) => observe('met', pageViewEvidence(view)),
  }),
  reads('checkout.sale_learned', ['getTransactions', 'getMySales'], (response, { operation }) =>
    operation === 'getMySales'
      ? rows(response, 'sales').length > 0
      : rows(response, 'transactions').some(
          ({ payment_model }) => payment_model === 'marketplace_collected',
        ),
  ),
  rule({
    item: 'brokerage.eligibility_first',
    reads: ['request'],
    operations: ['getEligibility', 'postBrokerage'],
    start: () => new BoundedMap<RequestActivity>(),
    observe(eligible, request, observe) {
      if (!isAccepted(request)) return;
      const { client, operation, input, response } = request;
      if (operation === 'getEligibility') {
        const domain = text(response?.domain);
        if (response?.eligible === true && domain) eligible.set(`${client} ${domain}`, request);
        return;
      }
      const before = eligible.get(`${client} ${text(input?.domain) ?? ''}`);
      if (before) observe('met', [requestEvidence(before), requestEvidence(request)]);
    },
  }),
  reads('brokerage.deal_learned', ['getCases', 'getCase'], (response, { operation }) =>
    operation === 'getCase'
      ? response.status === 'COMPLETED'
      : rows(response, 'cases').some(({ status }) => status === 'COMPLETED'),
  ),
  rule({
    item: 'brokerage.deal_learned',
    reads: ['attempt'],
    observe(_, attempt, observe) {
      if (attempt.type !== 'brokerage.case_completed' || !isAcknowledged(attempt)) return;
      observe('met', attemptEvidence(attempt));
    },
  }),
  reads('referral.clicks_read', ['getLinks', 'getMyClicks'], (response, { operation }) =>
    operation === 'getLinks'
      ? rows(response, 'links').some(({ clicks }) => Number(clicks) > 0)
      : Number(response.total_clicks) > 0,
  ),
  rule({
    item: 'discovery.not_available',
    reads: ['request'],
    operations: ['searchDomains', 'showAvailability', 'showPricing', 'showDomain'],
    observe(_, request, observe) {
      const { operation, response } = request;
      const isAbsent = isAccepted(request)
        ? operation === 'searchDomains'
          ? rows(response, 'domains').length === 0
          : operation === 'showAvailability' && response?.available === false
        : request.code === 'not_found' && request.failedCheck === 'rules';
      if (isAbsent) observe('met', requestEvidence(request));
    },
  }),
];
