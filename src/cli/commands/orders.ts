import type { ControlAction } from '../../market/orders/order-actions.ts';
import { action, type Command, type CommandModule, exampleId, list } from '../command.ts';

const ORDER_ID = exampleId('ord');

const orderModule = () => import('../../market/orders/order.ts');
const loadOrderDetail = async () => (await orderModule()).controlOrderDetail;

export const orders: CommandModule = {
  group: 'Orders',
  nouns: { orders: 'List orders, and move them as the marketplace would.' },
  commands: [
    list('orders list', 'GET /orders', {
      resource: async () => (await orderModule()).controlOrder,
      examples: [
        'sandlot orders list',
        'sandlot orders list --status TRANSFER_COMPLETED --json',
        'sandlot orders list --domain held-order.test',
        'sandlot orders list --partner local --limit 100',
      ],
    }),
    action('orders show', 'GET /orders/{id}', {
      summary: 'Show an order and its timeline.',
      resource: loadOrderDetail,
      examples: [`sandlot orders show ${ORDER_ID}`],
    }),
    action('orders advance', 'POST /orders/{id}/advance', {
      details:
        'Without --action or --to, the order moves one step forward. Each move emits its event. An illegal move changes nothing, prints the legal ones and exits 1. To settle orders, close their settlement period: sandlot settlements run.',
      resource: loadOrderDetail,
      examples: [
        `sandlot orders advance ${ORDER_ID}`,
        `sandlot orders advance ${ORDER_ID} --to TRANSFER_COMPLETED`,
        `sandlot orders advance ${ORDER_ID} --action hold --note 'payment looks odd'`,
      ],
    }),
    move('hold', 'Put an order under manual review.'),
    move('clear', 'Clear the manual review of an order.'),
    move('refund', 'Refund an order and list its domain again.'),
    move('cancel', 'Cancel an order and list its domain again.'),
    action('orders why-not', 'GET /orders/{id}/why-not', {
      resource: async () => (await orderModule()).whyNot,
      examples: [`sandlot orders why-not ${ORDER_ID} --to SETTLED`],
    }),
  ],
};

function move(verb: ControlAction, summary: string): Command {
  return action(`orders ${verb}`, 'POST /orders/{id}/advance', {
    summary,
    resource: loadOrderDetail,
    optionFields: ['note'],
    input: ({ options }) => ({ action: verb, ...options }),
    examples: [`sandlot orders ${verb} ${ORDER_ID}`],
  });
}
