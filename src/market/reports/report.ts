import { z } from 'zod';
import { type Fields, resource } from '../../kernel/resource.ts';
import { COMMISSION_ENTRIES } from '../../store/schema/enums.ts';
import { buyer } from '../orders/order.ts';
import type { TimeRange } from '../time-range.ts';
import type { Sale } from '../transactions/transactions.ts';
import type { Analytics, CommissionRow } from './read-reports.ts';

const rangeFields = <Row extends TimeRange>({ time }: Fields<Row>) => ({
  from: time()
    .nullable()
    .from((row) => row.from ?? null),
  to: time()
    .nullable()
    .from((row) => row.to ?? null),
});

interface DayRow {
  date: string;
  clicks: number;
}

const clicksOfDay = resource(
  'ClicksOfDay',
  'Clicks on one UTC day.',
  ({ date, count }: Fields<DayRow>) => ({ date: date(), clicks: count() }),
);

export const clickReport = resource(
  'Clicks',
  'Clicks on all links in a time range; days without clicks are left out.',
  (f: Fields<TimeRange & { days: DayRow[] }>) => ({
    ...rangeFields(f),
    total_clicks: f.count().from(({ days }) => days.reduce((sum, day) => sum + day.clicks, 0)),
    days: f.list(clicksOfDay),
  }),
);

const attributedSale = resource(
  'AttributedSale',
  'A marketplace-collected sale attributed to the partner.',
  ({ id, object, text, amount, currency, time }: Fields<Sale>) => ({
    transaction_id: id('txn').from((row) => row.id),
    buyer: object(buyer).from((row) => ({
      email: row.buyerEmail ?? '',
      name: row.buyerName,
      country: row.buyerCountry,
    })),
    domain: text(),
    amount_cents: amount().from((row) => row.salePriceCents),
    // A refunded sale has no commission.
    commission_cents: amount().from((row) => (row.status === 'REFUNDED' ? 0 : row.commissionCents)),
    currency: currency(),
    link_id: id('lnk').nullable(),
    created_at: time(),
  }),
);
export const attributedSalePage = attributedSale.page('AttributedSalePage', 'sales');

const commission = resource(
  'CommissionLine',
  'An entry of the commission ledger; ACCRUED adds the amount to the balance, PENDING leaves the balance unchanged, PAID_OUT and REVERSED subtract the amount.',
  ({ id, text, oneOf, amount, number, currency, time }: Fields<CommissionRow>) => ({
    commission_id: id('com').from((row) => row.id),
    transaction_id: id('txn'),
    domain: text(),
    status: oneOf(COMMISSION_ENTRIES).from((row) => row.entry),
    amount_cents: amount(),
    balance_cents: number(() => z.int()),
    currency: currency(),
    created_at: time(),
  }),
);
export const commissionPage = commission.page('CommissionPage', 'commissions');

const funnel = resource(
  'Funnel',
  'From clicks to sales; the rate is sales divided by clicks, to four decimal places.',
  ({ count, number }: Fields<Analytics>) => ({
    clicks: count(),
    checkouts: count(),
    sales: count(),
    conversion_rate: number(() => z.number().min(0)),
  }),
);

const orderSums = resource(
  'OrderSums',
  'Number and total price of sales.',
  ({ count, amount }: Fields<Analytics['totals']>) => ({ count: count(), gmv_cents: amount() }),
);

export const analytics = resource(
  'Analytics',
  'The referral funnel, and the totals of /transactions over the same time range.',
  (f: Fields<Analytics>) => ({
    ...rangeFields(f),
    funnel: f.object(funnel).from((row) => row),
    orders: f.object(orderSums).from(({ totals }) => totals),
    commission_cents: f.amount().from(({ totals }) => totals.commissionCents),
    currency: f.currency().from(({ totals }) => totals.currency),
  }),
);
