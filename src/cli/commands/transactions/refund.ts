import { saleCommand } from './move-sale.ts';

export const refundTransaction = saleCommand(
  'refund',
  'Refund a marketplace-collected or brokered sale: its commission is reversed.',
);
