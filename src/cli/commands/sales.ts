import type { CancelledSession } from '../../market/checkout/session.ts';
import { CASE_STATUSES } from '../../store/schema/enums.ts';
import { action, type Command, type CommandModule, exampleId, show } from '../command.ts';
import { UsageError } from '../errors.ts';
import { argument, choice, count, text } from '../options.ts';

const SESSION = exampleId('cs');
const CASE = exampleId('brk');
/** The first transaction belongs to the order of the examples. */
const TRANSACTION = exampleId('txn', 2);

const PARTNER = { partner_id: text('--partner <id>', 'Only this partner ID').naming('partner') };

const transaction = async () =>
  (await import('../../market/transactions/transaction.ts')).controlTransaction;

export const settlements: CommandModule = {
  group: 'Orders',
  nouns: { settlements: 'Close settlement periods.' },
  commands: [
    show('settlements run', 'POST /settlements/run', {
      summary: 'Close the settlement period up to now and settle its completed orders.',
      resource: async () => (await import('../../market/settlements/statement.ts')).settlementRun,
      options: PARTNER,
      examples: ['sandlot settlements run', 'sandlot settlements run --partner ptr_local'],
    }),
  ],
};

export const sales: CommandModule = {
  group: 'Marketplace-collected sales and brokerage',
  nouns: {
    checkout: 'Pay or cancel hosted checkouts.',
    transactions: 'Deliver or refund sales that the marketplace collected.',
    payouts: 'Pay out commissions.',
    brokerage: 'Move brokerage cases.',
  },
  commands: [
    show('checkout pay', 'POST /checkout-sessions/:id/pay', {
      summary: 'Pay a hosted checkout as its buyer would.',
      resource: transaction,
      args: { id: argument('<id>', 'Session ID').setting('session_id') },
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
      args: { id: argument('<id>', 'Session ID').setting('session_id') },
      examples: [`sandlot checkout cancel ${SESSION}`],
      format: ({ session_id, domain }: CancelledSession) =>
        `Cancelled checkout ${session_id} for ${domain}`,
    }),
    move('deliver', 'Deliver the domain of a sale, so that its commission becomes pending.'),
    move('refund', 'Refund a sale and reverse its commission.'),
    show('payouts run', 'POST /payouts/run', {
      summary: 'Pay out all pending commissions.',
      resource: async () => (await import('../../market/payout.ts')).payoutRun,
      options: PARTNER,
      examples: ['sandlot payouts run', 'sandlot payouts run --partner ptr_local'],
    }),
    show('brokerage advance', 'POST /brokerage/:id/advance', {
      summary: 'Move a brokerage case; COMPLETED closes a deal and posts its commission.',
      resource: async () => (await import('../../market/brokerage/case.ts')).controlCase,
      args: { id: argument('<id>', 'Case ID').setting('case_id') },
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
    args: { id: argument('<id>', 'Transaction ID').setting('transaction_id') },
    examples: [`sandlot transactions ${verb} ${TRANSACTION}`],
  });
}
