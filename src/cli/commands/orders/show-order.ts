import { formatMoney } from '../../../kernel/money.ts';
import type { ControlOrderDetail } from '../../../market/orders/order.ts';
import { type OrderStatus, orderState } from '../../../store/schema/order-states.ts';
import type { Paint, Paper } from '../../output.ts';
import { shortTime } from '../../times.ts';

/** An order with its timeline, for people. */
export function showOrder(order: ControlOrderDetail, paper: Paper): string[] {
  const { paint, block, table } = paper;
  const { buyer, sale_price_cents, commission_cents, currency } = order;
  return [
    `${paint.strong(order.public_id)}  ${paintStatus(paint, order.status)(order.status)}`,
    block([
      ['domain', order.domain],
      [
        'price',
        `${formatMoney(sale_price_cents, currency)}, of which commission ${formatMoney(commission_cents, currency)}`,
      ],
      ['transfer', order.transfer_status],
      ['buyer', buyer && [buyer.name, buyer.email, buyer.country].filter(Boolean).join(', ')],
      ['payment ref', order.external_payment_ref],
      ['partner', `${order.partner_id}, ${order.environment}`],
    ]),
    '',
    table(
      [
        { heading: 'AT', cell: (entry) => shortTime(entry.at), firm: true },
        {
          heading: 'STATUS',
          firm: true,
          cell: (entry) => entry.status,
          paint: (text, entry) => paintStatus(paint, entry.status)(text),
        },
        { heading: 'EVENT', cell: (entry) => entry.event },
        { heading: 'NOTE', cell: (entry) => entry.note },
      ],
      order.timeline,
    ),
  ];
}

export function paintStatus(paint: Paint, status: OrderStatus): (text: string) => string {
  const colors = { success: paint.good, error: paint.bad, warning: paint.doubtful };
  const { tone } = orderState(status);
  return tone === 'neutral' ? (text) => text : colors[tone];
}
