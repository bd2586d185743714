import { saleCommand } from './move-sale.ts';

export const deliverTransaction = saleCommand(
  'deliver',
  'Deliver the domain of a marketplace-collected or brokered sale: its commission is pending.',
);
