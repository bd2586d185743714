import { actionCommand } from './move-order.ts';

export const holdOrder = actionCommand('hold', 'Put an order under manual review.');
