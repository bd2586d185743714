import { ORDERS } from '../../control/lists.ts';
import { CONTROL_ACTIONS, type ControlAction } from '../../market/orders/order-actions.ts';
import { ORDER_STATUSES } from '../../store/schema/order-states.ts';
import { type Command, type CommandModule, exampleId, show } from '../command.ts';
import { UsageError } from '../errors.ts';
import { listCommand } from '../list-commands.ts';
import { argument, choice, text } from '../options.ts';

const ORDER = exampleId('ord');
const ARGS = { id: argument('<id>', 'Order ID').naming('order') };
const NOTE = { note: text('--note <text>', 'Note to add to the timeline') };

const resources = () => import('../../market/orders/order.ts');
const orderDetail = async () => (await resources()).controlOrderDetail;

export const orders: CommandModule = {
  group: 'Orders',
  nouns: { orders: 'List orders, and move them as the marketplace would.' },
  commands: [
    listCommand('orders', ORDERS, {
      resource: async () => (await resources()).controlOrder,
      examples: [
        'sandlot orders list',
        'sandlot orders list --status TRANSFER_COMPLETED --json',
        'sandlot orders list --domain held',
        'sandlot orders list --from 2026-01-01 --limit 100',
      ],
    }),
    show('orders show', 'GET /orders/:id', {
      summary: 'Show an order and its timeline.',
      resource: orderDetail,
      args: ARGS,
      examples: [`sandlot orders show ${ORDER}`],
    }),
    show('orders advance', 'POST /orders/:id/advance', {
      summary: 'Move an order by one step, by one action, or to a state.',
      details:
        'Each step emits its event. An illegal move is rejected with the list of legal ones, and changes nothing. A settlement run settles orders: sandlot settlements run.',
      resource: orderDetail,
      args: ARGS,
      options: {
        to: choice('--to <state>', 'Follow the legal path to this state', ORDER_STATUSES),
        action: choice('--action <action>', CONTROL_ACTIONS.join(', '), CONTROL_ACTIONS),
        ...NOTE,
      },
      input: ({ options }) => {
        if (options.to !== undefined && options.action !== undefined) {
          throw new UsageError('--to and --action: pass one of them, not both');
        }
        return options;
      },
      examples: [
        `sandlot orders advance ${ORDER}`,
        `sandlot orders advance ${ORDER} --to TRANSFER_COMPLETED`,
        `sandlot orders advance ${ORDER} --action hold --note 'payment looks odd'`,
      ],
    }),
    move('hold', 'Put an order under manual review.'),
    move('clear', 'Clear the manual review of an order.'),
    move('refund', 'Refund an order and list its domain again.'),
    move('cancel', 'Cancel an order and list its domain again.'),
    show('orders why-not', 'GET /orders/:id/why-not', {
      summary: 'Explain why an order is not in a state, and show the shortest legal route to it.',
      resource: async () => (await resources()).whyNot,
      args: ARGS,
      options: { to: choice('--to <state>', 'State to explain', ORDER_STATUSES).asRequired() },
      examples: [`sandlot orders why-not ${ORDER} --to SETTLED`],
    }),
  ],
};

function move(action: ControlAction, summary: string): Command {
  return show(`orders ${action}`, 'POST /orders/:id/advance', {
    summary,
    resource: orderDetail,
    args: ARGS,
    options: NOTE,
    input: ({ options }) => ({ action, ...options }),
    examples: [`sandlot orders ${action} ${ORDER}`],
  });
}
