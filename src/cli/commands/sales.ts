import {
  CASES,
  CHECKOUT_SESSIONS,
  PAYOUTS,
  QUOTES,
  STATEMENTS,
  TRANSACTIONS,
} from '../../control/lists.ts';
import type { CancelledSession } from '../../market/checkout/session.ts';
import { CASE_STATUSES } from '../../store/schema/enums.ts';
import { action, type Command, type CommandModule, exampleId, show } from '../command.ts';
import { UsageError } from '../errors.ts';
import { listCommand, showCommand } from '../list-commands.ts';
import { argument, choice, count, text } from '../options.ts';

const SESSION = exampleId('cs');
const CASE = exampleId('brk');
/** The first transaction belongs to the order of the examples. */
const TRANSACTION = exampleId('txn', 2);

const PARTNER = {
  partner_id: text('--partner <partner>', 'Only this partner, by name or ID').naming('partner'),
};

const quote = () => import('../../market/quotes.ts');
const session = async () => (await import('../../market/checkout/session.ts')).controlSession;
const transaction = async () =>
  (await import('../../market/transactions/transaction.ts')).controlTransaction;
const cases = () => import('../../market/brokerage/case.ts');
const payout = async () => (await import('../../market/payout.ts')).controlPayout;
const statement = async () =>
  (await import('../../market/settlements/statement.ts')).controlStatement;

export const quotes: CommandModule = {
  group: 'Orders',
  nouns: { quotes: 'List quotes, which reserve domains.' },
  commands: [
    listCommand('quotes', QUOTES, {
      resource: async () => (await quote()).controlQuote,
      examples: [
        'sandlot quotes list',
        'sandlot quotes list --status live --domain held-order.test',
      ],
    }),
    showCommand('quotes', QUOTES, {
      resource: async () => (await quote()).controlQuoteDetail,
      id: argument('<id>', 'Short ID of the quote, or its quote_id').naming('quote'),
      examples: [`sandlot quotes show ${exampleId('qt')}`],
    }),
  ],
};

export const settlements: CommandModule = {
  group: 'Orders',
  nouns: { settlements: 'Close settlement periods, and list their statements.' },
  commands: [
    listCommand('settlements', STATEMENTS, {
      resource: statement,
      examples: ['sandlot settlements list', 'sandlot settlements list --status CLOSED --json'],
    }),
    showCommand('settlements', STATEMENTS, {
      resource: statement,
      id: argument('<id>', 'Statement ID').naming('statement'),
      examples: [`sandlot settlements show ${exampleId('stm')}`],
    }),
    show('settlements run', 'POST /settlements/run', {
      summary: 'Close the settlement period up to now and settle its completed orders.',
      resource: async () => (await import('../../market/settlements/statement.ts')).settlementRun,
      options: PARTNER,
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
    listCommand('checkout', CHECKOUT_SESSIONS, {
      resource: session,
      examples: ['sandlot checkout list', 'sandlot checkout list --status OPEN'],
    }),
    showCommand('checkout', CHECKOUT_SESSIONS, {
      resource: session,
      id: argument('<id>', 'Session ID').naming('session'),
      examples: [`sandlot checkout show ${SESSION}`],
    }),
    show('checkout pay', 'POST /checkout-sessions/:id/pay', {
      summary: 'Pay a hosted checkout as its buyer would.',
      resource: transaction,
      args: { id: argument('<id>', 'Session ID').naming('session') },
      options: {
        email: text('--email <address>', 'Email address of the buyer'),
        name: text('--name <name>', 'Name of the buyer'),
        country: text('--country <code>', 'Country of the buyer, two letters'),
      },
      input: ({ options: { email, name, country } }) => {
        if (email === undefined && (name !== undefined || country !== undefined)) {
          throw new UsageError('--email: missing; a buyer with a name or country needs it');
        }
        return email === undefined ? {} : { buyer: { email, name, country } };
      },
      examples: [
        `sandlot checkout pay ${SESSION}`,
        `sandlot checkout pay ${SESSION} --email ada@example.com --country GB`,
      ],
    }),
    action('checkout cancel', 'POST /checkout-sessions/:id/cancel', {
      summary: 'Cancel a hosted checkout as its buyer would.',
      args: { id: argument('<id>', 'Session ID').naming('session') },
      examples: [`sandlot checkout cancel ${SESSION}`],
      format: ({ session_id, domain }: CancelledSession) =>
        `Cancelled checkout ${session_id} for ${domain}`,
    }),
    listCommand('transactions', TRANSACTIONS, {
      resource: transaction,
      examples: [
        'sandlot transactions list',
        'sandlot transactions list --model marketplace_collected --status PAID',
      ],
    }),
    showCommand('transactions', TRANSACTIONS, {
      resource: transaction,
      id: argument('<id>', 'Transaction ID').naming('transaction'),
      examples: [`sandlot transactions show ${exampleId('txn')}`],
    }),
    move('deliver', 'Deliver the domain of a sale, so that its commission becomes pending.'),
    move('refund', 'Refund a sale and reverse its commission.'),
    listCommand('payouts', PAYOUTS, {
      resource: payout,
      examples: ['sandlot payouts list', 'sandlot payouts list --partner local --json'],
    }),
    showCommand('payouts', PAYOUTS, {
      resource: payout,
      id: argument('<id>', 'Payout ID').naming('payout'),
      examples: [`sandlot payouts show ${exampleId('pay')}`],
    }),
    show('payouts run', 'POST /payouts/run', {
      summary: 'Pay out all pending commissions.',
      resource: async () => (await import('../../market/payout.ts')).payoutRun,
      options: PARTNER,
      examples: ['sandlot payouts run', 'sandlot payouts run --partner local'],
    }),
    listCommand('brokerage', CASES, {
      resource: async () => (await cases()).controlCase,
      examples: ['sandlot brokerage list', 'sandlot brokerage list --status OPEN'],
    }),
    showCommand('brokerage', CASES, {
      resource: async () => (await cases()).controlCaseDetail,
      id: argument('<id>', 'Case ID').naming('case'),
      examples: [`sandlot brokerage show ${CASE}`],
    }),
    show('brokerage advance', 'POST /brokerage/:id/advance', {
      summary: 'Move a brokerage case; COMPLETED closes a deal and posts its commission.',
      resource: async () => (await cases()).controlCaseDetail,
      args: { id: argument('<id>', 'Case ID').naming('case') },
      options: {
        to: choice('--to <state>', 'State to reach', CASE_STATUSES).asRequired(),
        deal_price_cents: count(
          '--deal-price <cents>',
          'Price of the deal in cents (default: the budget)',
          1,
        ),
      },
      examples: [
        `sandlot brokerage advance ${CASE} --to NEGOTIATING`,
        `sandlot brokerage advance ${CASE} --to COMPLETED --deal-price 450000`,
      ],
    }),
  ],
};

function move(verb: 'deliver' | 'refund', summary: string): Command {
  return show(`transactions ${verb}`, `POST /transactions/:id/${verb}`, {
    summary,
    resource: transaction,
    args: { id: argument('<id>', 'Transaction ID').naming('transaction') },
    examples: [`sandlot transactions ${verb} ${TRANSACTION}`],
  });
}
