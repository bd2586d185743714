import { z } from 'zod';
import { buyer, dealCents, requiredText } from '../http/fields.ts';
import { controlCaseDetail } from '../market/brokerage/case.ts';
import { requireCase, withCaseDetails } from '../market/brokerage/cases.ts';
import { advanceCase } from '../market/brokerage/move-case.ts';
import { cancelSession, paySession } from '../market/checkout/pay-session.ts';
import { cancelledSession } from '../market/checkout/session.ts';
import { checkoutUrl, requireSession } from '../market/checkout/sessions.ts';
import { withPartner } from '../market/partners/credentials.ts';
import { payoutRun } from '../market/payout.ts';
import { runPayouts } from '../market/payouts.ts';
import { withSums } from '../market/settlements/periods.ts';
import { runSettlement } from '../market/settlements/run-settlement.ts';
import { settlementRun } from '../market/settlements/statement.ts';
import { deliverSale, refundSale } from '../market/transactions/sales.ts';
import { controlTransaction } from '../market/transactions/transaction.ts';
import {
  requireTransaction,
  saleOfTransaction,
  type Transaction,
} from '../market/transactions/transactions.ts';
import { CASE_STATUSES } from '../store/schema/enums.ts';
import type { Tx } from '../store/transaction.ts';
import { named, post } from './endpoint.ts';

const forPartner = z.strictObject({
  partner_id: requiredText(100).optional().describe('Only this partner, by name or ID.'),
});

/** The buyer if neither the call nor the session names one. Repro files keep it, because a replay uses it again. */
export const DEFAULT_EMAIL = 'buyer@example.com';

/** Acts on what `saleEndpoints` lists. */
export const moneyEndpoints = named({
  postSettlementsRun: post('/settlements/run', {
    summary: 'Close every settlement period up to now, and settle its completed orders.',
    description:
      'For every partner, or for `partner_id`. Closes the period, moves completed orders to SETTLED, and records an `order.settled` event for each. A period that begins in the same millisecond stays open, with its orders.',
    body: () => forPartner,
    response: settlementRun,
    write: ({ tx, body }) => {
      const { statements, settledOrders } = runSettlement(tx, body.partner_id);
      return {
        settledOrders: settledOrders.map((order) => withPartner(tx, order)),
        statements: statements.map((period) => withPartner(tx, withSums(tx, period))),
      };
    },
  }),

  postPayoutsRun: post('/payouts/run', {
    summary: 'Pay out all pending commissions, minus those reversed after payment.',
    description: 'Makes one payout for each partner and environment.',
    body: () => forPartner,
    response: payoutRun,
    write: ({ tx, body }) => ({
      payouts: runPayouts(tx, body.partner_id).map((row) => withPartner(tx, row)),
    }),
  }),

  postCheckoutPay: post('/checkout-sessions/:id/pay', {
    summary: 'Pay a hosted checkout as its buyer.',
    description: '409 `conflict` if the session is not open, or its domain is sold or reserved.',
    body: () => z.strictObject({ buyer: buyer().strict().optional() }),
    response: controlTransaction,
    write: ({ tx, params, body: { buyer } }) => {
      const session = requireSession(tx, params.id);
      const sale = paySession(tx, session, {
        email: buyer?.email ?? session.buyerEmail ?? DEFAULT_EMAIL,
        name: buyer?.name ?? null,
        country: buyer?.country ?? null,
      });
      return saleRow(tx, sale);
    },
  }),

  postCheckoutCancel: post('/checkout-sessions/:id/cancel', {
    summary: 'Cancel a hosted checkout as its buyer.',
    description: '409 `conflict` if the session is no longer open.',
    response: cancelledSession,
    write: ({ tx, context, params }) => {
      const session = cancelSession(tx, requireSession(tx, params.id));
      return { ...session, url: checkoutUrl(tx, session, context.server.baseUrl()) };
    },
  }),

  postTransactionDeliver: post('/transactions/:id/deliver', {
    summary:
      'Deliver the domain of a marketplace-collected or brokered sale. Its commission becomes pending.',
    description: '409 `conflict` if the state of the sale does not allow it.',
    response: controlTransaction,
    write: ({ tx, params }) =>
      saleRow(tx, deliverSale(tx, requireTransaction(tx, params.id, 'orders advance'))),
  }),

  postTransactionRefund: post('/transactions/:id/refund', {
    summary: 'Refund a marketplace-collected or brokered sale. Its commission is reversed.',
    description:
      'A commission that is paid out already is reversed too and reduces the next payouts. 409 `conflict` if the sale is refunded already.',
    response: controlTransaction,
    write: ({ tx, params }) =>
      saleRow(tx, refundSale(tx, requireTransaction(tx, params.id, 'orders refund'))),
  }),

  postBrokerageAdvance: post('/brokerage/:id/advance', {
    summary: 'Advance a brokerage case. COMPLETED records a deal and its commission.',
    description:
      'OPEN to NEGOTIATING, then COMPLETED or CLOSED. An OPEN case goes through NEGOTIATING to either. 409 `conflict` for any other move.',
    body: () =>
      z.strictObject({
        to: z.enum(CASE_STATUSES).describe('State to reach.'),
        deal_price_cents: dealCents()
          .optional()
          .describe('Price of the deal in cents; by default the budget.'),
      }),
    response: controlCaseDetail,
    write: ({ tx, context, params, body }) => {
      const row = advanceCase(tx, requireCase(tx, params.id), body.to, body.deal_price_cents);
      return withPartner(tx, withCaseDetails(tx, row, context.server.baseUrl()));
    },
  }),
});

function saleRow(tx: Tx, sale: Transaction) {
  return withPartner(tx, saleOfTransaction(sale));
}
