import { controlCaseDetail, controlCasePage } from '../market/brokerage/case.ts';
import {
  listAllCases,
  requireCase,
  withCaseDetails,
  withProgressUrl,
} from '../market/brokerage/cases.ts';
import { controlSession, controlSessionPage } from '../market/checkout/session.ts';
import { listSessions, requireSession, withDetails } from '../market/checkout/sessions.ts';
import { controlPayout, controlPayoutPage } from '../market/payout.ts';
import { listAllPayouts, requirePayout } from '../market/payouts.ts';
import { listAllStatements, requireStatement, withSums } from '../market/settlements/periods.ts';
import { controlStatement, controlStatementPage } from '../market/settlements/statement.ts';
import { controlTransaction, controlTransactionPage } from '../market/transactions/transaction.ts';
import { listAllSales, requireSale } from '../market/transactions/transactions.ts';
import { mapPage } from '../store/paging.ts';
import {
  CASE_STATUSES,
  SESSION_STATES,
  STATEMENT_STATUSES,
  TRANSACTION_STATUSES,
} from '../store/schema/enums.ts';
import { named } from './endpoint.ts';
import { listEndpoint, showEndpoint } from './list-endpoints.ts';

const CHECKOUT_SESSIONS = {
  path: '/checkout-sessions',
  singular: 'checkout session',
  status: SESSION_STATES,
} as const;
const TRANSACTIONS = {
  path: '/transactions',
  singular: 'transaction',
  status: TRANSACTION_STATUSES,
} as const;
const CASES = { path: '/brokerage', singular: 'brokerage case', status: CASE_STATUSES } as const;
const STATEMENTS = {
  path: '/settlements',
  singular: 'settlement statement',
  status: STATEMENT_STATUSES,
  hasDomain: false,
} as const;
const PAYOUTS = { path: '/payouts', singular: 'payout', hasDomain: false } as const;

/** Lists checkout sessions, sales, cases, statements and payouts. */
export const saleEndpoints = named({
  listCheckoutSessions: listEndpoint(CHECKOUT_SESSIONS, {
    description: 'An `EXPIRED` session is one that was still open when its time ended.',
    response: controlSessionPage,
    rows: ({ tx, context }, filter, page) =>
      mapPage(listSessions(tx, filter, page), (row) =>
        withDetails(tx, row, context.server.baseUrl()),
      ),
  }),

  getCheckoutSession: showEndpoint(CHECKOUT_SESSIONS, {
    response: controlSession,
    row: ({ tx, context }, id) => withDetails(tx, requireSession(tx, id), context.server.baseUrl()),
  }),

  listTransactions: listEndpoint(TRANSACTIONS, {
    description: 'Sales with an `order_public_id` move with their order.',
    response: controlTransactionPage,
    rows: ({ tx }, filter, page) => listAllSales(tx, filter, page),
  }),

  getTransaction: showEndpoint(TRANSACTIONS, {
    response: controlTransaction,
    row: ({ tx }, id) => requireSale(tx, id),
  }),

  listCases: listEndpoint(CASES, {
    response: controlCasePage,
    rows: ({ tx, context }, filter, page) =>
      mapPage(listAllCases(tx, filter, page), (row) =>
        withProgressUrl(tx, row, context.server.baseUrl()),
      ),
  }),

  getCase: showEndpoint(CASES, {
    response: controlCaseDetail,
    row: ({ tx, context }, id) =>
      withCaseDetails(tx, requireCase(tx, id), context.server.baseUrl()),
  }),

  listStatements: listEndpoint(STATEMENTS, {
    description:
      'A period is listed once a settlement run or `GET /settlements` of its partner has opened it; this list opens none.',
    response: controlStatementPage,
    rows: ({ tx }, filter, page) =>
      mapPage(listAllStatements(tx, filter, page), (row) => withSums(tx, row)),
  }),

  getStatement: showEndpoint(STATEMENTS, {
    description: 'An open statement has the sums of the orders completed so far.',
    response: controlStatement,
    row: ({ tx }, id) => withSums(tx, requireStatement(tx, id)),
  }),

  listPayouts: listEndpoint(PAYOUTS, {
    description: 'A payout run creates one for each partner and environment with commission due.',
    response: controlPayoutPage,
    rows: ({ tx }, filter, page) => listAllPayouts(tx, filter, page),
  }),

  getPayout: showEndpoint(PAYOUTS, {
    response: controlPayout,
    row: ({ tx }, id) => requirePayout(tx, id),
  }),
});
