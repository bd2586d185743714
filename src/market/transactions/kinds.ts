import type { DailyTotalKind } from '../../store/schema/daily-totals.ts';
import {
  ORDER_STATUSES,
  type OrderStatus,
  PAYMENT_MODELS,
  type PaymentModel,
  SALE_STATUSES,
  type SaleStatus,
} from '../../store/schema/enums.ts';
import { orderState } from '../../store/schema/order-states.ts';

export interface SaleFilter {
  status?: OrderStatus | SaleStatus | undefined;
  paymentModel?: PaymentModel | undefined;
}

/** Payment models whose money the marketplace collects; sales of the other one are orders. */
export type CollectedModel = Exclude<PaymentModel, 'partner_collected'>;

const COLLECTED = PAYMENT_MODELS.filter((model) => model !== 'partner_collected');

/** Whether a filter lets orders through, in some state. */
export function letsOrdersThrough({ status, paymentModel }: SaleFilter): boolean {
  const model = paymentModel === undefined || paymentModel === 'partner_collected';
  return model && orderStatuses(status).length > 0;
}

/** The states of orders that a filter lets through. */
export function orderStatuses(status: SaleFilter['status']): OrderStatus[] {
  return ORDER_STATUSES.filter((each) => status === undefined || each === status);
}

/** Payment model and state of the sales that are no orders and that a filter lets through. */
export function collectedKinds({
  status,
  paymentModel,
}: SaleFilter): { model: CollectedModel; status: SaleStatus }[] {
  const models = COLLECTED.filter((each) => paymentModel === undefined || each === paymentModel);
  const statuses = SALE_STATUSES.filter((each) => status === undefined || each === status);
  return models.flatMap((model) => statuses.map((each) => ({ model, status: each })));
}

/** Under which words a filter's sales are tallied; refunded and cancelled ones are counted nowhere. */
export function countedKinds(filter: SaleFilter): DailyTotalKind[] {
  const ofOrders = letsOrdersThrough(filter) ? orderStatuses(filter.status) : [];
  return [
    ...ofOrders
      .filter((status) => orderState(status).sold)
      .map((status) => `partner_collected ${status}` as const),
    ...collectedKinds(filter)
      .filter(({ status }) => status !== 'REFUNDED')
      .map(({ model, status }) => `${model} ${status}` as const),
  ];
}
