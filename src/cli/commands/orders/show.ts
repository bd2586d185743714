import type { ControlOrderDetail } from '../../../market/orders/order.ts';
import { defineCommand } from '../../command.ts';
import { argument } from '../../declare.ts';
import { FIRST_ORDER } from '../../example-ids.ts';
import { showOrder as show } from './show-order.ts';

export const showOrder = defineCommand({
  path: 'orders show',
  summary: 'One order with its timeline.',
  args: { id: argument('order id') },
  examples: [`sandlot orders show ${FIRST_ORDER}`],
  async run({ control, args, out }) {
    const path = `/orders/${encodeURIComponent(args.id)}`;
    out.result(await control().get<ControlOrderDetail>(path), show);
  },
});
