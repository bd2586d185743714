import { ORDERS } from '../../control/lists.ts';
import { orderEndpoints } from '../../control/orders.ts';
import { type ControlOrder, controlOrder } from '../../market/orders/order.ts';
import { ORDER_ACTIONS } from '../../market/orders/order-actions.ts';
import { column, columnsFrom } from '../../ui/table.tsx';
import { Mono, Text } from '../../ui/text.tsx';
import { ActionButton } from '../actions.tsx';
import { fieldsOf, listPage } from '../list-page.tsx';
import { EmptyState, Link, type Page, type PageContext } from '../page.tsx';

export function ordersPage(page: PageContext): Promise<Page> {
  return listPage<ControlOrder>(page, {
    title: 'Orders',
    singular: 'order',
    lead: 'Sales recorded by partners, newest first.',
    live: ['orders'],
    actions: (
      <ActionButton
        call="POST /settlements/run"
        done="Settled the completed orders"
        confirm="Close the settlement period now and settle all completed orders?"
      >
        Run settlement
      </ActionButton>
    ),
    endpoint: orderEndpoints.listOrders,
    filters: fieldsOf(ORDERS),
    caption: 'Orders, newest first',
    keyOf: ({ public_id }) => public_id,
    columns: [
      column('Order', 'main', ({ public_id, domain }) => (
        <Link to={`/dashboard/orders/${public_id}`}>
          <Mono>{domain}</Mono>
          <span class="id">{public_id}</span>
        </Link>
      )),
      ...columnsFrom(controlOrder, 'status', 'sale_price_cents'),
      column('Partner', 'clip', ({ partner, environment }) => (
        <>
          <Text>{partner}</Text>
          {environment === 'LIVE' && <span class="id">LIVE</span>}
        </>
      )),
      ...columnsFrom(controlOrder, 'updated_at'),
      column('Next step', 'actions', (order) => {
        const move = order.open_moves.find(({ action }) => action === order.next_action);
        return move ? <MoveButton order={order} move={move} /> : null;
      }),
    ],
    empty: <NoOrders />,
  });
}

function NoOrders() {
  const quote = `request POST /api/partner/v1/quotes --data '{"domain":"held-order.test"}'`;
  const sale = `request POST /api/partner/v1/orders --idempotency-key first-sale --data '{"quote_id":"…","external_payment_ref":"pay-1"}'`;
  return (
    <EmptyState title="No orders yet." commands={[quote, sale]}>
      Create a quote, then record the sale with its <code>quote_id</code>.
    </EmptyState>
  );
}

interface MoveButtonProps {
  order: Pick<ControlOrder, 'public_id' | 'domain' | 'partner_id' | 'partner'>;
  move: ControlOrder['open_moves'][number];
  primary?: boolean;
}

export function MoveButton({ order, move: { action, to }, primary = false }: MoveButtonProps) {
  const { public_id, domain, partner_id, partner } = order;
  const { label } = ORDER_ACTIONS[action];
  // A settlement run settles all completed orders of a partner.
  if (action === 'settle') {
    return (
      <ActionButton
        call="POST /settlements/run"
        send={{ partner_id }}
        done={`Settled the completed orders of ${partner}`}
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
      done={`${domain} is now ${to}`}
      confirm={isFinal ? `${label} the order of ${domain}? This cannot be undone.` : undefined}
      about={`of ${domain}`}
      primary={primary}
    >
      {label}
    </ActionButton>
  );
}
