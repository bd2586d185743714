import {
  CASES,
  CHECKOUT_SESSIONS,
  PAYOUTS,
  QUOTES,
  STATEMENTS,
  TRANSACTIONS,
} from '../../control/lists.ts';
import { saleEndpoints } from '../../control/sales.ts';
import { controlCase, controlCaseDetail } from '../../market/brokerage/case.ts';
import { CASE_MOVES } from '../../market/brokerage/move-case.ts';
import { controlSession } from '../../market/checkout/session.ts';
import { controlPayout } from '../../market/payout.ts';
import { controlQuote, controlQuoteDetail } from '../../market/quotes.ts';
import { controlStatement } from '../../market/settlements/statement.ts';
import { controlTransaction } from '../../market/transactions/transaction.ts';
import { ActionButton } from '../actions.tsx';
import { resourcePages } from '../resource-pages.tsx';

const API = '/api/partner/v1';

export const quotePages = resourcePages({
  title: 'Quotes',
  lead: 'Prices that partners have locked, newest first. A live quote reserves its domain.',
  live: ['upcoming', 'orders'],
  list: QUOTES,
  endpoints: { list: saleEndpoints.listQuotes, show: saleEndpoints.getQuote },
  item: controlQuote,
  detail: controlQuoteDetail,
  create: [`request POST ${API}/quotes --data '{"domain":"held-order.test"}'`],
});

export const checkoutPages = resourcePages({
  title: 'Checkouts',
  lead: 'Hosted checkout pages that partners have opened, newest first.',
  live: ['upcoming', 'sales'],
  list: CHECKOUT_SESSIONS,
  endpoints: {
    list: saleEndpoints.listCheckoutSessions,
    show: saleEndpoints.getCheckoutSession,
  },
  item: controlSession,
  detail: controlSession,
  actions: ({ session_id: id, domain, status }) =>
    status === 'OPEN' && (
      <>
        <ActionButton
          call={`POST /checkout-sessions/${id}/pay`}
          done={`Paid the checkout of ${domain}`}
          about={domain}
        >
          Pay
        </ActionButton>
        <ActionButton
          call={`POST /checkout-sessions/${id}/cancel`}
          done={`Cancelled the checkout of ${domain}`}
          about={domain}
        >
          Cancel
        </ActionButton>
      </>
    ),
  create: [`request POST ${API}/checkout-session --data '{"domain":"held-order.test"}'`],
});

export const transactionPages = resourcePages({
  title: 'Transactions',
  lead: 'Sales of every payment model, newest first. Those of an order move with it.',
  live: ['orders', 'sales'],
  list: TRANSACTIONS,
  endpoints: { list: saleEndpoints.listTransactions, show: saleEndpoints.getTransaction },
  item: controlTransaction,
  detail: controlTransaction,
  actions: ({ transaction_id: id, domain, status, order_public_id: order }) =>
    order === null && (
      <>
        {status === 'PAID' && (
          <ActionButton
            call={`POST /transactions/${id}/deliver`}
            done={`Delivered ${domain}`}
            about={domain}
          >
            Deliver
          </ActionButton>
        )}
        {status !== 'REFUNDED' && (
          <ActionButton
            call={`POST /transactions/${id}/refund`}
            done={`Refunded ${domain}`}
            confirm={`Refund the sale of ${domain}? This cannot be undone.`}
            about={domain}
          >
            Refund
          </ActionButton>
        )}
      </>
    ),
  create: ['checkout pay cs_…'],
});

export const brokeragePages = resourcePages({
  title: 'Brokerage',
  lead: 'Cases to acquire domains that are not listed, newest first.',
  live: ['sales', 'events'],
  list: CASES,
  endpoints: { list: saleEndpoints.listCases, show: saleEndpoints.getCase },
  item: controlCase,
  detail: controlCaseDetail,
  actions: ({ case_id: id, domain, status }) => (
    <>
      {CASE_MOVES[status].map((to) => (
        <ActionButton
          call={`POST /brokerage/${id}/advance`}
          send={{ to }}
          done={`The case of ${domain} is now ${to}`}
          about={domain}
        >
          {LABELS[to]}
        </ActionButton>
      ))}
    </>
  ),
  create: [
    `request POST ${API}/brokerage --data '{"domain":"wanted.com","tier":"managed","buyer_email":"ada@example.com","budget_cents":500000}'`,
  ],
});

const LABELS = { OPEN: 'Open', NEGOTIATING: 'Negotiate', COMPLETED: 'Complete', CLOSED: 'Close' };

export const settlementPages = resourcePages({
  title: 'Settlements',
  lead: 'Statements of settlement periods, newest first. A run closes the current period.',
  live: ['orders', 'sales'],
  list: STATEMENTS,
  endpoints: { list: saleEndpoints.listStatements, show: saleEndpoints.getStatement },
  item: controlStatement,
  detail: controlStatement,
  header: (
    <ActionButton
      call="POST /settlements/run"
      done="Settled the completed orders"
      confirm="Close the settlement period now and settle all completed orders?"
    >
      Run settlement
    </ActionButton>
  ),
  create: ['settlements run'],
});

export const payoutPages = resourcePages({
  title: 'Payouts',
  lead: 'Commissions that were paid to partners, newest first.',
  live: ['sales'],
  list: PAYOUTS,
  endpoints: { list: saleEndpoints.listPayouts, show: saleEndpoints.getPayout },
  item: controlPayout,
  detail: controlPayout,
  header: (
    <ActionButton
      call="POST /payouts/run"
      done="Paid out what was due"
      confirm="Pay out all pending commissions now?"
    >
      Run payouts
    </ActionButton>
  ),
  create: ['payouts run'],
});
