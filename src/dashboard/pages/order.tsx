import { callControl } from '../../control/call-control.ts';
import { eventEndpoints } from '../../control/events.ts';
import { orderEndpoints } from '../../control/orders.ts';
import { type ControlOrderDetail, controlOrderDetail } from '../../market/orders/order.ts';
import { DescriptionList, PageHeader, Section } from '../../ui/layout.tsx';
import { columnsFrom, itemsFrom } from '../../ui/table.tsx';
import { escapeInvisibleInLine, Mono, Text } from '../../ui/text.tsx';
import type { Delivery } from '../../webhooks/delivery.ts';
import { EmptyState, Link, type Page, type PageContext } from '../page.tsx';
import { DeliveryTable } from './deliveries.tsx';
import { MoveButton } from './orders.tsx';

export async function orderPage(page: PageContext, id: string): Promise<Page> {
  const order = await callControl(orderEndpoints.getOrder, page, { params: { id } });
  const deliveries = await deliveriesOf(page, id);
  return {
    title: escapeInvisibleInLine(order.domain),
    live: ['orders', 'events', 'deliveries', 'requests'],
    content: (
      <>
        <p class="crumbs">
          <Link to="/dashboard/orders">Orders</Link>
        </p>
        <PageHeader title={<Mono>{order.domain}</Mono>} actions={await page.actions(id)} />
        <section class="card" aria-label="Order">
          <p class="outcome">{status(order)}</p>
          <DescriptionList
            items={[
              ...itemsFrom(
                controlOrderDetail,
                order,
                'public_id',
                'sale_price_cents',
                'commission_cents',
                'transfer_status',
                'buyer',
                'external_payment_ref',
              ),
              ['Partner', <Text>{`${order.partner}, ${order.environment}`}</Text>],
              ...itemsFrom(controlOrderDetail, order, 'created_at'),
              [
                'Requests',
                <Link to="/dashboard/requests" query={{ text: id, api: 'all' }}>
                  with this order
                </Link>,
              ],
            ]}
          />
          <Moves order={order} />
        </section>
        {await page.sections(id)}
        <Section title="Deliveries" id="deliveries">
          {deliveries.length > 0 ? (
            <DeliveryTable deliveries={deliveries} />
          ) : (
            <EmptyState title="No deliveries: the partner has not registered a webhook." />
          )}
        </Section>
      </>
    ),
  };
}

async function deliveriesOf(page: PageContext, id: string): Promise<Delivery[]> {
  const { events } = await callControl(eventEndpoints.listEvents, page, {
    query: { subject_id: id, limit: '100' },
  });
  const lists = events.map((event) =>
    callControl(eventEndpoints.getDeliveries, page, { query: { event_id: event.id } }),
  );
  return (await Promise.all(lists)).flatMap(({ deliveries }) => deliveries);
}

function status(order: ControlOrderDetail) {
  return columnsFrom(controlOrderDetail, 'status').map(({ cell }) => cell(order));
}

function Moves({ order }: { order: ControlOrderDetail }) {
  if (order.open_moves.length === 0) {
    return <p class="quiet">{order.status} is final: the order has no open moves.</p>;
  }
  const isNext = (action: string) => action === order.next_action;
  const moves = order.open_moves.toSorted(
    (a, b) => Number(isNext(b.action)) - Number(isNext(a.action)),
  );
  return (
    <div class="row">
      {moves.map((move) => (
        <MoveButton order={order} move={move} primary={isNext(move.action)} />
      ))}
    </div>
  );
}
