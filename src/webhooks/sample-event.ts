import { EVENTS, type EventType } from '../events/event-types.ts';
import { caseEventData } from '../market/brokerage/case.ts';
import { orderEventData } from '../market/orders/order.ts';
import { statusAtEvent } from '../market/orders/order-actions.ts';

/**
 * Returns plausible data of an event about an order or case that does not exist.
 * @param seed same seed, same data
 */
export async function sampleEventData(
  type: EventType,
  seed: number,
): Promise<Record<string, unknown>> {
  // Loaded on first use: it is large, and most runs do not need it.
  const { faker } = await import('@faker-js/faker/locale/en');
  faker.seed(seed);
  const domain = faker.internet.domainName();
  const price = faker.number.int({ min: 10, max: 5_000 }) * 1_000;
  const tail = faker.string.alphanumeric({ length: 16, casing: 'lower' });
  if (EVENTS[type].subject === 'case') {
    return caseEventData.view({
      id: `brk_${tail}`,
      domain,
      status: 'COMPLETED',
      tier: faker.helpers.arrayElement(['managed', 'self_serve'] as const),
      dealPriceCents: price,
      currency: 'USD',
      commissionCents: price / 20,
    });
  }
  return orderEventData.view({
    id: `ord_${tail}`,
    domain,
    status: statusAtEvent(type),
    salePriceCents: price,
    currency: 'USD',
  });
}
