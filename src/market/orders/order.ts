import { EVENT_TYPES } from '../../events/event-types.ts';
import type { Tone } from '../../kernel/columns.ts';
import { countedPage, type Fields, type Output, resource } from '../../kernel/resource.ts';
import { type NamedOwner, OWNER_HEADINGS, ownerFields } from '../../store/owner-fields.ts';
import {
  ORDER_STATUSES,
  type OrderStatus,
  orderState,
  TRANSFER_STATUSES,
} from '../../store/schema/order-states.ts';
import { timelineEntryOf } from '../timeline-entry.ts';
import { nextAction, ORDER_ACTION_NAMES, openMoves, type Transition } from './order-actions.ts';
import type { OrderRow, TimelineEntryRow } from './orders.ts';

export interface Buyer {
  email: string;
  name: string | null;
  country: string | null;
}

export const buyer = resource('Buyer', 'The buyer of a domain.', ({ text }: Fields<Buyer>) => ({
  email: text().specified(),
  name: text().nullable().specified(),
  country: text().nullable().specified(),
}));

export const order = resource(
  'Order',
  'A partner-collected sale.',
  ({ id, text, oneOf, constant, amount, currency, object, time }: Fields<OrderRow>) => ({
    public_id: id('ord')
      .from((row) => row.id)
      .specified(),
    domain: text().specified(),
    status: oneOf(ORDER_STATUSES).tone(toneOf).specified(),
    payment_model: constant('partner_collected'),
    sale_price_cents: amount().specified(),
    currency: currency().specified(),
    commission_cents: amount(),
    buyer: object(buyer).nullable().from(buyerOf),
    external_payment_ref: text().nullable(),
    quote_id: text()
      .nullable()
      .from((row) => row.quoteToken),
    return_url: text().nullable(),
    cancel_url: text().nullable(),
    created_at: time(),
    updated_at: time(),
  }),
).display(
  {
    public_id: 'Order',
    domain: 'Domain',
    status: 'Status',
    sale_price_cents: 'Price',
    commission_cents: 'Commission',
    buyer: [
      'Buyer',
      ({ buyer: row }) => row && [row.name, row.email, row.country].filter(Boolean).join(', '),
    ],
    external_payment_ref: 'Payment reference',
    created_at: 'Recorded',
    updated_at: 'Last change',
  },
  ['public_id', 'domain', 'status', 'sale_price_cents', 'created_at'],
);
export const orderPage = order.page('OrderPage', 'orders');

const timelineEntry = timelineEntryOf(
  'OrderTimelineEntry',
  'A state that the order was in, oldest first.',
  ORDER_STATUSES,
  toneOf,
);

type OrderDetailRow = OrderRow & { timeline: TimelineEntryRow[] };

export const orderDetail = order
  .extend(
    'OrderDetail',
    'An order with its transfer status and timeline.',
    ({ oneOf, list }: Fields<OrderDetailRow>) => ({
      transfer_status: oneOf(TRANSFER_STATUSES).from((row) => orderState(row.status).transfer),
      timeline: list(timelineEntry),
    }),
  )
  .display({ transfer_status: 'Transfer', timeline: 'Timeline' });

type OrderEventRow = Pick<OrderRow, 'id' | 'domain' | 'status' | 'salePriceCents' | 'currency'>;

const orderOfEvent = resource(
  'OrderOfEvent',
  'An order in an event.',
  ({ id, text, oneOf, amount, currency }: Fields<OrderEventRow>) => ({
    public_id: id('ord')
      .from((row) => row.id)
      .specified(),
    domain: text().specified(),
    status: oneOf(ORDER_STATUSES).specified(),
    sale_price_cents: amount().specified(),
    currency: currency().specified(),
  }),
);

/** `data` of an order event (specification, "Order"). */
export const orderEventData = resource(
  'OrderEventData',
  'The order that the event is about, at the time of the event.',
  ({ object }: Fields<OrderEventRow>) => ({
    order: object(orderOfEvent)
      .from((row) => row)
      .specified(),
  }),
);

const openMove = resource(
  'OpenMove',
  'A move that the state of the order allows.',
  ({ oneOf }: Fields<Transition>) => ({
    action: oneOf(ORDER_ACTION_NAMES),
    to: oneOf(ORDER_STATUSES),
  }),
);

const controlFields = <Row extends OrderRow & NamedOwner>(f: Fields<Row>) => ({
  ...ownerFields(f),
  open_moves: f.list(openMove).from((row) => openMoves(row.status)),
  next_action: f
    .oneOf(ORDER_ACTION_NAMES)
    .nullable()
    .from((row) => nextAction(row.status) ?? null),
});

export const controlOrder = order
  .extend(
    'ControlOrder',
    'An order with its partner and open moves.',
    controlFields<OrderRow & NamedOwner>,
  )
  .display(OWNER_HEADINGS);
export type ControlOrder = Output<typeof controlOrder>;
export const controlOrderPage = countedPage(controlOrder, 'ControlOrderPage', 'orders');

export const controlOrderDetail = orderDetail
  .extend(
    'ControlOrderDetail',
    'An order with its partner, transfer status, timeline and open moves.',
    controlFields<OrderDetailRow & NamedOwner>,
  )
  .display(OWNER_HEADINGS);

const routeStep = openMove
  .extend('RouteStep', 'A move on the route to a state.', ({ oneOf }: Fields<Transition>) => ({
    event: oneOf(EVENT_TYPES).nullable(),
  }))
  .display({ action: 'Step', to: 'To', event: 'Event' });

/** Why an order is not in a state, and the nearest legal route there. */
export interface WhyNotRow {
  order: OrderRow;
  to: OrderStatus;
  route: Transition[] | undefined;
  reason: string;
}

export const whyNot = resource(
  'WhyNot',
  'Why an order is not in a state, and the nearest legal route there.',
  ({ id, oneOf, flag, text, list }: Fields<WhyNotRow>) => ({
    public_id: id('ord').from(({ order }) => order.id),
    status: oneOf(ORDER_STATUSES).from(({ order }) => order.status),
    to: oneOf(ORDER_STATUSES),
    reachable: flag().from(({ route }) => route !== undefined),
    reason: text(),
    route: list(routeStep).from(({ route }) => route ?? []),
    open_moves: list(openMove).from(({ order }) => openMoves(order.status)),
  }),
).display({
  reason: 'Reason',
  open_moves: [
    'Open moves',
    (item) => item.open_moves.map((move) => `${move.action} (${move.to})`).join(', '),
  ],
  route: 'Route',
});

function toneOf(status: OrderStatus): Tone {
  return orderState(status).tone;
}

function buyerOf({ buyerEmail, buyerName, buyerCountry }: OrderRow): Buyer | null {
  if (buyerEmail === null) return null;
  return { email: buyerEmail, name: buyerName, country: buyerCountry };
}
