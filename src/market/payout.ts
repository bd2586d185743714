import { countedPage, type Fields, resource } from '../kernel/resource.ts';
import { type NamedOwner, OWNER_HEADINGS, ownerFields } from '../store/owner-fields.ts';
import type { Page } from '../store/paging.ts';
import type { Payout } from './payouts.ts';

const payout = resource(
  'Payout',
  'Commission that was paid to the partner.',
  ({ id, amount, currency, constant, time }: Fields<Payout>) => ({
    payout_id: id('pay').from((row) => row.id),
    amount_cents: amount(),
    currency: currency(),
    status: constant('PAID'),
    created_at: time(),
  }),
);
export const payoutPage = payout.page('PayoutPage', 'payouts');

export const payoutHistory = resource(
  'PayoutHistory',
  'Payouts, newest first, and the total paid so far.',
  ({ list, amount, nextCursor }: Fields<Page<Payout> & { totalPaidCents: number }>) => ({
    payouts: list(payout).from((page) => page.rows),
    total_paid_cents: amount(),
    next_cursor: nextCursor().from((page) => page.next_cursor),
  }),
);

export const controlPayout = payout
  .extend('ControlPayout', 'A payout with its partner.', ownerFields<Payout & NamedOwner>)
  .display(
    {
      payout_id: 'Payout',
      status: 'Status',
      amount_cents: 'Amount',
      ...OWNER_HEADINGS,
      created_at: 'Created',
    },
    ['payout_id', 'amount_cents', 'partner', 'environment', 'created_at'],
  );
export const controlPayoutPage = countedPage(controlPayout, 'ControlPayoutPage', 'payouts');

export const payoutRun = resource(
  'PayoutRun',
  'The payouts of a payout run.',
  ({ list }: Fields<{ payouts: (Payout & NamedOwner)[] }>) => ({ payouts: list(controlPayout) }),
).display({
  count: ['Paid out', ({ payouts }) => payouts.length, 'count'],
  payouts: 'Payouts',
});
