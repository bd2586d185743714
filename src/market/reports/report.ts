import { and, count, type InferSelectModel, sql } from 'drizzle-orm';
import { z } from 'zod';
import { type Fields, jsonResource, type Output, resource } from '../../kernel/resource.ts';
import { DAY, isoTime } from '../../kernel/time.ts';
import {
  type ListFilter,
  mapPage,
  matchingFilter,
  ownList,
  type Page,
  type PageRequest,
  withinTime,
} from '../../store/paging.ts';
import { checkoutSessions } from '../../store/schema/checkout.ts';
import { COMMISSION_ENTRIES } from '../../store/schema/enums.ts';
import { ledger } from '../../store/schema/money.ts';
import type { Owner } from '../../store/schema/partners.ts';
import { clicks } from '../../store/schema/referrals.ts';
import { ownedBy } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { buyer } from '../orders/order.ts';
import { type Totals, totalsOf } from '../transactions/totals.ts';
import { requireSale, type Sale } from '../transactions/transactions.ts';

/** A range of sandbox time, Unix ms: `from` inclusive, `to` exclusive, both optional. */
type TimeRange = Pick<ListFilter, 'from' | 'to'>;

interface Analytics extends TimeRange {
  clicks: number;
  checkouts: number;
  sales: number;
  conversionRate: number;
  totals: Totals;
}

/** Returns the funnel of GET /analytics. It counts sales without a link, but no refunded ones: its rate may exceed 1. */
export function analyticsOf(tx: Tx, owner: Owner, range: TimeRange): Analytics {
  const filter = { ...owner, ...range };
  const clickCount = sumOfClicks(clicksByDay(tx, owner, range));
  const sessions = tx.db.select({ n: count() }).from(checkoutSessions);
  const checkouts = sessions.where(and(...matchingFilter(checkoutSessions, filter))).get()?.n ?? 0;
  const sales = totalsOf(tx, { ...filter, paymentModel: 'marketplace_collected' }).count;
  return {
    ...range,
    clicks: clickCount,
    checkouts,
    sales,
    conversionRate: clickCount === 0 ? 0 : Math.round((sales / clickCount) * 10_000) / 10_000,
    totals: totalsOf(tx, filter),
  };
}

/** Counts the clicks on a partner's links by UTC day, oldest first, without days that have none. */
export function clicksByDay(tx: Tx, owner: Owner, range: TimeRange): DayRow[] {
  // Raw, because a bound number is REAL and would not divide whole.
  const day = sql<number>`${clicks.at} / ${sql.raw(`${DAY}`)}`;
  return tx.db
    .select({ day, clicks: count() })
    .from(clicks)
    .where(and(ownedBy(clicks, owner), ...withinTime(clicks.at, range)))
    .groupBy(day)
    .orderBy(day)
    .all()
    .map(({ day, clicks }) => ({ date: isoTime(day * DAY).slice(0, 10), clicks }));
}

function sumOfClicks(days: readonly DayRow[]): number {
  return days.reduce((sum, day) => sum + day.clicks, 0);
}

type CommissionRow = InferSelectModel<typeof ledger> & { domain: string };

const listEntries = ownList('commissions', ledger);

/** Lists entries of the commission ledger with the running balance, newest first (GET /me/commissions). */
export function listCommissions(tx: Tx, owner: Owner, page: PageRequest): Page<CommissionRow> {
  return mapPage(listEntries(tx, owner, page), (entry) => ({
    ...entry,
    domain: requireSale(tx, entry.transactionId).domain,
  }));
}

const rangeFields = <Row extends TimeRange>({ time }: Fields<Row>) => ({
  from: time()
    .nullable()
    .from((row) => row.from ?? null),
  to: time()
    .nullable()
    .from((row) => row.to ?? null),
});

const clicksOfDay = jsonResource('ClicksOfDay', 'Clicks on one UTC day.', () => ({
  date: z.iso.date(),
  clicks: z.int().min(0),
}));
type DayRow = Output<typeof clicksOfDay>;

export const clickReport = resource(
  'Clicks',
  'Clicks on all links in a time range; days without clicks are left out.',
  (f: Fields<TimeRange & { days: DayRow[] }>) => ({
    ...rangeFields(f),
    total_clicks: f.count().from(({ days }) => sumOfClicks(days)),
    days: f.list(clicksOfDay),
  }),
);

const attributedSale = resource(
  'AttributedSale',
  'A marketplace-collected sale attributed to the partner.',
  ({ id, object, text, amount, currency, time }: Fields<Sale>) => ({
    transaction_id: id('txn').from((row) => row.id),
    buyer: object(buyer).from((row) => ({
      // The hosted page requires one; only an order may have none.
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

const saleSums = resource(
  'OrderSums',
  'Number and total price of sales.',
  ({ count, amount }: Fields<Totals>) => ({ count: count(), gmv_cents: amount() }),
);

export const analytics = resource(
  'Analytics',
  'The referral funnel, and the totals of /transactions over the same time range.',
  (f: Fields<Analytics>) => ({
    ...rangeFields(f),
    funnel: f.object(funnel).from((row) => row),
    orders: f.object(saleSums).from(({ totals }) => totals),
    commission_cents: f.amount().from(({ totals }) => totals.commissionCents),
    currency: f.currency().from(({ totals }) => totals.currency),
  }),
);
