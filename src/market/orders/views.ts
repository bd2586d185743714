import { isoTime } from '../../kernel/time.ts';
import type { OrderStatus } from '../../store/schema/words.ts';
import type { Tx } from '../../store/transaction.ts';
import { type Order, type TimelineEntry, timelineOf } from './orders.ts';

/** An Order as lists and POST /orders show it (decisions, "Quotes and orders"). */
export function orderView(order: Order) {
  const { buyerEmail, buyerName, buyerCountry } = order;
  return {
    public_id: order.id,
    domain: order.domain,
    status: order.status,
    payment_model: 'partner_collected' as const,
    sale_price_cents: order.salePriceCents,
    currency: order.currency,
    commission_cents: order.commissionCents,
    buyer:
      buyerEmail === null ? null : { email: buyerEmail, name: buyerName, country: buyerCountry },
    external_payment_ref: order.externalPaymentRef,
    quote_id: order.quoteToken,
    return_url: order.returnUrl,
    cancel_url: order.cancelUrl,
    created_at: isoTime(order.createdAt),
    updated_at: isoTime(order.updatedAt),
  };
}

/** The members of an order that events carry (specification, "Order"). */
export function orderEventData(
  order: Pick<Order, 'id' | 'domain' | 'status' | 'salePriceCents' | 'currency'>,
) {
  return {
    order: {
      public_id: order.id,
      domain: order.domain,
      status: order.status,
      sale_price_cents: order.salePriceCents,
      currency: order.currency,
    },
  };
}

const TRANSFER_STATUS = {
  EXTERNALLY_PAID: 'pending',
  MANUAL_REVIEW: 'held',
  TRANSFER_IN_PROGRESS: 'in_progress',
  TRANSFER_COMPLETED: 'completed',
  SETTLED: 'completed',
  REFUNDED: 'cancelled',
  CANCELLED: 'cancelled',
} as const satisfies Record<OrderStatus, string>;

/** An order with its transfer and timeline, as GET /orders/{public_id} shows it. */
export function orderDetailView(tx: Tx, order: Order) {
  return {
    ...orderView(order),
    transfer_status: TRANSFER_STATUS[order.status],
    timeline: timelineOf(tx, order.id).map(timelineView),
  };
}

function timelineView(entry: TimelineEntry) {
  return { status: entry.status, at: isoTime(entry.at), event: entry.event, note: entry.note };
}
