import {
  type AttemptActivity,
  isAccepted,
  isAcknowledged,
  nextCursorOf,
  rows,
} from '../activity.ts';
import { COMPLETE_ORDER } from '../item.ts';
import { type RequestActivity, text } from '../request-activity.ts';
import { advice, type ItemRule, must, type Rule } from '../rule.ts';

type Body = NonNullable<RequestActivity['response']>;

/** Declares a rule that is met by an accepted response. @param conditions by operation */
function metByResponse(conditions: Readonly<Record<string, (response: Body) => boolean>>): Rule {
  return {
    operations: Object.keys(conditions),
    observe(_, request, observe) {
      const { operation = '', response } = request;
      if (isAccepted(request) && response && conditions[operation]?.(response))
        observe('met', request);
    },
  };
}

function hasRow(name: string, matches: (row: Record<string, unknown>) => boolean = () => true) {
  return (response: Body) => rows(response, name).some(matches);
}

const isCompleted = ({ status }: Body) => status === 'COMPLETED';
const dealRule = metByResponse({ getCases: hasRow('cases', isCompleted), getCase: isCompleted });

export const READ_RULES: readonly ItemRule[] = [
  must('history.resumed', {
    title: 'Resume the event history where it ended',
    needs: ['history'],
    met: '`GET /events` began after an event that was not the last one just read.',
    steps: [
      'Run your job that reads GET /events twice. The second run passes the last event id as after_id.',
    ],
    operations: ['getEvents'],
    // `next` is undefined if the log lacks the cursor.
    start: () => new Map<string, { next: string | null | undefined }>(),
    observe(cursors, request, observe) {
      if (!isAccepted(request)) return;
      const after = new URLSearchParams(request.query).get('after_id');
      const { next } = cursors.get(request.client) ?? { next: null };
      if (after !== null && next !== undefined && after !== next) {
        observe('met', request);
      }
      cursors.set(request.client, { next: nextCursorOf(request) });
    },
  }),
  must('history.caught_up', {
    title: 'Read events whose webhooks failed',
    needs: ['webhooks'],
    met: '`GET /events` returned an event whose attempts had all failed.',
    steps: [
      'sandlot faults add --webhook drop',
      'Place an order.',
      'sandlot idle',
      'Run your job that catches up with GET /events.',
      'sandlot faults clear',
    ],
    reads: ['attempt', 'request'],
    operations: ['getEvents'],
    start: () => ({
      failedAttempts: new Map<string, AttemptActivity>(),
      acknowledgedEvents: new Map<string, true>(),
    }),
    observe({ failedAttempts, acknowledgedEvents }, activity, observe) {
      if (activity.kind === 'attempt') {
        const { event } = activity;
        if (isAcknowledged(activity)) {
          failedAttempts.delete(event);
          acknowledgedEvents.set(event, true);
        } else if (!acknowledgedEvents.get(event)) {
          failedAttempts.set(event, activity);
        }
        return;
      }
      if (!isAccepted(activity)) return;
      for (const { id } of rows(activity.response, 'events')) {
        const attempt = failedAttempts.get(text(id) ?? '');
        if (!attempt) continue;
        observe('met', [attempt, activity]);
        return;
      }
    },
  }),
  must('money.statement_read', {
    title: 'Read a closed settlement statement',
    needs: ['sales'],
    met: '`GET /settlements` returned a closed statement.',
    steps: [COMPLETE_ORDER, 'sandlot settlements run', 'Read it with GET /settlements.'],
    ...metByResponse({
      getSettlements: hasRow('settlements', ({ status }) => status === 'CLOSED'),
    }),
  }),
  advice('money.payout_read', {
    title: 'Read a payout',
    needs: ['checkout', 'brokerage'],
    met: '`GET /payouts` or `GET /me/payouts` returned a payout.',
    steps: [
      'sandlot transactions deliver ID',
      'sandlot payouts run',
      'Read it with GET /payouts or GET /me/payouts.',
    ],
    ...metByResponse({ getPayouts: hasRow('payouts'), getMyPayouts: hasRow('payouts') }),
  }),
  must('checkout.page_viewed', {
    title: 'Send a buyer to the checkout page',
    needs: ['checkout'],
    met: 'The checkout page of a session was viewed.',
    steps: ['Create a session with POST /checkout-session. Open its checkout_url.'],
    reads: ['page_view'],
    observe: (_, view, observe) => observe('met', view),
  }),
  must('checkout.sale_learned', {
    title: 'Read a sale of a hosted checkout',
    needs: ['checkout'],
    met: '`GET /transactions` or `GET /me/sales` returned a sale of a hosted checkout.',
    steps: ['sandlot checkout pay ID', 'Read the sale with GET /transactions or GET /me/sales.'],
    ...metByResponse({
      getTransactions: hasRow(
        'transactions',
        ({ payment_model }) => payment_model === 'marketplace_collected',
      ),
      getMySales: hasRow('sales'),
    }),
  }),
  must('brokerage.eligibility_first', {
    title: 'Check eligibility before opening a case',
    needs: ['brokerage'],
    met: 'A domain was eligible, and then a case was opened for it.',
    steps: ['Request GET /brokerage/eligibility, then POST /brokerage for the same domain.'],
    operations: ['getEligibility', 'postBrokerage'],
    start: () => new Map<string, RequestActivity>(),
    observe(checks, request, observe) {
      if (!isAccepted(request)) return;
      const { client, operation, input, response } = request;
      if (operation === 'getEligibility') {
        const domain = text(response?.domain);
        if (response?.eligible === true && domain) checks.set(`${client} ${domain}`, request);
        return;
      }
      const before = checks.get(`${client} ${text(input?.domain) ?? ''}`);
      if (before) observe('met', [before, request]);
    },
  }),
  must('brokerage.deal_learned', {
    title: 'Learn of the deal of a brokerage case',
    needs: ['brokerage'],
    met: 'A completed case was read, or its event was acknowledged.',
    steps: [
      'sandlot brokerage advance ID --to COMPLETED',
      'Read the case, or receive its webhook.',
    ],
    ...dealRule,
    reads: ['request', 'attempt'],
    observe(state, activity, observe) {
      if (activity.kind === 'request') dealRule.observe(state, activity, observe);
      else if (activity.type === 'brokerage.case_completed' && isAcknowledged(activity)) {
        observe('met', activity);
      }
    },
  }),
  advice('referral.clicks_read', {
    title: 'Read the clicks on a referral link',
    needs: ['referral'],
    met: '`GET /links` or `GET /me/clicks` returned a click.',
    steps: ['Open the url of a link. Read its clicks with GET /links or GET /me/clicks.'],
    ...metByResponse({
      getLinks: hasRow('links', ({ clicks }) => Number(clicks) > 0),
      getMyClicks: ({ total_clicks }) => Number(total_clicks) > 0,
    }),
  }),
  advice('discovery.not_available', {
    title: 'Handle a domain that is not for sale',
    needs: ['discovery'],
    met: 'A search returned nothing, or a domain was not available or not found.',
    steps: ['Ask for `active-site.test`.'],
    operations: ['searchDomains', 'showAvailability', 'showPricing', 'showDomain'],
    observe(_, request, observe) {
      const { operation, response } = request;
      const isAbsent = isAccepted(request)
        ? operation === 'searchDomains'
          ? rows(response, 'domains').length === 0
          : operation === 'showAvailability' && response?.available === false
        : request.code === 'not_found' && request.failedCheck === 'rules';
      if (isAbsent) observe('met', request);
    },
  }),
];
