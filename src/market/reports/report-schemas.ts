import { z } from 'zod';
import { amount, count, currency, idOf, NOTES, page, record, time } from '../../kernel/answer.ts';
import { buyer } from '../orders/order.ts';

const window = () => ({ from: time().nullable(), to: time().nullable() });

const clicksOfDaySchema = record('ClicksOfDay', { says: 'Clicks on one UTC day.' }, () => ({
  date: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/)
    .register(NOTES, { format: 'date' }),
  clicks: count(),
}));

export const clicksSchema = record(
  'Clicks',
  { says: 'Clicks on all links in a window; days without any are left out.' },
  () => ({ ...window(), total_clicks: count(), days: z.array(clicksOfDaySchema()) }),
);

const attributedSaleSchema = record(
  'AttributedSale',
  { says: 'A marketplace-collected sale that counts for the partner.' },
  () => ({
    transaction_id: idOf('txn'),
    buyer: buyer.schema(),
    domain: z.string(),
    amount_cents: amount(),
    commission_cents: amount(),
    currency: currency(),
    link_id: idOf('lnk').nullable(),
    created_at: time(),
  }),
);

export const attributedSalePageSchema = page('AttributedSalePage', 'sales', attributedSaleSchema);

const commissionSchema = record(
  'CommissionLine',
  {
    says: 'A line of the commission ledger; ACCRUED adds its amount to the balance, PENDING leaves it, PAID_OUT and REVERSED take it off.',
  },
  () => ({
    commission_id: idOf('com'),
    transaction_id: idOf('txn'),
    domain: z.string(),
    status: z.enum(['ACCRUED', 'PENDING', 'PAID_OUT', 'REVERSED']),
    amount_cents: amount(),
    balance_cents: z.int(),
    currency: currency(),
    created_at: time(),
  }),
);

export const commissionPageSchema = page('CommissionPage', 'commissions', commissionSchema);

const funnelSchema = record(
  'Funnel',
  { says: 'From clicks to sales; the rate is sales by clicks, to four places.' },
  () => ({
    clicks: count(),
    checkouts: count(),
    sales: count(),
    conversion_rate: z.number().min(0),
  }),
);

export const analyticsSchema = record(
  'Analytics',
  { says: 'The referral funnel, and the sums of /transactions over the same window.' },
  () => ({
    ...window(),
    funnel: funnelSchema(),
    orders: z.object({ count: count(), gmv_cents: amount() }),
    commission_cents: amount(),
    currency: currency(),
  }),
);
