import type { Endpoint } from '../http/endpoint.ts';
import { getAnalytics } from './partner/v1/analytics.ts';
import { showAvailability } from './partner/v1/availability.ts';
import { postBrokerage } from './partner/v1/brokerage/create.ts';
import { getEligibility } from './partner/v1/brokerage/eligibility.ts';
import { getCases } from './partner/v1/brokerage/list.ts';
import { getCase } from './partner/v1/brokerage/show.ts';
import { postCheckoutSession } from './partner/v1/checkout-session.ts';
import { searchDomains } from './partner/v1/domains/search.ts';
import { showDomain } from './partner/v1/domains/show.ts';
import { getEvents } from './partner/v1/events.ts';
import { postLink } from './partner/v1/links/create.ts';
import { getLinks } from './partner/v1/links/list.ts';
import { getMyClicks } from './partner/v1/me/clicks.ts';
import { getMyCommissions } from './partner/v1/me/commissions.ts';
import { getMyPayouts } from './partner/v1/me/payouts.ts';
import { getMySales } from './partner/v1/me/sales.ts';
import { postOrder } from './partner/v1/orders/create.ts';
import { getOrders } from './partner/v1/orders/list.ts';
import { getOrder } from './partner/v1/orders/show.ts';
import { getPayouts } from './partner/v1/payouts.ts';
import { showPricing } from './partner/v1/pricing.ts';
import { postQuote } from './partner/v1/quotes.ts';
import { postRefund } from './partner/v1/refunds.ts';
import { getSettlements } from './partner/v1/settlements.ts';
import { getTransactions } from './partner/v1/transactions.ts';
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
  postCheckoutSession,
  getSettlements,
  getTransactions,
  getPayouts,
  getCases,
  postRefund,
  getEligibility,
  postBrokerage,
  getCase,
  postLink,
  getLinks,
  getMyClicks,
  getMySales,
  getMyCommissions,
  getMyPayouts,
  getAnalytics,
  putWebhook,
  getEvents,
];
