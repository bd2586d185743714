import { OPERATOR_ACTIONS } from '../../../market/orders/order-actions.ts';
import { ORDER_STATUSES } from '../../../store/schema/enums.ts';
import { defineCommand } from '../../command.ts';
import { argument, option } from '../../declare.ts';
import { FIRST_ORDER } from '../../example-ids.ts';
import { UsageError } from '../../failures.ts';
import { oneOf } from '../../values.ts';
import { moveOrder } from './move-order.ts';

export const advanceOrder = defineCommand({
  path: 'orders advance',
  summary: 'Move an order: one step, one action, or along the legal path to a state.',
  details:
    'Every step emits its event. A move that is not legal is refused with those that are, and changes nothing. Orders settle in a settlement run: sandlot settlements run.',
  args: { id: argument('order id') },
  options: {
    to: option('--to <state>', 'advance to this state', oneOf(ORDER_STATUSES)),
    action: option('--action <action>', OPERATOR_ACTIONS.join(', '), oneOf(OPERATOR_ACTIONS)),
    note: option('--note <text>', 'stands in the timeline'),
  },
  examples: [
    `sandlot orders advance ${FIRST_ORDER}`,
    `sandlot orders advance ${FIRST_ORDER} --to TRANSFER_COMPLETED`,
    `sandlot orders advance ${FIRST_ORDER} --action hold --note 'payment looks odd'`,
  ],
  async run(call) {
    const { to, action } = call.options;
    if (to !== undefined && action !== undefined) {
      throw new UsageError('--to and --action: expected one of them, not both');
    }
    await moveOrder(call, call.args.id, call.options);
  },
});
