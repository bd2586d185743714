/** Commission in basis points of the sale price. */
export const COMMISSION_BASIS_POINTS = {
  partner_collected: 1_500,
  marketplace_collected: 1_000,
  brokerage: 500,
} as const;

export const CURRENCY = 'USD';
