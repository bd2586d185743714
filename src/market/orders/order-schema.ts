import { z } from 'zod';
import { EVENT_TYPES } from '../../events/catalogue.ts';
import { address, amount, currency, idOf, page, record, time } from '../../kernel/answer.ts';
import { ORDER_STATUSES } from '../../store/schema/words.ts';

/** The members of an order that the specification names. */
const SPECIFIED = ['public_id', 'domain', 'status', 'sale_price_cents', 'currency'];

export const buyerSchema = record(
  'Buyer',
  { says: 'Who bought.', specified: ['email', 'name', 'country'] },
  () => ({
    email: z.string(),
    name: z.string().nullable(),
    country: z.string().nullable(),
  }),
);

export const orderSchema = record(
  'Order',
  { says: 'A partner-collected sale.', specified: SPECIFIED },
  () => ({
    public_id: idOf('ord'),
    domain: z.string(),
    status: z.enum(ORDER_STATUSES),
    payment_model: z.literal('partner_collected'),
    sale_price_cents: amount(),
    currency: currency(),
    commission_cents: amount(),
    buyer: buyerSchema().nullable(),
    external_payment_ref: z.string().nullable(),
    quote_id: z.string().nullable(),
    return_url: address().nullable(),
    cancel_url: address().nullable(),
    created_at: time(),
    updated_at: time(),
  }),
);

const timelineEntrySchema = record(
  'OrderTimelineEntry',
  { says: 'A state that an order came to; oldest first.' },
  () => ({
    status: z.enum(ORDER_STATUSES),
    at: time(),
    event: z.enum(EVENT_TYPES).nullable(),
    note: z.string().nullable(),
  }),
);

export const orderDetailSchema = record(
  'OrderDetail',
  { says: 'An order with its transfer status and timeline.', specified: SPECIFIED },
  () => ({
    ...orderSchema().shape,
    transfer_status: z.enum(['pending', 'held', 'in_progress', 'completed', 'cancelled']),
    timeline: z.array(timelineEntrySchema()),
  }),
);

export const orderPageSchema = page('OrderPage', 'orders', orderSchema);

/** What events carry of an order. */
export const orderDataSchema = record(
  'OrderEventData',
  { says: 'The order that an event is about, as it was then.', specified: ['order'] },
  () => ({ order: orderOfEventSchema() }),
);

const orderOfEventSchema = record(
  'OrderOfEvent',
  { says: 'An order as events carry it.', specified: SPECIFIED },
  () => ({
    public_id: idOf('ord'),
    domain: z.string(),
    status: z.enum(ORDER_STATUSES),
    sale_price_cents: amount(),
    currency: currency(),
  }),
);
