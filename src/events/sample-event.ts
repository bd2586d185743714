import type { OrderStatus } from '../store/schema/enums.ts';
import type { EventType } from './event-types.ts';

/** The state in which an order is when each event is sent. */
const STATUS_AT: Record<Exclude<EventType, 'brokerage.case_completed'>, OrderStatus> = {
  'order.recorded': 'EXTERNALLY_PAID',
  'order.manual_review_cleared': 'EXTERNALLY_PAID',
  'order.transfer_started': 'TRANSFER_IN_PROGRESS',
  'order.transfer_completed': 'TRANSFER_COMPLETED',
  'order.settled': 'SETTLED',
  'order.refunded': 'REFUNDED',
};

/**
 * Plausible data for an event of a type, about an order or case that does not exist.
 * @param seed same seed, same data
 */
export async function sampleEventData(
  type: EventType,
  seed: number,
): Promise<Record<string, unknown>> {
  // Loaded when first needed: it is large, and starting the sandbox does not need it.
  const { faker } = await import('@faker-js/faker/locale/en');
  faker.seed(seed);
  const domain = faker.internet.domainName();
  const price = faker.number.int({ min: 10, max: 5_000 }) * 1_000;
  const tail = faker.string.alphanumeric({ length: 16, casing: 'lower' });
  if (type === 'brokerage.case_completed') {
    return {
      case: {
        case_id: `brk_${tail}`,
        domain,
        status: 'COMPLETED',
        tier: faker.helpers.arrayElement(['managed', 'self_serve']),
        deal_price_cents: price,
        currency: 'USD',
        commission_cents: price / 20,
      },
    };
  }
  return {
    order: {
      public_id: `ord_${tail}`,
      domain,
      status: STATUS_AT[type],
      sale_price_cents: price,
      currency: 'USD',
    },
  };
}

/** The data of an order's own event of a type: the order as it would be when that event is sent. */
export function restateOrderData(
  type: EventType,
  data: { order: Record<string, unknown> },
): Record<string, unknown> {
  if (type === 'brokerage.case_completed') throw new RangeError(`${type} is not about an order`);
  return { order: { ...data.order, status: STATUS_AT[type] } };
}
