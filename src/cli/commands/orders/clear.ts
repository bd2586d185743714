import { actionCommand } from './move-order.ts';

export const clearOrder = actionCommand('clear', 'Clear an order that is under manual review.');
