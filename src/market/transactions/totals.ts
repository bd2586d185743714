import { and, eq, gte, lt } from 'drizzle-orm';
import { param } from '../../store/prepared.ts';
import {
  COLLECTED_MODELS,
  type CollectedModel,
  ORDER_STATUSES,
  type OrderStatus,
  type PaymentModel,
  SALE_STATUSES,
  type SaleStatus,
} from '../../store/schema/enums.ts';
import { transactions } from '../../store/schema/money.ts';
import { orderState } from '../../store/schema/order-states.ts';
import { orders } from '../../store/schema/orders.ts';
import type { Owner } from '../../store/schema/partners.ts';
import { ownedBy, select } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import { CURRENCY } from '../defaults.ts';
import { boundsOf, type Sums, sumsOf, type TimeRange, ZERO_SUMS } from '../sums.ts';

/** Sums over all sales of a filter, in cents. Refunded and cancelled sales are not counted. */
export interface Totals {
  count: number;
  gmvCents: number;
  commissionCents: number;
  currency: string;
}

const inRange = (table: typeof orders | typeof transactions) =>
  and(
    ownedBy(table),
    eq(table.status, param('status')),
    gte(table.createdAt, param('from')),
    lt(table.createdAt, param('to')),
  );
const sumOrders = select(orders, {
  columns: sumsOf(orders.salePriceCents, orders.commissionCents),
  where: [inRange(orders)],
});
const sumCollected = select(transactions, {
  columns: sumsOf(transactions.salePriceCents, transactions.commissionCents),
  where: [eq(transactions.paymentModel, param('model')), inRange(transactions)],
});

/** Sums up the sales of a time range. */
export function totalsOf(tx: Tx, owner: Owner, filter: SaleFilter & TimeRange): Totals {
  const { count, amountCents, commissionCents } = sumSales(tx, owner, countedKinds(filter), filter);
  return { count, gmvCents: amountCents, commissionCents, currency: CURRENCY };
}

/** Sums up sales of some kinds. */
export function sumSales(
  tx: Tx,
  { partnerId, environment }: Owner,
  kinds: readonly SaleKind[],
  range: TimeRange = {},
): Sums {
  const values = { partnerId, environment, ...boundsOf(range) };
  const sums = { ...ZERO_SUMS };
  for (const { model, status } of kinds) {
    const query = model === 'partner_collected' ? sumOrders : sumCollected;
    const part = query(tx).get({ ...values, model, status }) ?? ZERO_SUMS;
    sums.count += part.count;
    sums.amountCents += part.amountCents;
    sums.commissionCents += part.commissionCents;
  }
  return sums;
}

export interface SaleFilter {
  status?: OrderStatus | SaleStatus | undefined;
  paymentModel?: PaymentModel | undefined;
}

type SaleKind =
  | { model: 'partner_collected'; status: OrderStatus }
  | { model: CollectedModel; status: SaleStatus };

export function includesOrders({ status, paymentModel }: SaleFilter): boolean {
  const model = paymentModel === undefined || paymentModel === 'partner_collected';
  return model && orderStatuses(status).length > 0;
}

function orderStatuses(status: SaleFilter['status']): OrderStatus[] {
  return ORDER_STATUSES.filter((state) => status === undefined || state === status);
}

/** Lists the payment models and statuses of sales without an order that a filter includes. */
export function collectedKinds({
  status,
  paymentModel,
}: SaleFilter): (SaleKind & { model: CollectedModel })[] {
  const models = COLLECTED_MODELS.filter(
    (model) => paymentModel === undefined || model === paymentModel,
  );
  const statuses = SALE_STATUSES.filter((state) => status === undefined || state === status);
  return models.flatMap((model) => statuses.map((state) => ({ model, status: state })));
}

/** Lists the kinds of sale that the totals of a filter count. Refunded and cancelled sales are not counted. */
function countedKinds(filter: SaleFilter): SaleKind[] {
  const statuses = includesOrders(filter) ? orderStatuses(filter.status) : [];
  return [
    ...statuses
      .filter((status) => orderState(status).sold)
      .map((status) => ({ model: 'partner_collected' as const, status })),
    ...collectedKinds(filter).filter(({ status }) => status !== 'REFUNDED'),
  ];
}
