import { action, type CommandModule, exampleId, list } from '../command.ts';
import { text } from '../options.ts';

const SESSION = exampleId('cs');
const CASE = exampleId('brk');
/** The first transaction belongs to the order of the examples. */
const TRANSACTION = exampleId('txn', 2);

const session = async () => (await import('../../market/checkout/session.ts')).controlSession;
const transaction = async () =>
  (await import('../../market/transactions/transaction.ts')).controlTransaction;
const cases = () => import('../../market/brokerage/case.ts');
const payout = () => import('../../market/payout.ts');
const statement = () => import('../../market/settlements/statement.ts');

export const settlements: CommandModule = {
  group: 'Orders',
  nouns: { settlements: 'Close settlement periods, and list their statements.' },
  commands: [
    list('settlements list', 'GET /settlements', {
      resource: async () => (await statement()).controlStatement,
      plural: 'settlement statements',
      examples: ['sandlot settlements list', 'sandlot settlements list --status CLOSED --json'],
    }),
    action('settlements run', 'POST /settlements/run', {
      resource: async () => (await statement()).settlementRun,
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
      resource: session,
      examples: ['sandlot checkout list', 'sandlot checkout list --status OPEN'],
    }),
    action('checkout pay', 'POST /checkout-sessions/{id}/pay', {
      resource: transaction,
      only: [],
      options: {
        email: text('--email <address>', 'Email address of the buyer'),
        name: text('--name <name>', 'Name of the buyer'),
        country: text('--country <code>', 'Country of the buyer, two letters'),
      },
      input: ({ options }) =>
        Object.values(options).some((value) => value !== undefined) ? { buyer: options } : {},
      examples: [
        `sandlot checkout pay ${SESSION}`,
        `sandlot checkout pay ${SESSION} --email ada@example.com --country GB`,
      ],
    }),
    action('checkout cancel', 'POST /checkout-sessions/{id}/cancel', {
      examples: [`sandlot checkout cancel ${SESSION}`],
      format: ({ session_id, domain }) => `Cancelled checkout ${session_id} for ${domain}`,
    }),
    list('transactions list', 'GET /transactions', {
      resource: transaction,
      examples: ['sandlot transactions list', 'sandlot transactions list --status PAID'],
    }),
    action('transactions deliver', 'POST /transactions/{id}/deliver', {
      resource: transaction,
      examples: [`sandlot transactions deliver ${TRANSACTION}`],
    }),
    action('transactions refund', 'POST /transactions/{id}/refund', {
      resource: transaction,
      examples: [`sandlot transactions refund ${TRANSACTION}`],
    }),
    list('payouts list', 'GET /payouts', {
      resource: async () => (await payout()).controlPayout,
      examples: ['sandlot payouts list', 'sandlot payouts list --partner local --json'],
    }),
    action('payouts run', 'POST /payouts/run', {
      resource: async () => (await payout()).payoutRun,
      examples: ['sandlot payouts run', 'sandlot payouts run --partner local'],
    }),
    list('brokerage list', 'GET /brokerage', {
      resource: async () => (await cases()).controlCase,
      plural: 'brokerage cases',
      examples: ['sandlot brokerage list', 'sandlot brokerage list --status OPEN'],
    }),
    action('brokerage advance', 'POST /brokerage/{id}/advance', {
      resource: async () => (await cases()).controlCaseDetail,
      examples: [
        `sandlot brokerage advance ${CASE} --to NEGOTIATING`,
        `sandlot brokerage advance ${CASE} --to COMPLETED --deal-price 450000`,
      ],
    }),
  ],
};
