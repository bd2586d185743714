import { actionCommand } from './move-order.ts';

export const refundOrder = actionCommand('refund', 'Refund an order; its domain is listed again.');
