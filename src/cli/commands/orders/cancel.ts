import { actionCommand } from './move-order.ts';

export const cancelOrder = actionCommand('cancel', 'Cancel an order; its domain is listed again.');
