import { z } from 'zod';
import {
  countryCode,
  dealCents,
  emailAddress,
  missingOr,
  oneOf,
  requiredText,
} from '../http/fields.ts';
import { controlCase } from '../market/brokerage/case.ts';
import { caseTimelineOf, requireCase, withProgressUrl } from '../market/brokerage/cases.ts';
import { advanceCase } from '../market/brokerage/move-case.ts';
import { cancelSession, paySession } from '../market/checkout/pay-session.ts';
import { cancelledSession } from '../market/checkout/session.ts';
import { checkoutUrl, requireSession } from '../market/checkout/sessions.ts';
import { payoutRun } from '../market/payout.ts';
import { runPayouts } from '../market/payouts.ts';
import { runSettlement } from '../market/settlements/run-settlement.ts';
import { settlementRun } from '../market/settlements/statement.ts';
import { withSums } from '../market/settlements/statements.ts';
import { deliverSale, refundSale } from '../market/transactions/sales.ts';
import { controlTransaction } from '../market/transactions/transaction.ts';
import {
  requireTransaction,
  type SaleWithStatus,
  type Transaction,
} from '../market/transactions/transactions.ts';
import { CASE_STATUSES } from '../store/schema/enums.ts';
import { controlEndpoint, controlEndpoints, emptyBody } from './endpoint.ts';

const id = z.object({ id: z.string() });
const forPartner = z.strictObject({ partner_id: requiredText(100).optional() });

/** The buyer if neither the call nor the session names one. */
const DEFAULT_BUYER = 'buyer@example.com';

export const moneyEndpoints = controlEndpoints({
  postSettlementsRun: controlEndpoint({
    method: 'POST',
    path: '/settlements/run',
    summary: 'Closes every settlement period up to now and settles the completed orders in them.',
    description:
      'For every partner, or for `partner_id`. Closes the period, moves completed orders to SETTLED, and records an `order.settled` event for each.',
    body: () => forPartner,
    response: settlementRun,
    write: ({ tx, body }) => {
      const { statements, settled } = runSettlement(tx, body.partner_id);
      return { settled, statements: statements.map((period) => withSums(tx, period)) };
    },
  }),

  postPayoutsRun: controlEndpoint({
    method: 'POST',
    path: '/payouts/run',
    summary:
      'Pays pending commissions out, less those reversed after they were paid: one payout per partner and environment.',
    description:
      'For every partner, or for `partner_id`. Pays out the commissions that are due, as one payout for each partner.',
    body: () => forPartner,
    response: payoutRun,
    write: ({ tx, body }) => ({ payouts: runPayouts(tx, body.partner_id) }),
  }),

  postCheckoutPay: controlEndpoint({
    method: 'POST',
    path: '/checkout-sessions/:id/pay',
    summary: 'Pays a hosted checkout as its buyer would.',
    description:
      'Does what the hosted page does with a card that is accepted. 409 `conflict` if the session is paid or cancelled, or its domain is sold or reserved.',
    params: () => id,
    body: () =>
      z.strictObject({
        buyer: z
          .strictObject(
            {
              email: emailAddress(),
              name: requiredText(200).nullish(),
              country: countryCode().nullish(),
            },
            { error: missingOr('must be an object') },
          )
          .optional(),
      }),
    errors: { conflict: '' },
    response: controlTransaction,
    write: ({ tx, params, body: { buyer } }) => {
      const session = requireSession(tx, params.id);
      const sale = paySession(tx, session, {
        email: buyer?.email ?? session.buyerEmail ?? DEFAULT_BUYER,
        name: buyer?.name ?? null,
        country: buyer?.country ?? null,
      });
      return collectedSale(sale);
    },
  }),

  postCheckoutCancel: controlEndpoint({
    method: 'POST',
    path: '/checkout-sessions/:id/cancel',
    summary: 'Cancels a hosted checkout as its buyer would.',
    description: '409 `conflict` if the session is no longer open.',
    params: () => id,
    body: emptyBody,
    errors: { conflict: '' },
    response: cancelledSession,
    write: ({ tx, context, params }) => {
      const session = cancelSession(tx, requireSession(tx, params.id));
      return { ...session, url: checkoutUrl(tx, session, context.about.baseUrl()) };
    },
  }),

  postTransactionDeliver: controlEndpoint({
    method: 'POST',
    path: '/transactions/:id/deliver',
    summary:
      'Delivers the domain of a marketplace-collected or brokered sale: its commission is pending.',
    description:
      'The commission becomes payable. 409 `conflict` if the state of the sale does not allow it.',
    params: () => id,
    body: emptyBody,
    errors: { conflict: '' },
    response: controlTransaction,
    write: ({ tx, params }) => collectedSale(deliverSale(tx, requireTransaction(tx, params.id))),
  }),

  postTransactionRefund: controlEndpoint({
    method: 'POST',
    path: '/transactions/:id/refund',
    summary: 'Refunds a marketplace-collected or brokered sale: its commission is reversed.',
    description: '409 `conflict` if its commission is paid out already.',
    params: () => id,
    body: emptyBody,
    errors: { conflict: '' },
    response: controlTransaction,
    write: ({ tx, params }) => collectedSale(refundSale(tx, requireTransaction(tx, params.id))),
  }),

  postBrokerageAdvance: controlEndpoint({
    method: 'POST',
    path: '/brokerage/:id/advance',
    summary: 'Moves a brokerage case; COMPLETED is a deal and books its commission.',
    description:
      'OPEN to NEGOTIATING, then COMPLETED with a `deal_price_cents`, or CLOSED. 409 `conflict` for any other move.',
    params: () => id,
    body: () =>
      z.strictObject({ to: oneOf(CASE_STATUSES), deal_price_cents: dealCents().optional() }),
    errors: { conflict: '' },
    response: controlCase,
    write: ({ tx, context, params, body }) => {
      const moved = advanceCase(tx, requireCase(tx, params.id), body.to, body.deal_price_cents);
      const timeline = caseTimelineOf(tx, moved.id);
      return { ...withProgressUrl(tx, moved, context.about.baseUrl()), timeline };
    },
  }),
});

/** @throws Error for an order's sale, which has the state of its order */
function collectedSale(sale: Transaction): SaleWithStatus {
  const { status } = sale;
  if (status === null) throw new Error(`sale ${sale.id} belongs to an order`);
  return { ...sale, status };
}
