import {
  type AttemptActivity,
  evidenceOf,
  isAccepted,
  isAcknowledged,
  type JsonObject,
  nextCursorOf,
  type RequestActivity,
  rows,
  text,
} from '../activity.ts';
import { COMPLETE_ORDER } from '../item.ts';
import { advice, type ItemRule, must, type Rule } from '../rule.ts';

/** Declares a rule that is met by an accepted response. @param conditions by operation */
function metByResponse(
  conditions: Readonly<Record<string, (response: JsonObject) => boolean>>,
): Rule {
  return (observe) => ({
    request(request) {
      const { operation = '', response } = request;
      if (isAccepted(request) && response && conditions[operation]?.(response)) {
        observe('met', request);
      }
    },
  });
}

function hasRow(name: string, matches: (row: JsonObject) => boolean = () => true) {
  return (response: JsonObject) => rows(response, name).some(matches);
}

const isCompleted = ({ status }: JsonObject) => status === 'COMPLETED';
const dealRule = metByResponse({ getCases: hasRow('cases', isCompleted), getCase: isCompleted });

export const READ_RULES: readonly ItemRule[] = [
  must('history.resumed', {
    title: 'Resume the event history where it ended',
    needs: ['history'],
    met: '`GET /events` had an `after_id` that was not the `next_cursor` of the page before.',
    steps: [
      'Run your job that reads GET /events twice. The second run passes the last event id as after_id.',
    ],
    rule(observe) {
      // The `next_cursor` of the last read of each client: null on the last page, undefined if the log lacks it.
      const cursors = new Map<string, string | null | undefined>();
      return {
        getEvents(request) {
          if (!isAccepted(request)) return;
          const { client, query } = request;
          const after = new URLSearchParams(query).get('after_id');
          const next = cursors.has(client) ? cursors.get(client) : null;
          if (after !== null && next !== undefined && after !== next) observe('met', request);
          cursors.set(client, nextCursorOf(request));
        },
      };
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
    rule(observe) {
      const failedAttempts = new Map<string, AttemptActivity>();
      const delivered = new Set<string>();
      return {
        attempt(attempt) {
          const { event, outcome } = attempt;
          if (outcome === 'ok') {
            failedAttempts.delete(event);
            delivered.add(event);
          } else if (!delivered.has(event)) failedAttempts.set(event, attempt);
        },
        getEvents(request) {
          if (!isAccepted(request)) return;
          const ids = rows(request.response, 'events').map(({ id }) => text(id) ?? '');
          const attempt = failedAttempts.get(ids.find((id) => failedAttempts.has(id)) ?? '');
          if (attempt) observe('met', [attempt, request]);
        },
      };
    },
  }),
  must('money.statement_read', {
    title: 'Read a closed settlement statement',
    needs: ['sales'],
    met: '`GET /settlements` returned a closed statement.',
    steps: [COMPLETE_ORDER, 'sandlot settlements run', 'Read it with GET /settlements.'],
    rule: metByResponse({
      getSettlements: hasRow('settlements', ({ status }) => status === 'CLOSED'),
    }),
  }),
  advice('money.payout_read', {
    title: 'Read a payout',
    needs: ['payouts'],
    met: '`GET /payouts` or `GET /me/payouts` returned a payout.',
    steps: [
      'sandlot transactions deliver ID',
      'sandlot payouts run',
      'Read it with GET /payouts or GET /me/payouts.',
    ],
    rule: metByResponse({ getPayouts: hasRow('payouts'), getMyPayouts: hasRow('payouts') }),
  }),
  must('checkout.page_viewed', {
    title: 'Send a buyer to the checkout page',
    needs: ['checkout'],
    met: 'The checkout page of a session was viewed.',
    steps: ['Create a session with POST /checkout-session. Open its checkout_url.'],
    rule: (observe) => ({
      showCheckout(request) {
        if (request.status !== 200) return;
        observe('met', { ...evidenceOf(request), text: 'checkout page viewed' });
      },
    }),
  }),
  must('checkout.sale_learned', {
    title: 'Read a sale of a hosted checkout',
    needs: ['checkout'],
    met: '`GET /transactions` or `GET /me/sales` returned a sale of a hosted checkout.',
    steps: ['sandlot checkout pay ID', 'Read the sale with GET /transactions or GET /me/sales.'],
    rule: metByResponse({
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
    rule(observe) {
      /** By client and domain, as responses spell it. */
      const checks = new Map<string, RequestActivity>();
      return {
        getEligibility(request) {
          const { domain, eligible } = request.response ?? {};
          if (isAccepted(request) && eligible) checks.set(`${request.client} ${domain}`, request);
        },
        postBrokerage(request) {
          const before = checks.get(`${request.client} ${request.response?.domain}`);
          if (isAccepted(request) && before) observe('met', [before, request]);
        },
      };
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
    rule: (observe) => ({
      ...dealRule(observe),
      attempt(attempt) {
        const isDeal = attempt.type === 'brokerage.case_completed';
        if (isDeal && isAcknowledged(attempt)) observe('met', attempt);
      },
    }),
  }),
  advice('referral.clicks_read', {
    title: 'Read the clicks on a referral link',
    needs: ['referral'],
    met: '`GET /links` or `GET /me/clicks` returned a click.',
    steps: ['Open the url of a link. Read its clicks with GET /links or GET /me/clicks.'],
    rule: metByResponse({
      getLinks: hasRow('links', ({ clicks }) => Number(clicks) > 0),
      getMyClicks: ({ total_clicks }) => Number(total_clicks) > 0,
    }),
  }),
  advice('discovery.not_available', {
    title: 'Handle a domain that is not for sale',
    needs: ['discovery'],
    met: 'A search returned nothing, or a domain was not available or not found.',
    steps: ['Ask for `active-site.test`.'],
    rule(observe) {
      const observeNotFound = (request: RequestActivity) => {
        if (request.code === 'not_found' && request.failedCheck === 'rules') {
          observe('met', request);
        }
      };
      return {
        ...metByResponse({
          searchDomains: (response) => rows(response, 'domains').length === 0,
          showAvailability: ({ available }) => available === false,
        })(observe),
        showPricing: observeNotFound,
        showDomain: observeNotFound,
      };
    },
  }),
];
