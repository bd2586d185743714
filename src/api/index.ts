import type { Endpoint } from '../http/endpoint.ts';
import { showAvailability } from './partner/v1/availability.ts';
import { searchDomains } from './partner/v1/domains/search.ts';
import { showDomain } from './partner/v1/domains/show.ts';
import { getEvents } from './partner/v1/events.ts';
import { postOrder } from './partner/v1/orders/create.ts';
import { getOrders } from './partner/v1/orders/list.ts';
import { getOrder } from './partner/v1/orders/show.ts';
import { showPricing } from './partner/v1/pricing.ts';
import { postQuote } from './partner/v1/quotes.ts';
import { putWebhook } from './partner/webhooks.ts';

/** Every endpoint of the partner API. Where two paths match, the first counts. */
export const ENDPOINTS: readonly Endpoint[] = [
  searchDomains,
  showDomain,
  showAvailability,
  showPricing,
  postQuote,
  postOrder,
  getOrders,
  getOrder,
  putWebhook,
  getEvents,
];
