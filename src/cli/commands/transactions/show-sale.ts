import { formatMoney } from '../../../kernel/money.ts';
import type { Paper } from '../../output.ts';

/** A sale as the control door answers it. */
export interface SaleShape {
  transaction_id: string;
  domain: string;
  payment_model: string;
  status: string;
  sale_price_cents: number;
  commission_cents: number;
  currency: string;
  partner_id: string;
  environment: string;
}

export function showSale(sale: SaleShape, { block }: Paper): string {
  return block([
    ['transaction', sale.transaction_id],
    ['domain', sale.domain],
    ['model', sale.payment_model],
    ['status', sale.status],
    ['price', formatMoney(sale.sale_price_cents, sale.currency)],
    ['commission', formatMoney(sale.commission_cents, sale.currency)],
    ['partner', `${sale.partner_id}, ${sale.environment}`],
  ]);
}
