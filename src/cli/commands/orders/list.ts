import { formatMoney } from '../../../kernel/money.ts';
import type { PageOf } from '../../../kernel/resource.ts';
import type { ControlOrder } from '../../../market/orders/order.ts';
import { ENVIRONMENTS, ORDER_STATUSES } from '../../../store/schema/enums.ts';
import { defineCommand } from '../../command.ts';
import { option } from '../../declare.ts';
import { PAGE_OPTIONS, tellNextPage } from '../../paging.ts';
import { shortTime } from '../../times.ts';
import { isoTimeText, oneOf } from '../../values.ts';
import { paintStatus } from './show-order.ts';

export const listOrders = defineCommand({
  path: 'orders list',
  summary: 'Orders of every partner, newest first.',
  options: {
    status: option('--status <state>', 'only orders in this state', oneOf(ORDER_STATUSES)),
    domain: option('--domain <domain>', 'only orders of this domain'),
    partner: option('--partner <id>', 'only orders of this partner id'),
    environment: option('--env <environment>', 'SANDBOX or LIVE', oneOf(ENVIRONMENTS)),
    from: option('--from <time>', 'recorded at or after this time', isoTimeText),
    to: option('--to <time>', 'recorded before this time', isoTimeText),
    ...PAGE_OPTIONS,
  },
  examples: [
    'sandlot orders list',
    'sandlot orders list --status TRANSFER_COMPLETED --json',
    'sandlot orders list --from 2026-01-01 --limit 100',
  ],
  async run({ control, options, out }) {
    const { partner, ...query } = options;
    const document = await control().get<PageOf<'orders', ControlOrder>>('/orders', {
      ...query,
      partner_id: partner,
    });
    out.result(document, ({ orders }, { table, paint }) =>
      orders.length === 0
        ? paint.faint('no orders')
        : table(
            [
              { heading: 'ORDER', cell: (order) => order.public_id, whole: true },
              { heading: 'DOMAIN', cell: (order) => order.domain },
              {
                heading: 'STATUS',
                firm: true,
                cell: (order) => order.status,
                paint: (text, order) => paintStatus(paint, order.status)(text),
              },
              {
                heading: 'PRICE',
                cell: (order) => formatMoney(order.sale_price_cents, order.currency),
                align: 'right',
              },
              { heading: 'RECORDED', firm: true, cell: (order) => shortTime(order.created_at) },
            ],
            orders,
          ),
    );
    tellNextPage(out, document);
  },
});
