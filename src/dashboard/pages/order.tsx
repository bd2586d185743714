import { ask } from '../../control/call-control.ts';
import type { ControlEvent } from '../../control/events.ts';
import { getAllEvents, getDeliveries } from '../../control/events.ts';
import { getAnyOrder } from '../../control/orders.ts';
import { formatMoney } from '../../kernel/money.ts';
import type { ControlOrderDetail } from '../../market/orders/order.ts';
import type { Delivery } from '../../webhooks/deliveries.ts';
import { State } from '../parts/badge.tsx';
import { Empty, Facts, Head, Section } from '../parts/section.tsx';
import { Mono, Text } from '../parts/text.tsx';
import { When } from '../parts/when.tsx';
import { type Place, segment, to } from '../place.ts';
import { plainLine } from '../plain.ts';
import type { View } from '../reply.tsx';
import { DeliveryTable } from './deliveries.tsx';
import { MoveButton } from './moves.tsx';

/** One order: where it stands, what can become of it, what was told about it. */
export async function orderPage(at: Place, id: string): Promise<View> {
  const order = await ask<ControlOrderDetail>(getAnyOrder, at, { params: { id } });
  const { events } = await ask<{ events: ControlEvent[] }>(getAllEvents, at, {
    query: { subject_id: id, limit: '100' },
  });
  const deliveries: Delivery[] = [];
  for (const event of events) {
    const query = { event_id: event.id };
    deliveries.push(
      ...(await ask<{ deliveries: Delivery[] }>(getDeliveries, at, { query })).deliveries,
    );
  }
  return {
    title: plainLine(order.domain),
    live: ['orders', 'events', 'deliveries'],
    content: (
      <>
        <p class="crumbs">
          <a href={to(at, '/dashboard/orders')}>Orders</a>
        </p>
        <Head title={<Mono>{order.domain}</Mono>} />
        <section class="card" aria-label="Order">
          <p class="outcome">
            <State>{order.status}</State>
          </p>
          <OrderFacts at={at} order={order} />
          <Moves at={at} order={order} />
        </section>
        <Timeline order={order} />
        <Section title="Deliveries of its events" id="deliveries">
          {deliveries.length > 0 ? (
            <DeliveryTable at={at} deliveries={deliveries} />
          ) : (
            <Empty says="Nothing was delivered: its partner has registered no webhook." />
          )}
        </Section>
      </>
    ),
  };
}

function OrderFacts({ at, order }: { at: Place; order: ControlOrderDetail }) {
  const { buyer, currency } = order;
  const mentions = to(at, '/dashboard/requests', { text: order.public_id });
  return (
    <Facts
      facts={[
        ['Order', <Mono>{order.public_id}</Mono>],
        ['Price', `${formatMoney(order.sale_price_cents, currency)} ${currency}`],
        ['Commission', formatMoney(order.commission_cents, currency)],
        ['Transfer', order.transfer_status],
        [
          'Buyer',
          buyer && (
            <Text>
              {[buyer.name, buyer.email, buyer.country].filter((each) => each).join(', ')}
            </Text>
          ),
        ],
        [
          'Payment reference',
          order.external_payment_ref && <Text>{order.external_payment_ref}</Text>,
        ],
        ['Partner', `${order.partner_id}, ${order.environment}`],
        ['Recorded', <When at={order.created_at} />],
        ['Requests', <a href={mentions}>that mention it</a>],
      ]}
    />
  );
}

function Moves({ at, order }: { at: Place; order: ControlOrderDetail }) {
  if (order.open_moves.length === 0) {
    return <p class="quiet">{order.status} is final: no move leads out of it.</p>;
  }
  const first = (action: string) => Number(action === order.next_action);
  const moves = order.open_moves.toSorted((a, b) => first(b.action) - first(a.action));
  return (
    <div class="row">
      {moves.map((move) => (
        <MoveButton
          at={at}
          order={order}
          move={move}
          {...(move.action === order.next_action && { kind: 'main' })}
        />
      ))}
    </div>
  );
}

function Timeline({ order }: { order: ControlOrderDetail }) {
  return (
    <Section title="Timeline" id="timeline">
      <ol class="timeline">
        {order.timeline.map(({ status, at, event, note }) => (
          <li>
            <State>{status}</State> <When at={at} />
            {event && <span class="id">{event}</span>}
            {note && (
              <p>
                <Text>{note}</Text>
              </p>
            )}
          </li>
        ))}
      </ol>
    </Section>
  );
}

/** The page of what an event is about: an order; there is none of a brokerage case. */
export function subjectLink(at: Place, subject: string) {
  if (!subject.startsWith('ord_')) return <Mono>{subject}</Mono>;
  return (
    <a href={to(at, `/dashboard/orders/${segment(subject)}`)}>
      <Mono>{subject}</Mono>
    </a>
  );
}
