import { callControl } from '../../control/call-control.ts';
import { eventEndpoints } from '../../control/events.ts';
import { orderEndpoints } from '../../control/orders.ts';
import {
  type ControlOrder,
  type ControlOrderDetail,
  controlOrder,
  controlOrderDetail,
} from '../../market/orders/order.ts';
import { ORDER_ACTIONS } from '../../market/orders/order-actions.ts';
import { DescriptionList, PageHeader, Section } from '../../ui/layout.tsx';
import { Table } from '../../ui/table.tsx';
import { escapeInvisibleInLine, Mono, Text } from '../../ui/text.tsx';
import type { Delivery } from '../../webhooks/delivery.ts';
import { ActionButton } from '../actions.tsx';
import { EmptyState, Link, type Page, type PageContext } from '../page.tsx';
import { columnsFrom, itemsFrom } from '../resource-columns.tsx';
import { resourcePages, tableOf } from '../resource-pages.tsx';
import { DELIVERIES } from './deliveries.tsx';
import { RunSettlement } from './lists.tsx';

export const orders = resourcePages({
  title: 'Orders',
  singular: 'order',
  lead: 'Sales recorded by partners, newest first.',
  live: ['orders'],
  list: orderEndpoints.listOrders,
  item: controlOrder,
  columns: ['status', 'sale_price_cents', 'partner', 'environment', 'updated_at'],
  detail: orderPage,
  header: () => <RunSettlement />,
  actions: (order) => {
    const move = order.open_moves.find(({ action }) => action === order.next_action);
    return move && <MoveButton order={order} move={move} />;
  },
  hint: 'Create a quote, then record the sale with its quote_id.',
  create: [
    `request POST /api/partner/v1/quotes --data '{"domain":"held-order.test"}'`,
    `request POST /api/partner/v1/orders --idempotency-key first-sale --data '{"quote_id":"…","external_payment_ref":"pay-1"}'`,
  ],
});

interface MoveButtonProps {
  order: Pick<ControlOrder, 'public_id' | 'domain' | 'partner_id' | 'partner'>;
  move: ControlOrder['open_moves'][number];
  primary?: boolean;
}

function MoveButton({ order, move: { action }, primary = false }: MoveButtonProps) {
  const { public_id, domain, partner_id, partner } = order;
  const { label } = ORDER_ACTIONS[action];
  // A settlement run settles all completed orders of a partner.
  if (action === 'settle') {
    return (
      <ActionButton
        call="POST /settlements/run"
        send={{ partner_id }}
        about={`for ${partner}`}
        primary={primary}
      >
        {label}
      </ActionButton>
    );
  }
  const isFinal = action === 'refund' || action === 'cancel';
  return (
    <ActionButton
      call={`POST /orders/${public_id}/advance`}
      send={{ action }}
      confirm={isFinal ? `${label} the order of ${domain}? This cannot be undone.` : undefined}
      about={`of ${domain}`}
      primary={primary}
    >
      {label}
    </ActionButton>
  );
}

async function orderPage(page: PageContext, id: string): Promise<Page> {
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
            <Table {...tableOf(DELIVERIES)} rows={deliveries} />
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
