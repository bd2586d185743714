import {
  COLLECTED_MODELS,
  type CollectedModel,
  ORDER_STATUSES,
  type OrderStatus,
  type PaymentModel,
  SALE_STATUSES,
  type SaleStatus,
} from '../../store/schema/enums.ts';
import { orderState } from '../../store/schema/order-states.ts';

export interface SaleFilter {
  status?: OrderStatus | SaleStatus | undefined;
  paymentModel?: PaymentModel | undefined;
}

export type SaleKind =
  | { model: 'partner_collected'; status: OrderStatus }
  | { model: CollectedModel; status: SaleStatus };

export function includesOrders({ status, paymentModel }: SaleFilter): boolean {
  const model = paymentModel === undefined || paymentModel === 'partner_collected';
  return model && orderStatuses(status).length > 0;
}

function orderStatuses(status: SaleFilter['status']): OrderStatus[] {
  return ORDER_STATUSES.filter((each) => status === undefined || each === status);
}

/** Lists payment model and status of the sales without an order that a filter includes. */
export function collectedKinds({
  status,
  paymentModel,
}: SaleFilter): (SaleKind & { model: CollectedModel })[] {
  const models = COLLECTED_MODELS.filter(
    (each) => paymentModel === undefined || each === paymentModel,
  );
  const statuses = SALE_STATUSES.filter((each) => status === undefined || each === status);
  return models.flatMap((model) => statuses.map((each) => ({ model, status: each })));
}

/** Lists the kinds of sale that the totals of a filter count. Refunded and cancelled sales are not counted. */
export function countedKinds(filter: SaleFilter): SaleKind[] {
  const ofOrders = includesOrders(filter) ? orderStatuses(filter.status) : [];
  return [
    ...ofOrders
      .filter((status) => orderState(status).sold)
      .map((status) => ({ model: 'partner_collected' as const, status })),
    ...collectedKinds(filter).filter(({ status }) => status !== 'REFUNDED'),
  ];
}
