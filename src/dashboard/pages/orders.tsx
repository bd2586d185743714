import { callControl } from '../../control/call-control.ts';
import { eventEndpoints } from '../../control/events.ts';
import { orderEndpoints } from '../../control/orders.ts';
import { type ControlOrder, controlOrder, controlOrderDetail } from '../../market/orders/order.ts';
import { ORDER_ACTIONS } from '../../market/orders/order-actions.ts';
import { DescriptionList, PageHeader, Section } from '../../ui/layout.tsx';
import { Table } from '../../ui/table.tsx';
import { escapeInvisibleInLine, Mono, Text } from '../../ui/text.tsx';
import type { Delivery } from '../../webhooks/delivery.ts';
import { type Action, Actions } from '../actions.tsx';
import { Crumbs, EmptyState, Link, type PageContext, type RenderedPage } from '../page.tsx';
import { itemsFrom } from '../resource-columns.tsx';
import { resourcePages, tableOf } from '../resource-pages.tsx';
import { DELIVERIES } from './deliveries.tsx';
import { RUN_SETTLEMENT } from './lists.tsx';

export const orders = resourcePages({
  lead: 'Sales recorded by partners, newest first.',
  endpoint: orderEndpoints.listOrders,
  resource: controlOrder,
  columns: ['status', 'sale_price_cents', 'partner', 'environment', 'updated_at'],
  detail: orderDetailPage,
  listActions: () => [RUN_SETTLEMENT],
  // Only the next move, and less prominent than on the page of the order.
  itemActions: (order) =>
    moveActions(order).flatMap((move) => (move.primary ? [{ ...move, primary: false }] : [])),
  emptyHint: 'Create a quote, then record the sale with its quote_id.',
  emptyCommands: [
    `request POST /api/partner/v1/quotes --data '{"domain":"held-order.test"}'`,
    `request POST /api/partner/v1/orders --idempotency-key first-sale --data '{"quote_id":"…","external_payment_ref":"pay-1"}'`,
  ],
});

/** Returns the buttons of the open moves; that of the next step is first, and primary. */
function moveActions(order: ControlOrder): Action[] {
  const { public_id, domain, partner_id, next_action: next } = order;
  const moves = order.open_moves.toSorted(
    (a, b) => Number(b.action === next) - Number(a.action === next),
  );
  return moves.map(({ action }) => {
    const { label } = ORDER_ACTIONS[action];
    const primary = action === next;
    // A settlement run settles all completed orders of a partner.
    if (action === 'settle') {
      return { label, primary, call: 'POST /settlements/run', send: { partner_id } };
    }
    const isFinal = action === 'refund' || action === 'cancel';
    return {
      label,
      primary,
      call: `POST /orders/${public_id}/advance`,
      send: { action },
      confirm: isFinal ? `${label} the order of ${domain}? This cannot be undone.` : undefined,
    };
  });
}

/** The list of deliveries without the domain, which the page of the order names. */
const ORDER_DELIVERIES = {
  ...DELIVERIES,
  columns: (DELIVERIES.columns ?? []).filter((name) => name !== 'domain'),
};

async function orderDetailPage(page: PageContext, id: string): Promise<RenderedPage> {
  const order = await callControl(orderEndpoints.getOrder, page, { params: { id } });
  const deliveries = await deliveriesOf(page, id);
  return {
    title: escapeInvisibleInLine(order.domain),
    content: (
      <>
        <Crumbs to="/dashboard/orders">Orders</Crumbs>
        <PageHeader title={<Mono>{order.domain}</Mono>} actions={await page.toolParts('actions')} />
        <section class="card" aria-label="Order">
          <DescriptionList
            items={[
              ...itemsFrom(
                controlOrderDetail,
                order,
                'status',
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
          {order.open_moves.length === 0 ? (
            <p class="quiet">{order.status} is final: the order has no open moves.</p>
          ) : (
            <div class="row">
              <Actions actions={moveActions(order)} about={order.domain} />
            </div>
          )}
        </section>
        {await page.toolParts('sections')}
        <Section title="Deliveries" id="deliveries">
          {deliveries.length > 0 ? (
            <Table {...tableOf(ORDER_DELIVERIES, page)} rows={deliveries} />
          ) : (
            <EmptyState title="No deliveries: no webhook was registered at the time of its events." />
          )}
        </Section>
      </>
    ),
  };
}

async function deliveriesOf(page: PageContext, orderId: string): Promise<Delivery[]> {
  const { events } = await callControl(eventEndpoints.listEvents, page, {
    query: { subject_id: orderId, limit: '100' },
  });
  const lists = events.map(({ id }) => {
    const query = { event_id: id, limit: '100' };
    return callControl(eventEndpoints.getDeliveries, page, { query });
  });
  return (await Promise.all(lists)).flatMap(({ deliveries }) => deliveries);
}
