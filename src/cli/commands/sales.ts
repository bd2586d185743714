import { action, type CommandModule, exampleId, list } from '../command.ts';
import { text } from '../options.ts';

const SESSION_ID = exampleId('cs');
const CASE_ID = exampleId('brk');
/** The first transaction belongs to the order of the examples. */
const TRANSACTION_ID = exampleId('txn', 2);

const loadTransaction = async () =>
  (await import('../../market/transactions/transaction.ts')).controlTransaction;
const caseModule = () => import('../../market/brokerage/case.ts');
const payoutModule = () => import('../../market/payout.ts');
const statementModule = () => import('../../market/settlements/statement.ts');

export const settlements: CommandModule = {
  group: 'Orders',
  nouns: { settlements: 'Close settlement periods, and list their statements.' },
  commands: [
    list('settlements list', 'GET /settlements', {
      resource: async () => (await statementModule()).controlStatement,
      empty: 'no settlement statements',
      examples: ['sandlot settlements list', 'sandlot settlements list --status CLOSED --json'],
    }),
    action('settlements run', 'POST /settlements/run', {
      resource: async () => (await statementModule()).settlementRun,
      examples: ['sandlot settlements run', 'sandlot settlements run --partner local'],
    }),
  ],
};

export const sales: CommandModule = {
  group: 'Marketplace-collected sales and brokerage',
  nouns: {
    checkout: 'List hosted checkouts, and pay or cancel them.',
    transactions: 'List sales, and deliver or refund those that the marketplace collected.',
    payouts: 'Pay out commissions, and list payouts.',
    brokerage: 'List and move brokerage cases.',
  },
  commands: [
    list('checkout list', 'GET /checkout-sessions', {
      resource: async () => (await import('../../market/checkout/session.ts')).controlSession,
      examples: ['sandlot checkout list', 'sandlot checkout list --status OPEN'],
    }),
    action('checkout pay', 'POST /checkout-sessions/{id}/pay', {
      resource: loadTransaction,
      optionFields: [],
      options: {
        email: text('--email <address>', 'Email address of the buyer'),
        name: text('--name <name>', 'Name of the buyer'),
        country: text('--country <code>', 'Country of the buyer, two letters'),
      },
      input: ({ options }) =>
        Object.values(options).some((value) => value !== undefined) ? { buyer: options } : {},
      examples: [
        `sandlot checkout pay ${SESSION_ID}`,
        `sandlot checkout pay ${SESSION_ID} --email ada@example.com --country GB`,
      ],
    }),
    action('checkout cancel', 'POST /checkout-sessions/{id}/cancel', {
      examples: [`sandlot checkout cancel ${SESSION_ID}`],
      format: ({ session_id, domain }) => `Cancelled checkout ${session_id} for ${domain}`,
    }),
    list('transactions list', 'GET /transactions', {
      resource: loadTransaction,
      examples: ['sandlot transactions list', 'sandlot transactions list --status PAID'],
    }),
    action('transactions deliver', 'POST /transactions/{id}/deliver', {
      resource: loadTransaction,
      examples: [`sandlot transactions deliver ${TRANSACTION_ID}`],
    }),
    action('transactions refund', 'POST /transactions/{id}/refund', {
      resource: loadTransaction,
      examples: [`sandlot transactions refund ${TRANSACTION_ID}`],
    }),
    list('payouts list', 'GET /payouts', {
      resource: async () => (await payoutModule()).controlPayout,
      examples: ['sandlot payouts list', 'sandlot payouts list --partner local --json'],
    }),
    action('payouts run', 'POST /payouts/run', {
      resource: async () => (await payoutModule()).payoutRun,
      examples: ['sandlot payouts run', 'sandlot payouts run --partner local'],
    }),
    list('brokerage list', 'GET /brokerage', {
      resource: async () => (await caseModule()).controlCase,
      empty: 'no brokerage cases',
      examples: ['sandlot brokerage list', 'sandlot brokerage list --status OPEN'],
    }),
    action('brokerage advance', 'POST /brokerage/{id}/advance', {
      resource: async () => (await caseModule()).controlCaseDetail,
      examples: [
        `sandlot brokerage advance ${CASE_ID} --to NEGOTIATING`,
        `sandlot brokerage advance ${CASE_ID} --to COMPLETED --deal-price 450000`,
      ],
    }),
  ],
};
