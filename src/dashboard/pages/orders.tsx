import { ask } from '../../control/call-control.ts';
import { getAllOrders } from '../../control/orders.ts';
import { formatMoney } from '../../kernel/money.ts';
import type { PageOf } from '../../kernel/resource.ts';
import type { ControlOrder } from '../../market/orders/order.ts';
import { ENVIRONMENTS, ORDER_STATUSES } from '../../store/schema/enums.ts';
import { listQuery, orProblem } from '../list-or-problem.ts';
import { Act } from '../parts/act.tsx';
import { State } from '../parts/badge.tsx';
import { Choice, Field } from '../parts/field.tsx';
import { Filter } from '../parts/filter.tsx';
import { Empty, Head, Problem } from '../parts/section.tsx';
import { type Column, Pager, Table } from '../parts/table.tsx';
import { Mono } from '../parts/text.tsx';
import { When } from '../parts/when.tsx';
import { command, type Place, segment, to } from '../place.ts';
import type { View } from '../reply.tsx';
import { MoveButton } from './moves.tsx';

const FILTERS = ['status', 'domain', 'partner_id', 'environment'];

/** The orders of every partner. */
export async function ordersPage(at: Place): Promise<View> {
  const query = listQuery(at.query, FILTERS);
  const found = await orProblem(ask<PageOf<'orders', ControlOrder>>(getAllOrders, at, { query }));
  return {
    title: 'Orders',
    live: ['orders'],
    content: (
      <>
        <Head
          title="Orders"
          acts={
            <Act
              at={at}
              call="POST /settlements/run"
              done="Completed orders are settled"
              confirm="Close the settlement period now and settle every completed order?"
            >
              Run settlement
            </Act>
          }
        >
          Sales that partners have recorded, newest first.
        </Head>
        <Filter at={at} label="Filter orders" names={FILTERS}>
          <Field label="Domain" name="domain" id="f-domain" value={at.query.domain} search />
          <Choice
            label="Status"
            name="status"
            id="f-status"
            options={ORDER_STATUSES}
            value={at.query.status}
            none="any"
          />
          <Field
            label="Partner id"
            name="partner_id"
            id="f-partner"
            value={at.query.partner_id}
            placeholder="ptr_local"
          />
          <Choice
            label="Environment"
            name="environment"
            id="f-environment"
            options={ENVIRONMENTS}
            value={at.query.environment}
            none="any"
          />
        </Filter>
        {'problem' in found ? (
          <Problem at={at} message={found.problem} />
        ) : (
          <>
            <OrderTable at={at} orders={found.orders} />
            <Pager at={at} next={found.next_cursor} />
          </>
        )}
      </>
    ),
  };
}

function OrderTable({ at, orders }: { at: Place; orders: ControlOrder[] }) {
  if (orders.length === 0) return <NoOrders at={at} />;
  const columns: Column<ControlOrder>[] = [
    {
      heading: 'Order',
      kind: 'main',
      cell: ({ public_id, domain }) => (
        <a href={to(at, `/dashboard/orders/${segment(public_id)}`)} data-row>
          <Mono>{domain}</Mono>
          <span class="id">{public_id}</span>
        </a>
      ),
    },
    { heading: 'Status', cell: ({ status }) => <State>{status}</State> },
    {
      heading: 'Price',
      kind: 'number',
      cell: ({ sale_price_cents, currency }) => formatMoney(sale_price_cents, currency),
    },
    {
      heading: 'Partner',
      kind: 'clip',
      cell: ({ partner_id, environment }) => (
        <>
          <Mono>{partner_id}</Mono>
          {environment === 'LIVE' && <span class="id">LIVE</span>}
        </>
      ),
    },
    { heading: 'Last change', cell: ({ updated_at }) => <When at={updated_at} /> },
    {
      heading: 'Next step',
      kind: 'acts',
      cell: ({ next_action, open_moves, ...order }) => {
        const move = open_moves.find(({ action }) => action === next_action);
        return move ? <MoveButton at={at} order={order} move={move} /> : null;
      },
    },
  ];
  return (
    <Table
      caption="Orders, newest first"
      columns={columns}
      rows={orders}
      keyOf={({ public_id }) => public_id}
    />
  );
}

function NoOrders({ at }: { at: Place }) {
  if (FILTERS.some((name) => at.query[name])) return <Empty says="No order fits this filter." />;
  const body = '{"domain":"held-order.test"}';
  const quote = `request POST /api/partner/v1/quotes --data '${body}'`;
  const sale = `request POST /api/partner/v1/orders --idempotency-key first-sale --data '{"quote_id":"…","external_payment_ref":"pay-1"}'`;
  return (
    <Empty
      says="No order has been recorded yet."
      commands={[command(at, quote), command(at, sale)]}
    >
      Ask for a quote, then record the sale with its quote_id. The order appears here at once.
    </Empty>
  );
}
